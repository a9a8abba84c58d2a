"""A simulated game as a picture, rounded to what a screen can show.

Knows no game's rules, no policy and no clock. Tested by `tests/trainer/test_pictures.py`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.rotation import angles_from_axes
from rlbot_agent.state import GameState
from trainer.frames import CarFrame, Frame


class Caption(NamedTuple):
    """What a picture says that the simulator does not know."""

    ticks: int
    """Game played so far, in ticks of 1/120 s."""
    score: tuple[int, int]
    """Goals of blue and of orange."""
    rally: int
    """Kickoffs so far."""
    touched: npt.NDArray[np.bool_]
    """(P,) which cars touched the ball since the picture before."""
    steps: int = 0
    """Agent steps of training behind the newest policy that plays."""
    deterministic: bool = True
    """Whether the policies play their likeliest action."""
    note: str = ""
    """A sentence to show over the pitch, or nothing."""
    names: tuple[str, str] = ("", "")
    """Who plays blue and who orange."""


def picture(state: GameState, caption: Caption) -> Frame:
    """What the one arena of `state` looks like."""
    x, y, z = (round(float(value), 1) for value in state.ball_position[0])
    return Frame(
        time_s=round(caption.ticks / TICKS_PER_SECOND, 3),
        blue=caption.score[0],
        orange=caption.score[1],
        ball_x=x,
        ball_y=y,
        ball_z=z,
        cars=tuple(
            _car(state, car, bool(touched)) for car, touched in enumerate(caption.touched.tolist())
        ),
        steps=caption.steps,
        deterministic=caption.deterministic,
        note=caption.note,
        pads=sum(1 << int(pad) for pad in np.flatnonzero(state.pad_timers[0] == 0)),
        names=caption.names,
        rally=caption.rally,
    )


def _car(state: GameState, car: int, touched: bool) -> CarFrame:
    x, y, z = (round(float(value), 1) for value in state.position[0, car])
    angles = angles_from_axes(state.forward[0, car], state.up[0, car])
    pitch, yaw, roll = (round(float(angle), 3) for angle in angles)
    return CarFrame(
        team=state.teams[car],
        x=x,
        y=y,
        z=z,
        yaw=yaw,
        boost=round(float(state.boost[0, car]), 1),
        on_ground=bool(state.on_ground[0, car]),
        boosting=bool(state.is_boosting[0, car]),
        demolished=bool(state.demo_timer[0, car] > 0),
        pitch=pitch,
        roll=roll,
        touched=touched,
    )
