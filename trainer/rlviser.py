"""The child that hands scenes to RLViser: `python -m trainer.rlviser`, a scene a line on stdin.

A process of its own because the package `rlviser-py` starts the program RLViser, which would hold
the pipes of whoever loaded it, and because it may wait or abort. One sentence on standard error
when RLViser cannot be used. Tested by `tests/trainer/test_rlviser.py`.
"""

import importlib
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import RocketSim

from rlbot_agent.field import NUM_PADS, PAD_POSITIONS, TICKS_PER_SECOND

BINARY: Final = "rlviser.exe" if os.name == "nt" else "rlviser"
BIG_PADS: Final = (3, 4, 15, 18, 29, 30)
BIG_PAD_Z: Final = 73.0
SMALL_PAD_Z: Final = 70.0
"""uu, by which RLViser tells big pads from small ones."""


class RLViserError(Exception):
    """RLViser cannot be used; one sentence."""


def load(folder: Path) -> ModuleType:
    """The package, once everything that it needs is there.

    Args:
        folder: Where the program RLViser must lie, which is what the package starts.

    Raises:
        RLViserError: Naming what is missing.
    """
    try:
        module = importlib.import_module("rlviser_py")
    except ImportError as error:
        raise RLViserError(
            f"RLViser needs the package rlviser-py ({error}): see docs/replays.md"
        ) from error
    missing = [n for n in ("set_boost_pad_locations", "render", "quit") if not hasattr(module, n)]
    if missing:
        raise RLViserError(f"this version of rlviser-py has no {missing[0]}: take 0.6.14 or later")
    if not (folder / BINARY).is_file():
        raise RLViserError(f"RLViser is not there: put the program {BINARY} into {folder}")
    return module


def render(module: ModuleType, lines: Iterable[bytes]) -> None:
    """Show every scene of `lines` (as `viewer_scene.scene`), then close RLViser.

    Raises:
        RLViserError: When the package refuses, as another version would.
    """
    try:
        module.set_boost_pad_locations(_pad_locations())
        for tick, line in enumerate(lines):
            module.render(tick, float(TICKS_PER_SECOND), *_arguments(json.loads(line)))
        module.quit()
    except KeyboardInterrupt:
        pass
    except BaseException as error:  # a panic of the package is no Exception
        raise RLViserError(f"RLViser stopped: {type(error).__name__}: {error}") from error


def main() -> None:
    """Render standard input; exit code 1 and a sentence when that is impossible."""
    # RLViser inherits these two: what it and its package say must not reach whoever started us.
    words = os.dup(2)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    try:
        render(load(Path.cwd()), iter(sys.stdin.buffer.readline, b""))
    except RLViserError as error:
        os.write(words, f"{' '.join(str(error).split())}\n".encode())
        sys.exit(1)


def _pad_locations() -> list[tuple[float, float, float]]:
    heights = [BIG_PAD_Z if pad in BIG_PADS else SMALL_PAD_Z for pad in range(NUM_PADS)]
    return [(x, y, z) for (x, y), z in zip(PAD_POSITIONS.tolist(), heights, strict=True)]


def _arguments(scene: dict[str, Any]) -> tuple[object, ...]:
    """Mode, pads, ball and cars, as `rlviser_py.render` takes them."""
    ball = RocketSim.BallState()
    _move(ball, scene["ball_phys"])
    cars = [_car(number, car) for number, car in enumerate(scene["cars"], 1)]
    return RocketSim.GameMode.SOCCAR, scene["boost_pad_states"], ball, cars


def _car(number: int, car: dict[str, Any]) -> tuple[object, ...]:
    state = RocketSim.CarState()
    _move(state, car["phys"])
    (fx, fy, fz), (ux, uy, uz) = car["phys"]["forward"], car["phys"]["up"]
    # right = up x forward
    right = (uy * fz - uz * fy, uz * fx - ux * fz, ux * fy - uy * fx)
    axes = ((fx, fy, fz), right, (ux, uy, uz))
    state.rot_mat = RocketSim.RotMat(*(RocketSim.Vec(*axis) for axis in axes))
    state.boost = 100 * car["boost_amount"]
    state.is_on_ground = car["on_ground"]
    state.is_demoed = car["is_demoed"]
    for name, value in car["controls"].items():
        is_button = name in ("boost", "jump", "handbrake")
        setattr(state.last_controls, name, bool(value) if is_button else value)
    team = (RocketSim.Team.BLUE, RocketSim.Team.ORANGE)[car["team_num"]]
    return number, team, RocketSim.CarConfig(RocketSim.CarConfig.OCTANE), state


def _move(body: Any, physics: dict[str, list[float]]) -> None:  # noqa: ANN401 - ball or car
    for name in ("pos", "vel", "ang_vel"):
        setattr(body, name, RocketSim.Vec(*physics[name]))


if __name__ == "__main__":
    main()
