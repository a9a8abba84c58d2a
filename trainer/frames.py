"""One picture of a played game, and its line: what the viewer prints and the dashboard draws.

Knows neither who plays nor how it is drawn. Standard library only, because the dashboard must not
load what the viewer loads. Tested by `tests/trainer/test_frames.py`.
"""

import json
import math
from dataclasses import asdict, astuple, dataclass, fields, replace
from typing import Any

from trainer.turning import Angles, turn

NUM_PADS = 34
ALL_PADS = (1 << NUM_PADS) - 1
"""`Frame.pads` while every pad is there."""
MOST_LIKELIEST = 5
"""Actions that a `Mind` names at most."""
LARGEST = 2**53
"""Numbers beyond it, either way, are damage: a float no longer counts them one by one."""


@dataclass(frozen=True)
class CarFrame:
    """One car; positions in uu, world frame (blue defends -y)."""

    team: int
    """0 blue, 1 orange."""
    x: float
    """uu."""
    y: float
    """uu."""
    z: float
    """uu, 17 on its wheels."""
    yaw: float
    """Heading of the nose in rad: 0 along +x, pi/2 along +y."""
    boost: float
    """0 to 100."""
    on_ground: bool
    """Whether its wheels touch something."""
    boosting: bool
    """Whether it burns boost."""
    demolished: bool
    """Whether it waits for its respawn."""
    pitch: float = 0.0
    """rad, nose up positive, -pi/2 to pi/2."""
    roll: float = 0.0
    """rad, right side down positive, -pi to pi."""
    touched: bool = False
    """Whether it touched the ball since the decision that the picture before shows."""


@dataclass(frozen=True)
class Mind:
    """What the policy of the followed car thinks, at the last decision."""

    car: int
    """Index of the car in `Frame.cars`."""
    value: float | None
    """The critic's estimate, in its own units; None without a critic."""
    action: str
    """What it does, such as "throttle 1, steer -1, boost"; "nothing" when all is 0."""
    likeliest: tuple[tuple[str, float], ...]
    """Up to 5 actions with their probabilities after the masks, likeliest first."""


@dataclass(frozen=True)
class Frame:
    """One picture."""

    time_s: float
    """Seconds of game played so far."""
    blue: int
    """Goals of blue so far."""
    orange: int
    """Goals of orange so far."""
    ball_x: float
    """uu."""
    ball_y: float
    """uu."""
    ball_z: float
    """uu, 93 on the ground."""
    cars: tuple[CarFrame, ...]
    """Every car; none while nobody plays yet."""
    steps: int
    """Agent steps of training behind the newest policy that plays."""
    deterministic: bool
    """Whether the policies play their likeliest action instead of sampling one."""
    note: str = ""
    """A sentence to show over the pitch, or nothing."""
    pads: int = ALL_PADS
    """Bit i is 1 while boost pad i, in the order of `rlbot_agent.field.PAD_POSITIONS`, is there."""
    speed: float = 1.0
    """Seconds of game in a second of the clock."""
    paused: bool = False
    """Whether the game stands still."""
    names: tuple[str, str] = ("", "")
    """Who plays blue and who orange, for a person."""
    mind: Mind | None = None
    """What the followed car thinks; None when none is followed."""
    rally: int = 0
    """Kickoffs so far: another number than a moment ago means that everything was put back."""


def notice(note: str) -> Frame:
    """A picture of an empty pitch with a sentence over it."""
    return Frame(0.0, 0, 0, 0.0, 0.0, 0.0, (), 0, False, note)


def blend(earlier: Frame, later: Frame, share: float) -> Frame:
    """The picture `share` (0 to 1) of the way between two of the same cars.

    Positions move in straight lines and cars turn the short way; whatever cannot be halved is the
    later one's.
    """
    if share == 1:
        return later
    pairs = zip(earlier.cars, later.cars, strict=True)
    cars = tuple(_blend_cars(a, b, share) for a, b in pairs)
    return replace(later, cars=cars, **_between(earlier, later, _MOVING, share))


def to_line(frame: Frame) -> str:
    """One line of JSON without its newline; cars are bare lists in the order of `CarFrame`.

    What a terminal would not print (of the note alone, the other words are ours) becomes a space.
    """
    record = {name: getattr(frame, name) for name in _FRAME_KINDS}
    record["note"] = "".join(sign if sign.isprintable() else " " for sign in frame.note)
    record["cars"] = [astuple(car) for car in frame.cars]
    record["mind"] = frame.mind and asdict(frame.mind)
    return json.dumps(record, separators=(",", ":"), allow_nan=False)


def from_line(line: str | bytes) -> Frame | None:
    """The reverse of `to_line`; None when the line is damaged in any way."""
    try:
        record = json.loads(line)
        cars = tuple(_car(car) for car in record["cars"])
        names, mind = _names(record["names"]), _mind(record["mind"], len(cars))
        nested = {"cars": cars, "names": names, "mind": mind}
        frame = Frame(**_checked(record | nested, _FRAME_KINDS))
        _require(0 <= frame.pads <= ALL_PADS and frame.speed > 0)
    except (KeyError, OverflowError, TypeError, ValueError, RecursionError):
        return None
    return frame


_CAR_KINDS: dict[str, Any] = {field.name: field.type for field in fields(CarFrame)}
_MIND_KINDS: dict[str, Any] = {field.name: field.type for field in fields(Mind)}
_FRAME_KINDS: dict[str, Any] = {field.name: field.type for field in fields(Frame)}
_MOVING = ("time_s", "ball_x", "ball_y", "ball_z")
_CAR_MOVING = ("x", "y", "z", "boost")


def _car(values: object) -> CarFrame:
    _require(isinstance(values, list))
    named = dict(zip(_CAR_KINDS, values, strict=True))  # type: ignore[call-overload]
    car = CarFrame(**_checked(named, _CAR_KINDS))
    _require(car.team in (0, 1))
    return car


def _names(values: object) -> tuple[str, str]:
    _require(isinstance(values, list))
    blue, orange = values  # type: ignore[misc]
    return _value(blue, str), _value(orange, str)  # type: ignore[has-type]


def _mind(record: Any, cars: int) -> Mind | None:  # noqa: ANN401 - whatever JSON says
    if record is None:
        return None
    pairs = tuple(
        (_value(words, str), _value(chance, float)) for words, chance in record["likeliest"]
    )
    mind = Mind(**_checked(record | {"likeliest": pairs}, _MIND_KINDS))
    _require(0 <= mind.car < cars and len(pairs) <= MOST_LIKELIEST)
    _require(all(0 <= chance <= 1 for _, chance in pairs))
    return mind


def _checked(record: dict[str, Any], kinds: dict[str, Any]) -> dict[str, Any]:
    """`record` when it has exactly the names of `kinds`, each with a value of its kind."""
    _require(record.keys() == kinds.keys())
    return {name: _value(record[name], kind) for name, kind in kinds.items()}


def _value(value: Any, kind: Any) -> Any:  # noqa: ANN401 - a type as `fields` gives it
    if kind == float | None:
        return None if value is None else _value(value, float)
    if kind is float and type(value) is int:
        value = float(value)
    if kind in (float, int, bool, str):
        _require(type(value) is kind)
    if kind in (float, int):
        _require(math.isfinite(value) and abs(value) <= LARGEST)
    if kind is str:  # what a terminal would obey instead of showing it is damage too
        _require(value.isprintable())
    return value


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError("no frame")


def _blend_cars(earlier: CarFrame, later: CarFrame, share: float) -> CarFrame:
    turned = turn(_angles(earlier), _angles(later), share)
    moved = _between(earlier, later, _CAR_MOVING, share)
    return replace(later, **moved, **turned._asdict())


def _angles(car: CarFrame) -> Angles:
    return Angles(car.pitch, car.yaw, car.roll)


def _between(
    earlier: object, later: object, names: tuple[str, ...], share: float
) -> dict[str, Any]:
    """Each of the numbers called `names`, `share` of the way."""
    ends = {name: (getattr(earlier, name), getattr(later, name)) for name in names}
    return {name: a + (b - a) * share for name, (a, b) in ends.items()}
