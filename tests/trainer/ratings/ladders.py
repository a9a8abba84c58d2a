"""A ladder of three players, and runs with versions."""

import math
from pathlib import Path

import torch

from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of
from trainer.config_file import write_config
from trainer.evaluation.intervals import Interval
from trainer.networks import ActorCritic
from trainer.ratings.ladder_table import Ladder, Meeting, Round, Rung
from trainer.run_dir import RunDir
from trainer.versions import save_version

WINNER = Rung("2,000", 2000, "ab", 7, 1, 0, 20, 3, Interval(0.625, 0.9375, 1.0))
MIDDLE = Rung("1,000", 1000, "cd", 3, 1, 4, 9, 9, Interval(0.25, 0.4375, 0.75))
LAST = Rung("random", 0, "", 0, 2, 6, 1, 18, Interval(0.0, 0.125, 0.5))
LADDER = Ladder(
    made=1000.5,
    seconds=60.0,
    sampled=False,
    rounds=(
        Round(
            "1v1",
            (WINNER, MIDDLE, LAST),
            (
                Meeting(0, 1, 4, 0, 0, Interval(0.51, 1.0, 1.0), Interval(1.5, 2.0, 2.5)),
                Meeting(0, 2, 3, 1, 0, Interval(0.4, 0.875, 1.0), Interval(1.0, 2.0, 3.0)),
                Meeting(1, 2, 2, 1, 1, Interval(0.2, 0.625, 0.9), Interval(-math.inf, 1, math.inf)),
            ),
        ),
    ),
)
"""The winner beats the middle one beyond doubt, and nobody anybody else."""


def make_versions(folder: Path, *steps: int, settings: tuple[str, ...] = ()) -> RunDir:
    """A run with a version after each of `steps`, whose weights are drawn by that number.

    Its only anchor is chance.
    """
    folder.mkdir(parents=True)
    run = RunDir(folder)
    for number in steps:
        add_version(run, number, *settings)
    write_config(run.config, tiny_config("ratings.anchors={random=0.0}", *settings))
    return run


def add_version(run: RunDir, steps: int, *settings: str) -> Path:
    """Another one, of an actor of the tiny config and `settings`."""
    config = tiny_config(*settings)
    torch.manual_seed(steps)
    sizes = contract_of(config, 0)
    model = ActorCritic(sizes.obs_width, sizes.num_actions, config.networks)
    return save_version(run, config, model, steps)
