"""Which rewards a run pays: the choice by weight, what a weight means, and who shares them.

`reward_kinds.py` says of each whether its weight is for an event or for time that passes. The
functions themselves are in `reward_terms.py`, the user's own come through `custom_rewards.py`.
Knows no simulator and no episodes. Tested by `tests/trainer/test_rewards.py`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from trainer import reward_terms as terms
from trainer.config import RewardsConfig
from trainer.custom_rewards import Reward, load_rewards
from trainer.custom_rewards import RewardError as RewardError
from trainer.reward_kinds import weight_of_decision

Array = npt.NDArray[np.float32]


class NamedReward(NamedTuple):
    """One reward that a run pays."""

    name: str
    """A key of `REWARDS`, or the user's "module:function"."""
    weight: float
    """What its values are multiplied by in every decision of this run."""
    function: Reward
    """Computes them."""


REWARDS: Final[dict[str, Reward]] = {
    "goal": terms.goal,
    "concede": terms.concede,
    "touch": terms.touch,
    "velocity_player_to_ball": terms.velocity_player_to_ball,
    "velocity_ball_to_goal": terms.velocity_ball_to_goal,
    "face_ball": terms.face_ball,
    "in_air": terms.in_air,
    "save_boost": terms.save_boost,
    "boost_pickup": terms.boost_pickup,
    "demo": terms.demo,
    "velocity": terms.velocity,
    "bump": terms.bump,
    "bumped": terms.bumped,
    "demoed": terms.demoed,
    "wavedash": terms.wavedash,
    "touch_accel": terms.touch_accel,
    "strong_touch": terms.strong_touch,
}
"""Every reward of ours by its key in the config's section `rewards`."""


def build_rewards(
    config: RewardsConfig, config_folder: Path, teams: tuple[int, ...], tick_skip: int
) -> tuple[NamedReward, ...]:
    """The rewards whose weight is not 0, the user's own loaded and tried.

    Args:
        config: The weights.
        config_folder: Where the user's modules are.
        teams: Team of each car, for trying the user's functions.
        tick_skip: Ticks of a decision.

    Raises:
        RewardError: When one of the user's own is missing or unusable.
    """
    names = tuple(name for name, weight in config.custom.items() if weight)
    return weigh_rewards(config, load_rewards(names, config_folder, teams), tick_skip)


def weigh_rewards(
    config: RewardsConfig, own: Mapping[str, Reward], tick_skip: int
) -> tuple[NamedReward, ...]:
    """The rewards whose weight is not 0: ours in the order of the config, then the user's `own`.

    The user's own are continuous: they are computed from the state in every decision.

    Raises:
        RewardError: When the config weighs one of the user's that is not in `own`.
    """
    ours = [
        NamedReward(name, weight_of_decision(name, getattr(config, name), tick_skip), function)
        for name, function in REWARDS.items()
    ]
    custom = {name: weight for name, weight in config.custom.items() if weight}
    for name in custom:
        if name not in own:
            raise RewardError(
                f'rewards.custom."{name}" was not loaded when the trainer started: stop the run, '
                "set it then, and resume it"
            )
    return (
        *(reward for reward in ours if reward.weight),
        *(
            NamedReward(name, weight_of_decision(name, weight, tick_skip), own[name])
            for name, weight in custom.items()
        ),
    )


def mixing_matrix(teams: tuple[int, ...], team_spirit: float, opponent_scale: float) -> Array:
    """What each car gets of every car's own reward: paid = matrix @ own.

    paid = own · (1 - team_spirit) + team's mean · team_spirit - opponents' mean · opponent_scale.
    A team's mean includes the car itself; that of a team without cars is 0.

    Args:
        teams: Team of each of the P cars.
        team_spirit: 0 (each for itself) to 1 (all of a team the same).
        opponent_scale: 1 makes equal teams play for a sum of zero.

    Returns:
        (P, P).
    """
    team = np.array(teams)
    mates = team[:, None] == team
    opponents = ~mates
    team_mean = mates / mates.sum(axis=1, keepdims=True)
    opponents_mean = opponents / np.maximum(opponents.sum(axis=1, keepdims=True), 1)
    own = np.eye(len(teams))
    mixed: Array = np.asarray(
        own * (1 - team_spirit) + team_mean * team_spirit - opponents_mean * opponent_scale,
        np.float32,
    )
    return mixed
