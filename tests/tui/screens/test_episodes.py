from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import dashboard, record, shown, until
from tests.tui.story import tell_iterations
from trainer.config import RunConfig
from trainer.run_dir import RunDir
from tui.screens.episodes import EpisodesScreen, mode_rows

Compare = Callable[..., bool]
WIDE, TINY = (120, 40), (60, 16)
MODES = {
    "Game__1v1_episode_length_s": 30.0,
    "Game__1v1_touches_per_minute": 12.0,
    "Game__2v2_episode_length_s": 50.0,
    "Game__2v2_touches_per_minute": 8.0,
}


async def opened(pilot: Pilot[object]) -> None:
    await pilot.press("4")
    await until(pilot, lambda: isinstance(pilot.app.screen, EpisodesScreen), "the page is shown")
    await pilot.pause()


def after(iteration: int) -> Callable[[Pilot[object]], object]:
    async def ready(pilot: Pilot[object]) -> None:
        await shown(pilot, iteration)
        await opened(pilot)
        await until(pilot, lambda: pilot.app.screen.has_class("-played"), "numbers are shown")
        await pilot.pause()

    return ready


def config(*modes: str) -> RunConfig:
    return RunConfig.model_validate({"sim": {"modes": dict.fromkeys(modes or ("1v1",), 1.0)}})


def test_empty(snap_compare: Compare, run: RunDir) -> None:
    record(run)
    run.metrics.unlink()

    async def ready(pilot: Pilot[object]) -> None:
        await opened(pilot)
        await until(pilot, lambda: pilot.app.situation == "running", "the run is known")  # type: ignore[attr-defined]
        await pilot.pause()

    assert snap_compare(dashboard(run, config()), terminal_size=WIDE, run_before=ready)


@pytest.mark.parametrize(("count", "size"), [(1, WIDE), (48, WIDE), (48, TINY)])
def test_played(snap_compare: Compare, run: RunDir, count: int, size: tuple[int, int]) -> None:
    record(run)
    tell_iterations(run, count)
    assert snap_compare(dashboard(run, config()), terminal_size=size, run_before=after(count))


def test_several_modes(snap_compare: Compare, run: RunDir) -> None:
    record(run)
    tell_iterations(run, 48, **MODES)
    several = dashboard(run, config("1v1", "2v2"))
    assert snap_compare(several, terminal_size=WIDE, run_before=after(48))


def test_a_mode_has_rows_only_where_there_are_several() -> None:
    assert mode_rows(config("1v1")) == {}
    assert mode_rows(config("1v1", "2v2")) == {
        "Game/1v1_episode_length_s": "1v1 episode length, s",
        "Game/1v1_touches_per_minute": "1v1 touches a minute, each car",
        "Game/2v2_episode_length_s": "2v2 episode length, s",
        "Game/2v2_touches_per_minute": "2v2 touches a minute, each car",
    }
