"""`GameState`: what a bot can know of the field, as arrays with a leading arena axis.

Two adapters fill it: `trainer/sim.py` from the simulator (B arenas) and `packet.py` from the live
game (B = 1). A field exists only if both can fill it. Knows nothing of observations, decisions or
where the numbers come from. Axes: B arenas, P cars of an arena. Tested by
`tests/rlbot_agent/test_state.py`.

The fields are views into one `raw` (B, R) array, so that a whole observation is a single gather.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import NUM_PADS

Array = npt.NDArray[np.float32]

BALL_COLUMNS: Final = slice(0, 9)
"""Position, velocity, angular velocity of the ball."""
PAD_COLUMNS: Final = slice(9, 9 + NUM_PADS)
CARS_START: Final = 9 + NUM_PADS

CAR_FIELDS: Final[dict[str, slice]] = {
    name: slice(start, start + width)
    for name, start, width in (
        ("position", 0, 3),
        ("forward", 3, 3),
        ("up", 6, 3),
        ("velocity", 9, 3),
        ("angular_velocity", 12, 3),
        ("boost", 15, 1),
        ("demo_timer", 16, 1),
        ("on_ground", 17, 1),
        ("is_boosting", 18, 1),
        ("is_supersonic", 19, 1),
        ("is_holding_jump", 20, 1),
        ("handbrake", 21, 1),
        ("has_jumped", 22, 1),
        ("is_jumping", 23, 1),
        ("has_flipped", 24, 1),
        ("is_flipping", 25, 1),
        ("has_double_jumped", 26, 1),
        ("can_flip", 27, 1),
        ("air_time_since_jump", 28, 1),
        ("is_auto_flipping", 29, 1),
    )
}
"""Columns of one car inside its block of `raw`. Flags are 0.0 or 1.0."""
CAR_WIDTH: Final = 30
CONTROLS_WIDTH: Final = 8
"""Of one car, behind the blocks of all cars: the columns of `ACTION_TABLE`."""


def raw_width(num_cars: int) -> int:
    """R: ball, pads, cars, their controls, and one column that stays 0 for padding."""
    return CARS_START + (CAR_WIDTH + CONTROLS_WIDTH) * num_cars + 1


class GameState:
    """B arenas with the same P cars each, all float32, world frame (blue defends -y).

    Every attribute is a view into `raw`: write to it in place, never rebind it.
    """

    def __init__(self, num_arenas: int, teams: tuple[int, ...]) -> None:
        """All zeros for `num_arenas` arenas whose cars belong to `teams` (0 blue, 1 orange)."""
        self.num_arenas = num_arenas
        self.teams = teams
        """Team of each car, length P, the same in every arena."""
        num_cars = len(teams)
        self.raw: Array = np.zeros((num_arenas, raw_width(num_cars)), np.float32)
        """(B, 43 + 38 P + 1), see `raw_width`."""

        self.ball_position: Array = self.raw[:, 0:3]
        """(B, 3) uu."""
        self.ball_velocity: Array = self.raw[:, 3:6]
        """(B, 3) uu/s."""
        self.ball_angular_velocity: Array = self.raw[:, 6:9]
        """(B, 3) rad/s."""
        self.pad_timers: Array = self.raw[:, PAD_COLUMNS]
        """(B, 34) seconds until the pad is active, 0 when it is; order of `PAD_POSITIONS`."""

        controls_start = CARS_START + CAR_WIDTH * num_cars
        cars, controls = self.raw[:, CARS_START:controls_start], self.raw[:, controls_start:-1]
        self.cars: Array = cars.reshape(num_arenas, num_cars, CAR_WIDTH)
        """(B, P, 30) all car columns, see `CAR_FIELDS`."""
        self.position: Array = self.cars[:, :, CAR_FIELDS["position"]]
        """(B, P, 3) uu."""
        self.forward: Array = self.cars[:, :, CAR_FIELDS["forward"]]
        """(B, P, 3) unit vector out of the nose."""
        self.up: Array = self.cars[:, :, CAR_FIELDS["up"]]
        """(B, P, 3) unit vector out of the roof."""
        self.velocity: Array = self.cars[:, :, CAR_FIELDS["velocity"]]
        """(B, P, 3) uu/s."""
        self.angular_velocity: Array = self.cars[:, :, CAR_FIELDS["angular_velocity"]]
        """(B, P, 3) rad/s."""
        self.boost: Array = self._scalar("boost")
        """(B, P) 0 to 100."""
        self.demo_timer: Array = self._scalar("demo_timer")
        """(B, P) seconds until respawn, 0 when alive."""
        self.on_ground: Array = self._scalar("on_ground")
        """(B, P) 1 when at least three wheels touch something."""
        self.is_boosting: Array = self._scalar("is_boosting")
        """(B, P) flag."""
        self.is_supersonic: Array = self._scalar("is_supersonic")
        """(B, P) flag."""
        self.is_holding_jump: Array = self._scalar("is_holding_jump")
        """(B, P) flag: jump was held in the last tick."""
        self.handbrake: Array = self._scalar("handbrake")
        """(B, P) 0 to 1, ramps up at 5/s and down at 2/s."""
        self.has_jumped: Array = self._scalar("has_jumped")
        """(B, P) flag: since the car last stood on the ground."""
        self.is_jumping: Array = self._scalar("is_jumping")
        """(B, P) flag: the jump's force still acts."""
        self.has_flipped: Array = self._scalar("has_flipped")
        """(B, P) flag: since the car last stood on the ground."""
        self.is_flipping: Array = self._scalar("is_flipping")
        """(B, P) flag: the flip's torque still acts."""
        self.has_double_jumped: Array = self._scalar("has_double_jumped")
        """(B, P) flag: since the car last stood on the ground."""
        self.can_flip: Array = self._scalar("can_flip")
        """(B, P) flag: airborne, jump released, and a flip or double jump is left."""
        self.air_time_since_jump: Array = self._scalar("air_time_since_jump")
        """(B, P) seconds since the jump's force ended; 0 on the ground or without a jump."""
        self.is_auto_flipping: Array = self._scalar("is_auto_flipping")
        """(B, P) flag: the torque that turns a car off its roof still acts."""
        self.controls: Array = controls.reshape(num_arenas, num_cars, CONTROLS_WIDTH)
        """(B, P, 8) the row of `ACTION_TABLE` that the car's last decision chose, which it still
        holds; zeros before an episode's first. A live bot knows its own car's only."""

    @property
    def num_cars(self) -> int:
        """P, cars an arena."""
        return len(self.teams)

    def __reduce__(self) -> tuple[object, ...]:
        # Attributes that were copied or pickled one by one would no longer be views into `raw`.
        return _rebuild, (self.num_arenas, self.teams, self.raw)

    def _scalar(self, name: str) -> Array:
        return self.cars[:, :, CAR_FIELDS[name].start]


def _rebuild(num_arenas: int, teams: tuple[int, ...], raw: Array) -> GameState:
    state = GameState(num_arenas, teams)
    state.raw[:] = raw
    return state
