"""One picture of a played game, and its line: what the viewer prints and the dashboard draws.

Knows neither who plays nor how it is drawn. Standard library only, because the dashboard must not
load what the viewer loads. Tested by `tests/trainer/test_frames.py`.
"""

import json
import math
from dataclasses import astuple, dataclass, fields, replace
from typing import Any


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
    """Agent steps of training behind the policy that plays."""
    deterministic: bool
    """Whether it plays its likeliest action instead of sampling one."""
    note: str = ""
    """A sentence to show over the pitch, or nothing."""


def notice(note: str) -> Frame:
    """A picture of an empty pitch with a sentence over it."""
    return Frame(0.0, 0, 0, 0.0, 0.0, 0.0, (), 0, False, note)


def blend(earlier: Frame, later: Frame, share: float) -> Frame:
    """The picture `share` (0 to 1) of the way between two of the same cars.

    Positions and headings move in straight lines; whatever cannot be halved is the later one's.
    """
    pairs = zip(earlier.cars, later.cars, strict=True)
    cars = tuple(_blend_cars(a, b, share) for a, b in pairs)
    return replace(later, cars=cars, **_between(earlier, later, _FRAME_KINDS, share))


def to_line(frame: Frame) -> str:
    """One line of JSON without its newline; cars are bare lists in the order of `CarFrame`."""
    record = {name: getattr(frame, name) for name in _FRAME_KINDS}
    record["cars"] = [astuple(car) for car in frame.cars]
    return json.dumps(record, separators=(",", ":"), allow_nan=False)


def from_line(line: str | bytes) -> Frame | None:
    """The reverse of `to_line`; None when the line is damaged in any way."""
    try:
        record = json.loads(line)
        cars = [dict(zip(_CAR_KINDS, car, strict=True)) for car in record["cars"]]
        whole = tuple(CarFrame(**_checked(car, _CAR_KINDS)) for car in cars)
        return Frame(**_checked(record | {"cars": whole}, _FRAME_KINDS))
    except (KeyError, OverflowError, TypeError, ValueError, RecursionError):
        return None


_CAR_KINDS: dict[str, Any] = {field.name: field.type for field in fields(CarFrame)}
_FRAME_KINDS: dict[str, Any] = {field.name: field.type for field in fields(Frame)}


def _checked(record: dict[str, Any], kinds: dict[str, Any]) -> dict[str, Any]:
    """`record` when it has exactly the names of `kinds`, each with a value of its kind."""
    if record.keys() != kinds.keys():
        raise ValueError("other names")
    return {name: _value(record[name], kind) for name, kind in kinds.items()}


def _value(value: object, kind: Any) -> object:  # noqa: ANN401 - a type as `fields` gives it
    if kind is float and type(value) is int:
        value = float(value)
    if kind in (float, int, bool, str) and type(value) is not kind:
        raise TypeError(f"{value!r} is no {kind}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value!r} is nowhere")
    return value


def _blend_cars(earlier: CarFrame, later: CarFrame, share: float) -> CarFrame:
    moved = _between(earlier, later, _CAR_KINDS, share)
    turn = math.remainder(later.yaw - earlier.yaw, math.tau)  # the short way round
    return replace(later, **moved | {"yaw": earlier.yaw + turn * share})


def _between(earlier: object, later: object, kinds: dict[str, Any], share: float) -> dict[str, Any]:
    """Every float (so nothing counted), `share` of the way."""
    ends = {
        name: (getattr(earlier, name), getattr(later, name))
        for name, kind in kinds.items()
        if kind is float
    }
    return {name: a + (b - a) * share for name, (a, b) in ends.items()}
