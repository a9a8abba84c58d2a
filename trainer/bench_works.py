"""The fixed works that `rlppo bench` measures: what is played and learned, and never changes.

Everything that could make them easier is said here: 1v1, decisions of 8 ticks, RLGym's observation,
90 actions, rewards for the ball's way to the goal, touches and goals, ends by goal and 10 s without
a touch. How many arenas and workers play, and in which chunks gradients add up, is free. Tested by
`tests/trainer/test_bench.py`.
"""

from typing import Final, NamedTuple

from trainer.config import RunConfig
from trainer.config_file import load_config

WORK: Final = (
    "sim.modes.1v1=1",
    "sim.tick_skip=8",
    "sim.observation=default",
    "resets.random=0",
    "rewards.velocity_ball_to_goal=1",
    "rewards.touch=0.1",
    "rewards.goal=10",
    "rewards.concede=0",
    "rewards.velocity_player_to_ball=0",
    "rewards.face_ball=0",
    "rewards.boost_pickup=0",
    "rewards.demo=0",
    "episodes.no_touch_s=10",
    "episodes.time_limit_s=0",
    "ppo.minibatch_size=4096",
    "ppo.learning_rate=1e-4",
    "checkpoint.every_steps=1_000_000_000_000",
)
"""What all works have in common; the learning rate keeps policies near random, as at a start."""


class Work(NamedTuple):
    """One work."""

    words: str
    """What it is, for a person."""
    settings: tuple[str, ...]
    """Beside `WORK`."""


def _sizes(layers: str, arenas: int, steps: int, epochs: int, batch: int) -> tuple[str, ...]:
    return (
        f"networks.actor={layers}",
        f"networks.critic={layers}",
        f"sim.arenas={arenas}",
        f"ppo.steps_per_iteration={steps}",
        f"ppo.epochs={epochs}",
        f"ppo.batch_size={batch}",
    )


WORKS: Final = {
    "small": Work(
        "50,000 steps, 1 epoch, networks of 256-256-256",
        _sizes("[256, 256, 256]", 256, 50_000, 1, 50_000),
    ),
    "medium": Work(
        "50,000 steps, 1 epoch, networks of 1024-1024-512",
        _sizes("[1024, 1024, 512]", 256, 50_000, 1, 50_000),
    ),
    "seed": Work(
        "100,000 steps, 2 epochs in batches of 50,000, networks of 2048-2048-1024-1024",
        _sizes("[2048, 2048, 1024, 1024]", 512, 100_000, 2, 50_000),
    ),
}
"""By name."""


def config_of(work: str, settings: tuple[str, ...] = ()) -> RunConfig:
    """The config of a work, with `settings` over it for what is free."""
    return load_config(None, (*WORK, *WORKS[work].settings, *settings))
