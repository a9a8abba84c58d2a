import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import RECORDED, dashboard, restate, shown, until
from tests.tui.story import tell_iterations
from tests.tui.test_system_rows import GPU, READING
from trainer.config import RunConfig
from trainer.run_dir import RunDir, Status
from tui.screens import system
from tui.screens.system import SystemRows, SystemScreen
from tui.system_probe import Reading

Compare = Callable[..., bool]
WIDE, TINY = (120, 40), (60, 16)


class FakeProbe:
    """Finds the same each time; counts how often it was asked, and in which threads."""

    reading = READING
    looks = 0
    threads: ClassVar[set[int]] = set()

    def read(self, folder: Path, status: Status | None) -> Reading:
        type(self).looks += 1
        self.threads.add(threading.get_ident())
        return self.reading


@pytest.fixture(autouse=True)
def probe(monkeypatch: pytest.MonkeyPatch) -> type[FakeProbe]:
    fake = type("Probe", (FakeProbe,), {"threads": set()})
    monkeypatch.setattr(system, "Probe", fake)
    return fake


@pytest.fixture(autouse=True)
def _alive(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorded trainer, with the number it had, as if it lived."""
    for name in ("status.json", "events.jsonl", "trainer.log"):
        (run.path / name).write_bytes((RECORDED / name).read_bytes())
    monkeypatch.setattr(Status, "alive", property(lambda self: True))


async def opened(pilot: Pilot[object]) -> None:
    await pilot.press("8")
    await until(pilot, lambda: isinstance(pilot.app.screen, SystemScreen), "the page is shown")
    rows = pilot.app.screen.query_one("#machine", SystemRows)
    await until(pilot, lambda: bool(rows.rows), "the probe has looked")
    await pilot.pause()


def after(iteration: int) -> Callable[[Pilot[object]], object]:
    async def ready(pilot: Pilot[object]) -> None:
        await shown(pilot, iteration)
        await opened(pilot)

    return ready


def test_empty(snap_compare: Compare, run: RunDir) -> None:
    async def ready(pilot: Pilot[object]) -> None:
        await until(pilot, lambda: pilot.app.situation == "running", "the run is known")  # type: ignore[attr-defined]
        await opened(pilot)

    assert snap_compare(dashboard(run), terminal_size=WIDE, run_before=ready)


@pytest.mark.parametrize("size", [WIDE, TINY])
def test_on_a_cpu(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    tell_iterations(run, 48)
    assert snap_compare(dashboard(run), terminal_size=size, run_before=after(48))


def test_on_a_gpu_with_play_beside_the_update(
    snap_compare: Compare, run: RunDir, probe: type[FakeProbe]
) -> None:
    probe.reading = replace(READING, gpus=(GPU,), gpu_words="")
    restate(run, device="cuda (NVIDIA H200)")
    tell_iterations(run, 48, Timing__collect_s=0.6, Timing__iteration_s=2.55)
    overlap = RunConfig.model_validate({"ppo": {"overlap": True}})
    assert snap_compare(dashboard(run, overlap), terminal_size=WIDE, run_before=after(48))


async def test_nobody_looks_while_another_page_is_on_top(
    run: RunDir, probe: type[FakeProbe], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "EVERY_S", 0.02)
    tell_iterations(run, 3)
    app = dashboard(run)
    async with app.run_test(size=WIDE) as pilot:
        await shown(pilot, 3)
        assert probe.looks == 0
        await opened(pilot)
        await until(pilot, lambda: probe.looks > 3, "it looked again and again")
        await pilot.press("1")
        await until(pilot, lambda: not isinstance(app.screen, SystemScreen), "it is left")
        await pilot.pause(0.1)  # a look that was under way ends
        at_rest = probe.looks
        await pilot.pause(0.3)
        assert probe.looks == at_rest
        await pilot.press("8")
        await until(pilot, lambda: probe.looks > at_rest + 2, "it looks again")


async def test_the_looking_is_done_in_another_thread(run: RunDir, probe: type[FakeProbe]) -> None:
    tell_iterations(run, 3)
    async with dashboard(run).run_test(size=WIDE) as pilot:
        await shown(pilot, 3)
        await opened(pilot)
    assert probe.threads
    assert threading.get_ident() not in probe.threads
