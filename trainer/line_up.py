"""Who is driven by an old version in one rollout: groups of arenas, their teams, and the draw.

A line-up holds for a whole rollout, which is cut and bootstrapped at its end, so no trajectory has
two drivers. Each process that plays cuts its arenas into groups; in each, a team of all its arenas
may be an old version's. Loads no PyTorch, because those processes read it too. Tested by
`tests/trainer/test_line_up.py`.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from trainer.config_sim import SimConfig
from trainer.modes import team_sizes

Indices = npt.NDArray[np.int64]
Teams = tuple[int, ...]
"""By group: the team (0 blue, 1 orange) that an old version drives, or `NOBODY`."""

NOBODY: Final = -1
"""Today's policy drives both teams."""


class Sides(NamedTuple):
    """The agents of one group of arenas, by team: columns of its process's part of a rollout."""

    blue: Indices
    orange: Indices


class OldRows(NamedTuple):
    """The agents that old versions drive, in equal numbers for all V of them."""

    groups: Indices
    """(V,) which groups have an old version; group k is played by the k-th of the line-up."""
    agents: Indices
    """(V, R) their columns. A shorter group repeats its first, which is decided twice alike."""


def sides_of(sim: SimConfig, groups: int) -> list[Sides]:
    """The agents of each group of the arenas of `sim`, which one process plays.

    Neighbouring arenas are one group, of whatever modes; groups are as even as possible, and never
    more than arenas.
    """
    arenas, first = list[Sides](), 0
    for mode, count in sim.shares.items():
        blue, orange = team_sizes(mode)
        for _ in range(count):
            cars = np.arange(first, first + blue + orange)
            arenas.append(Sides(cars[:blue], cars[blue:]))
            first += blue + orange
    return [
        Sides(*(np.concatenate([arenas[place][team] for place in places]) for team in (0, 1)))
        for places in np.array_split(np.arange(len(arenas)), min(groups, len(arenas)))
    ]


def draw_teams(chance: float, groups: int, rng: np.random.Generator) -> Teams:
    """Draw for each group whether an old version plays, and on which team.

    However it turns out, two numbers are drawn for each, so that no draw moves those after it.
    """
    numbers = rng.random((groups, 2))
    return tuple(int(coin < 0.5) if luck < chance else NOBODY for luck, coin in numbers.tolist())


def old_columns(sides: Sequence[Sides], teams: Teams) -> list[Indices]:
    """The columns that old versions drive, by group; none where nobody does."""
    nobody = np.empty(0, np.int64)
    return [
        nobody if team == NOBODY else side[team] for side, team in zip(sides, teams, strict=True)
    ]


def old_rows(columns: Sequence[Indices]) -> OldRows:
    """The same, without the groups that have none."""
    groups = [group for group, agents in enumerate(columns) if len(agents)]
    longest = max((len(columns[group]) for group in groups), default=0)
    agents = np.empty((len(groups), longest), np.int64)
    for row, group in zip(agents, groups, strict=True):
        row[:] = columns[group][0]
        row[: len(columns[group])] = columns[group]
    return OldRows(np.array(groups, np.int64), agents)
