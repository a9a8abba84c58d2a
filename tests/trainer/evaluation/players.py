"""Contestants for games of tests, and games between them."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from rlbot_agent.actions import NUM_ACTIONS
from tests.trainer.tiny import tiny_config
from trainer.anchors.chaser import chaser_contestant
from trainer.checkpoint import contract_of
from trainer.evaluation.contestants import ActorChooser, Contestant, random_contestant
from trainer.evaluation.engine import Table
from trainer.evaluation.frozen_starts import make_starts
from trainer.evaluation.protocol import StartsConfig
from trainer.evaluation.tally import Side
from trainer.meshes import find_meshes
from trainer.networks import actor_of
from trainer.resets import Starts
from trainer.rewards import REWARDS

CONTRACT = contract_of(tiny_config(), 0)

RANDOM = random_contestant()
CHASER = chaser_contestant()


def untrained(seed: int, *settings: str, sampled: bool) -> Contestant:
    """A tiny actor with the weights that `seed` draws."""
    contract = contract_of(tiny_config(*settings), 0)
    torch.manual_seed(seed)
    chooser = ActorChooser(actor_of(contract), f"actor {seed}", sampled=sampled)
    return Contestant(f"actor {seed}", "", contract, chooser)


def starts_of(mode: str, **settings: int) -> Starts:
    return make_starts(StartsConfig(**settings), Path(), (mode,))[mode]


def table_of(mode: str = "1v1", *, no_touch: int = 2**40, **settings: int) -> Table:
    return Table(mode, starts_of(mode, **settings), no_touch, find_meshes(""))


def side(goals: int = 0, **values: float) -> Side:
    """What a side did that only scored, and did `values`."""
    nothing = dict.fromkeys(
        ("shots", "saves", "touches", "demos", "pickups", "possession", "speed"), 0
    ) | {"boost_used": 0.0, "boost_collected": 0.0}
    return Side(goals=goals, rewards=dict.fromkeys(REWARDS, 0.0), **(nothing | values))  # type: ignore[arg-type]


def all_allowed(rows: int) -> npt.NDArray[np.bool_]:
    return np.ones((rows, NUM_ACTIONS), np.bool_)
