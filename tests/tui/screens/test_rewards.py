from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.tui.conftest import dashboard, record, shown, until
from tests.tui.story import tell_iterations
from trainer.config import RunConfig
from trainer.run_dir import RunDir
from tui.screens.rewards import RewardsScreen, RewardTable

Compare = Callable[..., bool]
WIDE, TINY = (120, 40), (60, 16)


def config(**health: float) -> RunConfig:
    return RunConfig.model_validate({"rewards": {"custom": {"mine:still": 0.5}}, "health": health})


def opened(iteration: int) -> Callable[[Pilot[object]], object]:
    """Waits for `iteration`, then shows the page."""

    async def ready(pilot: Pilot[object]) -> None:
        await shown(pilot, iteration)
        await pilot.press("3")
        await until(pilot, lambda: isinstance(pilot.app.screen, RewardsScreen), "the page is shown")
        await until(pilot, lambda: pilot.app.screen.has_class("-paid"), "rewards are shown")
        await pilot.pause()

    return ready


def test_empty(snap_compare: Compare, run: RunDir) -> None:
    record(run)
    run.metrics.unlink()

    async def ready(pilot: Pilot[object]) -> None:
        await pilot.press("3")
        await until(pilot, lambda: isinstance(pilot.app.screen, RewardsScreen), "the page is shown")
        await until(pilot, lambda: pilot.app.situation == "running", "the run is known")  # type: ignore[attr-defined]
        await pilot.pause()

    assert snap_compare(dashboard(run, config()), terminal_size=WIDE, run_before=ready)


@pytest.mark.parametrize(("count", "size"), [(1, WIDE), (48, WIDE), (48, TINY)])
def test_paid(snap_compare: Compare, run: RunDir, count: int, size: tuple[int, int]) -> None:
    record(run)
    tell_iterations(run, count)
    assert snap_compare(dashboard(run, config()), terminal_size=size, run_before=opened(count))


def test_one_reward_dominates(snap_compare: Compare, run: RunDir) -> None:
    record(run)
    tell_iterations(run, 48)
    loud = dashboard(run, config(reward_share=0.5))
    assert snap_compare(loud, terminal_size=WIDE, run_before=opened(48))


async def test_a_newer_iteration_is_drawn_and_the_cursor_stays(run: RunDir) -> None:
    record(run)
    tell_iterations(run, 5)
    app = dashboard(run, config())
    async with app.run_test(size=WIDE) as pilot:
        await opened(5)(pilot)  # type: ignore[misc]
        table = app.screen.query_one(RewardTable)
        await pilot.press("down", "down")
        assert table.cursor_row == 2
        before = str(table.get_row_at(2)[0])
        tell_iterations(run, 9, **{"Reward__face_ball_share": 0.9})
        await until(
            pilot, lambda: "face_ball" in str(table.get_row_at(0)[0]), "the new shares are drawn"
        )
        assert str(table.get_row_at(0)[0]) == "! face_ball"
        assert table.cursor_row == 2
        assert before != "face_ball"


async def test_nothing_is_drawn_anew_while_nothing_changes(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(run)
    tell_iterations(run, 5)
    app = dashboard(run, config())
    async with app.run_test(size=WIDE) as pilot:
        await opened(5)(pilot)  # type: ignore[misc]
        screen = app.screen
        assert isinstance(screen, RewardsScreen)
        cleared: list[object] = []
        monkeypatch.setattr(RewardTable, "clear", lambda self, **how: cleared.append(self))
        assert screen.known
        screen.show(screen.known)
        assert cleared == []
