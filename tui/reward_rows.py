"""What each reward pays, as rows of a table: mean, weight, contribution, share, trend.

Pure. Tested by `tests/tui/test_reward_rows.py`.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from trainer.config import RewardsConfig, RunConfig
from trainer.reward_kinds import weight_of_decision
from tui.history import Board

TOTAL = "Reward/total"
_GROUP, _SHARE = "Reward/", "_share"


class RewardRow(NamedTuple):
    """One reward of the last iteration."""

    name: str
    """A key of the config, or the user's "module:function"."""
    mean: float
    """Over all decisions of all agents, before its weight."""
    weight: float
    """As the config has it, for an event or for 8 ticks; NaN where the config knows none."""
    contribution: float
    """Mean times the weight of a decision: what it adds to the total."""
    share: float
    """Of all that is paid and fined, 0 to 1; NaN where the trainer measured none."""
    recent: tuple[float, ...]
    """The means of the last iterations, oldest first."""
    dominates: bool
    """Whether it drowns the others (`health.reward_share`)."""


def reward_rows(board: Board, config: RunConfig) -> tuple[RewardRow, ...]:
    """Every reward that is paid now, the largest share first."""
    names = _names(board.latest.values)
    rows = [row for name in names if (row := _row(name, board, config)).weight]
    most = config.health.reward_share if len(rows) > 1 else math.inf
    rows = [row._replace(dominates=row.share > most) for row in rows]
    return tuple(sorted(rows, key=_order))


def _names(metrics: Iterable[str]) -> list[str]:
    """The rewards among `metrics`: all of the group but the total and the shares."""
    found = [name.removeprefix(_GROUP) for name in metrics if name.startswith(_GROUP)]
    shares = {name + _SHARE for name in found}
    return [name for name in found if name not in shares and _GROUP + name != TOTAL]


def _row(name: str, board: Board, config: RunConfig) -> RewardRow:
    metric, values = _GROUP + name, board.latest.values
    mean, weight = values[metric], weight_in_force(name, config.rewards)
    paid = mean * weight_of_decision(name, weight, config.sim.tick_skip)
    share = values.get(metric + _SHARE, math.nan)
    recent = board.recent.get(metric, ())
    return RewardRow(name, mean, weight, paid, share, recent, dominates=False)


def weight_in_force(name: str, config: RewardsConfig) -> float:
    """The weight of reward `name`; NaN where the config knows no such reward."""
    if name in config.custom:
        return config.custom[name]
    known = name in RewardsConfig.model_fields and name != "custom"
    return float(getattr(config, name)) if known else math.nan


def _order(row: RewardRow) -> tuple[float, float, str]:
    """By share, and where there is none by what it adds, largest first."""
    share = 0.0 if math.isnan(row.share) else row.share
    paid = 0.0 if math.isnan(row.contribution) else abs(row.contribution)
    return -share, -paid, row.name
