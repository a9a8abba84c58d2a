"""How soon and how dearly a long run is seen: the dashboard's page of charts on a file made for it.

Runs the real dashboard without a terminal, 120 by 40. Tested by
`tests/benchmarks/test_charts.py`.
"""

import asyncio
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import psutil
from textual.events import Key
from textual.pilot import Pilot

from trainer.config import RunConfig
from trainer.config_file import write_config
from trainer.run_dir import RunDir
from tui.app import Dashboard
from tui.messages import MetricsArrived
from tui.screens.run_screen import RunScreen
from tui.watched import Watched
from tui.widgets.chart import Chart
from tui.widgets.chart_view import ChartView
from tui.widgets.metric_picker import MetricPicker

SIZE: Final = (120, 40)
FRAMES: Final = 20
DRAWN: Final = ("Reward/0", "Loss/1", "Update/2")
"""Metrics that are drawn beside the reward."""
_GROUPS: Final = ("Reward", "Loss", "Update", "Game", "Timing")
_MOULDS: Final = 500


@dataclass(frozen=True)
class Seen:
    """What was found."""

    file_mb: float
    """Size of metrics.jsonl."""
    first_s: float
    """From the start of the dashboard to its first curves of the whole run."""
    page_s: float
    """From the key to the page of charts."""
    whole_s: float
    """From the start to the curve of every iteration."""
    frame_ms: float
    """CPU time of a changed frame with four curves: drawing, layout and what the terminal gets."""
    iteration_ms: float
    """CPU time of the first page for one more iteration, whose numbers are all others."""
    rss_mb: float
    """Memory of the process, this measurement included."""


def see(iterations: int, metrics: int) -> Seen:
    """Make a run of so many iterations and metrics, and look at it."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunDir(Path(folder))
        write_config(run.config, RunConfig())
        _write(run.metrics, iterations, metrics)
        return asyncio.run(_look(run))


def _write(path: Path, iterations: int, metrics: int) -> None:
    """Noise whose level wanders; the values of a line stand in a few hundred others, too."""
    draw = random.Random(0)
    names = ["Reward/total", *(f"{_GROUPS[n % 5]}/{n}" for n in range(metrics - 1))]
    moulds = [json.dumps({n: draw.gauss(1.0, 0.2) for n in names})[1:] for _ in range(_MOULDS)]
    with path.open("w") as file:
        for number in range(1, iterations + 1):
            head = json.dumps({"iteration": number, "steps": 50_000 * number, "time": 2.5 * number})
            file.write(f"{head[:-1]}, {draw.choice(moulds)}\n")


async def _look(run: RunDir) -> Seen:
    began = time.perf_counter()
    app = Dashboard(Watched(run, RunConfig()))
    async with app.run_test(size=SIZE) as pilot:
        await _until(pilot, lambda: app.screen.query(Chart).first().board is not None)
        first = time.perf_counter() - began
        # Not pilot.press, which waits up to 2 s for a process that is busy reading.
        app.post_message(Key("2", "2"))
        await _until(pilot, lambda: any(v.scene.panels for v in app.screen.query(ChartView)))
        page = time.perf_counter() - began - first
        view = app.screen.query_one(ChartView)
        size = run.metrics.stat().st_size
        last = _lines_of(run.metrics)
        await _until(pilot, lambda: _iterations(view) == last)
        whole = time.perf_counter() - began
        for metric in DRAWN:
            app.screen.query_one(MetricPicker).post_message(MetricPicker.Toggled(metric))
        await _until(pilot, lambda: len(view.scene.lines) == 1 + len(DRAWN))
        frames = [await _frame(pilot, view) for _ in range(FRAMES)]
        await app.action_page("dashboard")
        await pilot.pause()
        news = [await _news(pilot, app) for _ in range(FRAMES)]
        rss = psutil.Process().memory_info().rss
    frame, iteration = (1000 * statistics.median(found) for found in (frames, news))
    return Seen(size / 1e6, first, page, whole, frame, iteration, rss / 2**20)


async def _frame(pilot: Pilot[Any], view: ChartView) -> float:
    began = time.process_time()
    view.look(view.view.smoother(1 if view.view.smoothing == 0 else -1))
    await pilot.pause()
    return time.process_time() - began


async def _news(pilot: Pilot[Any], app: Dashboard) -> float:
    """Processor time of the first page for one more iteration, in which every number is another."""
    page = app.screen
    assert isinstance(page, RunScreen)
    assert page.known is not None
    assert page.known.board is not None
    board = page.known.board
    values = {name: value * 1.001 for name, value in board.latest.values.items()}
    recent = {name: (*past[1:], values[name]) for name, past in board.recent.items()}
    board = replace(board, latest=replace(board.latest, values=values), recent=recent)
    began = time.process_time()
    app.post_message(MetricsArrived(board))
    await pilot.pause()
    return time.process_time() - began


def _iterations(view: ChartView) -> float:
    """How many iterations the first curve is made of."""
    return sum(view.scene.lines[0].curves[-1].counts)


def _lines_of(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file)


async def _until(pilot: Pilot[Any], true: Callable[[], bool]) -> None:
    while not true():
        await pilot.pause(0.01)


def lines_of(found: Seen) -> list[str]:
    """For a person."""
    return [
        f"file            {found.file_mb:.0f} MB",
        f"first picture   {found.first_s:.2f} s",
        f"page of charts  {found.page_s:.2f} s",
        f"every iteration {found.whole_s:.1f} s",
        f"a frame         {found.frame_ms:.1f} ms of CPU",
        f"first page      {found.iteration_ms:.1f} ms of CPU an iteration",
        f"memory          {found.rss_mb:.0f} MB",
    ]
