"""What the pitch costs: CPU time and bytes of a frame with six cars, on a terminal of 120 by 40.

Shows a made-up game to the dashboard's own widget, at a viewer's pace, with a driver that counts
what a terminal would be sent.
"""

import asyncio
import math
import time
from dataclasses import dataclass
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver

from trainer.frames import ALL_PADS, CarFrame, Frame, Mind, from_line, to_line
from tui.pitch import PitchPanel

SIZE = (120, 40)
WARM_UP = 30
"""Frames that are not counted: the first paints everything."""


@dataclass(frozen=True)
class PitchCost:
    """Means over the frames."""

    cpu_ms: float
    """CPU time of this process for one frame: read, draw, compose, write."""
    bytes: float
    """What a terminal is sent for one frame."""


class _Counter(HeadlessDriver):
    """A terminal that only counts."""

    written: ClassVar[int] = 0

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        _Counter.written += len(data.encode())


class _PitchApp(App[PitchCost]):
    """Shows lines of frames, and returns what that cost."""

    def __init__(self, lines: list[str], fps: int) -> None:
        super().__init__(driver_class=_Counter)
        self._lines = lines
        self._fps = fps

    def compose(self) -> ComposeResult:
        yield PitchPanel()

    def on_ready(self) -> None:
        self.run_worker(self._measure())

    async def _measure(self) -> None:
        await self._show(self._lines[:WARM_UP])
        cpu, written = time.process_time(), _Counter.written
        await self._show(self._lines[WARM_UP:])
        cpu, written = time.process_time() - cpu, _Counter.written - written
        frames = len(self._lines) - WARM_UP
        self.exit(PitchCost(1000 * cpu / frames, written / frames))

    async def _show(self, lines: list[str]) -> None:
        for line in lines:
            frame = from_line(line)
            assert frame is not None
            self.query_one(PitchPanel).show(frame)
            await asyncio.sleep(1 / self._fps)


def measure(frames: int, fps: int) -> PitchCost:
    """Show so many frames at `fps` a second."""
    lines = [to_line(game(number / fps)) for number in range(WARM_UP + frames)]
    found = _PitchApp(lines, fps).run(size=SIZE)
    assert found is not None
    return found


def game(time_s: float) -> Frame:
    """A moment of a 3v3 in which everybody drives in circles, jumps, boosts and takes pads."""
    cars = tuple(_car(index, time_s) for index in range(6))
    taken = sum(1 << (int(time_s * 2) + 7 * index) % 34 for index in range(6))
    names = [f"throttle 1, steer {steer:g}, boost" for steer in (-1, 0, 1, 0.5, -0.5)]
    chances = [0.5 + 0.3 * math.sin(3 * time_s), 0.1, 0.05, 0.04, 0.01]
    value = 2 * math.sin(time_s)
    return Frame(
        time_s=time_s,
        blue=1,
        orange=2,
        ball_x=3500 * math.sin(0.5 * time_s),
        ball_y=4500 * math.sin(0.37 * time_s),
        ball_z=93 + 1200 * abs(math.sin(time_s)),
        cars=cars,
        steps=12_345_678,
        deterministic=False,
        pads=ALL_PADS & ~taken,
        names=("newest", "5.0M steps"),
        mind=Mind(0, value, names[int(3 * time_s) % 5], tuple(zip(names, chances, strict=True))),
        rally=1,
    )


def _car(index: int, time_s: float) -> CarFrame:
    radius, turn = 1200 + 450 * index, 0.5 * time_s * (-1) ** index + index
    up = max(0.0, 600 * math.sin(time_s + index))
    return CarFrame(
        team=index // 3,
        x=radius * math.cos(turn),
        y=1.2 * radius * math.sin(turn),
        z=17 + up,
        yaw=turn + math.pi / 2 * (-1) ** index,
        boost=50 + 50 * math.sin(time_s + index),
        on_ground=up == 0,
        boosting=math.sin(2 * time_s + index) > 0,
        demolished=math.sin(0.7 * time_s + index) > 0.95,
        pitch=math.sin(2 * time_s + index) if up else 0.0,
        touched=math.sin(4 * time_s + index) > 0.98,
    )
