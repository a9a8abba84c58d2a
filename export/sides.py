"""Who plays a match: the bot of each team, and where its cars stand.

Reads bundles and bot.toml; starts nothing. Tested by `tests/export/test_sides.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from export.launch import BotConfig, read_bot_config
from export.manifest import MANIFEST, read_manifest
from export.packets import Player
from rlbot_agent.contract import Contract
from rlbot_agent.policy import require_fit


@dataclass(frozen=True)
class Side:
    """One team's bot."""

    contract: Contract | None
    """Of its policy, when it is a bundle."""
    config: BotConfig
    """How its processes start."""

    @property
    def checkpoint(self) -> str:
        """Hash of the checkpoint that plays; empty of another bot."""
        return self.contract.checkpoint_hash if self.contract else ""


class Seats(NamedTuple):
    """Where the cars stand."""

    teams: tuple[int, ...]
    """(P,) of each car in the packets."""
    players: list[Player]
    """(P,) in the order of the packets."""
    order: list[int]
    """(P,) cars as they stand in the match's configuration."""


def read_sides(bots: tuple[Path, Path]) -> tuple[Side, Side]:
    """Read blue's and orange's folder.

    Raises:
        BundleError: When a bundle's manifest is damaged.
        ContractError: When this version of the code has another observation or other actions.
        LaunchError: When a bot.toml is missing or damaged.
    """
    blue, orange = map(_read_side, bots)
    if blue.config.agent_id == orange.config.agent_id:
        # Bots of one agent id take cars in the order of their coming, across teams.
        other = replace(orange.config, agent_id=f"{orange.config.agent_id}/orange")
        orange = replace(orange, config=other)
    return blue, orange


def mode_for(sides: Sequence[Side]) -> str:
    """The first mode that a bundle was trained in; 1v1 without any."""
    return next((side.contract.modes[0] for side in sides if side.contract), "1v1")


def seat(
    sides: tuple[Side, Side], teams: tuple[int, ...], shuffled: bool, rng: np.random.Generator
) -> Seats:
    """Give every car a place, a name and an id.

    Args:
        sides: Blue and orange.
        teams: Of the cars, by team.
        shuffled: Whether they stand in another order, and in yet another in the configuration.
        rng: Draws orders and ids.
    """
    order = list(range(len(teams)))
    if shuffled:
        teams = tuple(rng.permutation(teams).tolist())
        order = rng.permutation(order).tolist()
        if order == sorted(order):
            order.reverse()
    return Seats(teams, make_players(sides, teams, rng), order)


def make_players(
    sides: tuple[Side, Side], teams: Sequence[int], rng: np.random.Generator
) -> list[Player]:
    """Who plays, as RLBotServer would name them: unique names, signed ids."""
    ids = (-(2**31) + rng.permutation(1_000_000)[: len(teams)]).tolist()
    players: list[Player] = []
    for team, number in zip(teams, ids, strict=True):
        config = sides[team].config
        taken = {player.name for player in players}
        names = (config.name, *(f"{config.name} ({n})" for n in range(2, len(teams) + 2)))
        players.append(
            Player(
                name=next(name for name in names if name not in taken),
                team=team,
                player_id=number,
                agent_id=config.agent_id,
                hivemind=config.hivemind,
                is_ours=sides[team].contract is not None,
            )
        )
    return players


def _read_side(bot: Path) -> Side:
    config = read_bot_config(bot)
    if not (bot / MANIFEST).is_file():
        return Side(None, config)
    contract = read_manifest(bot).contract
    require_fit(contract, config.name)
    return Side(contract, config)
