"""A picture with its speeds and controls, in the JSON that RocketSimVis takes over UDP.

Its keys are a fact of that program (`networking-format.md` of ZealanL/RocketSimVis): for a body
pos, forward, up, vel and ang_vel in the world's frame; a car's boost_amount is 0 to 1; pads are in
RLGym's order, which is ours. Knows no socket. Tested by `tests/trainer/test_viewer_scene.py`.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from rlbot_agent.actions import BOOST, HANDBRAKE, JUMP, PITCH, ROLL, STEER, THROTTLE, YAW
from rlbot_agent.field import NUM_PADS
from rlbot_agent.rotation import axes_from_angles
from rlbot_agent.state import GameState
from trainer.frames import CarFrame, Frame

_CONTROLS = {
    "throttle": THROTTLE,
    "steer": STEER,
    "pitch": PITCH,
    "yaw": YAW,
    "roll": ROLL,
    "boost": BOOST,
    "jump": JUMP,
    "handbrake": HANDBRAKE,
}


def scene(frame: Frame, state: GameState) -> dict[str, Any]:
    """What an external viewer shows.

    Args:
        frame: Where everything is.
        state: Of one arena, at the end of the decision that the picture is of: how fast it moves.
    """
    return {
        "ball_phys": {
            "pos": [frame.ball_x, frame.ball_y, frame.ball_z],
            "vel": _rounded(state.ball_velocity[0]),
            "ang_vel": _rounded(state.ball_angular_velocity[0]),
        },
        "cars": [_car(car, state, index) for index, car in enumerate(frame.cars)],
        "boost_pad_states": [bool(frame.pads >> pad & 1) for pad in range(NUM_PADS)],
    }


def _car(car: CarFrame, state: GameState, index: int) -> dict[str, Any]:
    forward, _, up = axes_from_angles(np.array((car.pitch, car.yaw, car.roll)))
    controls = state.controls[0, index].tolist()
    flipped = state.has_flipped[0, index] or state.has_double_jumped[0, index]
    return {
        "team_num": car.team,
        "phys": {
            "pos": [car.x, car.y, car.z],
            "forward": _rounded(forward),
            "up": _rounded(up),
            "vel": _rounded(state.velocity[0, index]),
            "ang_vel": _rounded(state.angular_velocity[0, index]),
        },
        "controls": {name: controls[column] for name, column in _CONTROLS.items()},
        "boost_amount": round(car.boost / 100, 3),
        "on_ground": car.on_ground,
        "has_flipped_or_double_jumped": bool(flipped),
        "is_demoed": car.demolished,
    }


def _rounded(vector: npt.NDArray[np.float32]) -> list[float]:
    return [round(value, 4) for value in vector.tolist()]
