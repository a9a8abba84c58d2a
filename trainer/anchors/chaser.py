"""A scripted chaser of the ball: drives to where the ball comes down, shoots at the other goal.

It comes from behind the ball on the line to the opponents' goal, boosts when that lies ahead, jumps
at a ball that bounces, and turns its wheels to the floor in the air. It keeps nothing in mind
between decisions, draws nothing, sees no other car, and plays as orange what it plays as blue on a
field turned by 180 degrees. Knows no rating. Tested by `tests/trainer/anchors/test_chaser.py`.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.state import GameState
from trainer.anchors.chaser_moves import Doubles, Flags, View, Wish, drive, fly, target_of
from trainer.evaluation.contestants import CHASER, Contestant, Senses

Array = npt.NDArray[np.float32]
Actions = npt.NDArray[np.int64]

BEHAVIOUR: Final = 1
"""Which way it plays; raised with every change of what it does, so that games are told apart."""

_TURN: Final = np.array((-1, -1, 1), np.float32)

_CODES: Final = 3 ** np.arange(ACTION_TABLE.shape[1])
_ROWS: Final = np.zeros(3 ** len(_CODES), np.int64)
_ROWS[(ACTION_TABLE.astype(np.int64) + 1) @ _CODES] = np.arange(len(ACTION_TABLE))
"""The row of controls whose (value + 1) are the digits of a number to base 3."""


class ChaserSenses:
    """What the chaser sees of its own car and of the ball."""

    def build(self, state: GameState) -> Array:
        """(B, P, 24): the columns of `View`."""
        shape = (state.num_arenas, state.num_cars, 3)
        ball = (state.ball_position, state.ball_velocity)
        vectors = (
            *(state.position, state.velocity, state.angular_velocity, state.forward, state.up),
            *(np.broadcast_to(each[:, None], shape) for each in ball),
        )
        turns = np.where(np.array(state.teams)[:, None], _TURN, np.float32(1))  # (P, 3)
        flags = (state.on_ground, state.is_holding_jump, state.can_flip)
        # -0 + 0 = 0: straight behind is an angle of +180 degrees for both teams.
        turned = [each * turns + np.float32(0) for each in vectors]
        return np.concatenate([*turned, np.stack(flags, -1)], -1)


class ChaserChooser:
    """Decides by what it sees now."""

    def choose(self, obs: Array, masks: Flags, uniforms: Doubles) -> Actions:
        """As `Chooser` says: its wish, without boost or jump where these are impossible."""
        view = _view(obs)
        target = target_of(view)
        driving, flying = drive(view, target), fly(view, target)
        wish = Wish(*np.where(view.on_ground, np.stack(driving), np.stack(flying)))
        options = np.stack(
            [
                _row(view.on_ground, wish._replace(jump=wish.jump * jump, boost=wish.boost * boost))
                for jump, boost in ((1, 1), (1, 0), (0, 1), (0, 0))
            ],
            -1,
        )
        possible = np.take_along_axis(masks, options, -1)
        first = np.take_along_axis(options, possible.argmax(-1)[:, None], -1)[:, 0]
        chosen: Actions = np.where(possible.any(-1), first, masks.argmax(-1))
        return chosen


def chaser_contestant() -> Contestant:
    """The chaser, which plays any mode by any clock."""
    senses = Senses(CHASER, ChaserSenses())
    return Contestant(CHASER, "", None, ChaserChooser(), lambda mode: senses)


def _view(obs: Array) -> View:
    vectors = obs[:, :21].astype(np.float64).reshape(-1, 7, 3)
    return View(*vectors.transpose(1, 0, 2), *(obs[:, 21:].T > 0))


def _row(on_ground: Flags, wish: Wish) -> Actions:
    """The rows of the action table that press this; the table has no jump with yaw."""
    flies = ~on_ground | (wish.jump > 0)
    steer = wish.steer * (wish.jump == 0)
    pitch, roll = wish.pitch * flies, wish.roll * flies
    flip = wish.jump * ((pitch != 0) | (roll != 0))
    boost = wish.boost
    throttle = np.where(flies, boost, wish.throttle)
    handbrake = np.where(flies, flip, wish.handbrake)
    controls = (throttle, steer, pitch, steer, roll, wish.jump, boost, handbrake)
    rows: Actions = _ROWS[(np.stack(controls, -1).astype(np.int64) + 1) @ _CODES]
    return rows
