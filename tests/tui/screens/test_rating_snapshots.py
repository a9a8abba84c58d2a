"""Pictures of the page of ratings, in states a user can name."""

from collections.abc import Callable

import pytest

from tests.tui.conftest import dashboard, record, restate
from tests.tui.rated import SOME, play_ladder, rate, version
from tests.tui.screens.pages import Opened
from tests.tui.screens.test_place_snapshots import SIZES, picture
from trainer.run_dir import RunDir
from tui.widgets.keyed_table import KeyedTable

Compare = Callable[..., bool]


def lines(table: str, number: int) -> Callable[[Opened], bool]:
    return lambda page: page.page.query_one(table, KeyedTable).row_count == number


@pytest.mark.parametrize("size", SIZES)
def test_nobody_is_rated_yet(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    said = picture("0", lambda page: "The first version" in page.text("#ratings-note"))
    assert snap_compare(dashboard(run), terminal_size=size, run_before=said)


@pytest.mark.parametrize("size", SIZES)
def test_versions_are_rated(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    restate(run, steps=21_000_000)
    rate(run, *SOME)
    assert snap_compare(
        dashboard(run), terminal_size=size, run_before=picture("0", lines("#ratings", 6))
    )


@pytest.mark.parametrize("size", [*SIZES, (100, 28)])
def test_a_ladder_is_there(snap_compare: Compare, run: RunDir, size: tuple[int, int]) -> None:
    record(run)
    rate(run, *SOME, m2v2=(version(5_000_000, -80.0, None),))
    play_ladder(run)
    chosen = picture("0", lines("#ladder", 3), "tab", "right", "right", "right")
    assert snap_compare(dashboard(run), terminal_size=size, run_before=chosen)
