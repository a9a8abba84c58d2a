from pathlib import Path

import pytest

from tui.quitting import PATIENCE_S
from tui.rolling_back import RollingBack, promise
from tui.run_reader import Situation


def rolling_back() -> RollingBack:
    run = Path("runs/1v1")
    return RollingBack(run, run / "checkpoints" / "000000005000000", Path("runs/1v1-from-5.00M"))


def test_the_new_run_is_made_first_and_once_while_the_old_one_trains_on() -> None:
    back = rolling_back()
    assert back.orders("running", 0.0) == ["branch"]
    assert back.orders("running", 99.0) == []
    assert back.stage == "branching"


def test_a_refused_branch_stops_nothing() -> None:
    back = rolling_back()
    back.orders("running", 0.0)
    back.refused("runs/1v1-from-5.00M exists already")
    assert back.orders("running", 1.0) == []
    assert back.orders("stopped", 2.0) == []
    assert (back.stage, back.words) == ("over", "runs/1v1-from-5.00M exists already")


def test_once_branched_the_old_run_is_asked_once_to_finish_its_iteration() -> None:
    back = rolling_back()
    back.orders("running", 0.0)
    back.branched(1.0)
    assert back.orders("running", 1.0) == ["send"]
    assert back.orders("running", 500.0) == []
    assert back.words == "Stopping 1v1, which saves first…"


@pytest.mark.parametrize("end", ["stopped", "died"])
def test_the_new_run_starts_once_when_the_old_one_is_gone(end: Situation) -> None:
    back = rolling_back()
    back.orders("running", 0.0)
    back.branched(1.0)
    back.orders("running", 1.0)
    assert back.orders(end, 2.0) == ["launch"]
    assert back.orders(end, 3.0) == []
    assert (back.stage, back.words) == ("over", "Goes on as 1v1-from-5.00M.")


def test_a_run_that_was_over_before_is_asked_nothing() -> None:
    back = rolling_back()
    assert back.orders("stopped", 0.0) == ["branch"]
    back.branched(1.0)
    assert back.orders("stopped", 1.0) == ["launch"]


def test_a_trainer_that_starts_is_waited_for() -> None:
    back = rolling_back()
    back.orders("starting", 0.0)
    back.branched(1.0)
    assert back.orders("starting", 1.0) == []
    assert back.orders("running", 5.0) == ["send"]


def test_giving_up_while_it_stops_asks_nothing_anew_and_insisting_still_signals() -> None:
    back = rolling_back()
    back.orders("running", 0.0)
    back.branched(1.0)
    assert back.orders("running", 1.0) == ["send"]
    quitting = back.give_up(2.0)
    assert back.orders("stopped", 3.0) == []
    assert quitting.orders("running", 3.0) == []
    quitting.ask(4.0)
    assert quitting.orders("running", 4.0) == ["send"]
    assert quitting.orders("running", 4.0 + PATIENCE_S) == ["interrupt"]


def test_giving_up_while_the_branch_is_made_stops_the_run_and_goes_nowhere() -> None:
    back = rolling_back()
    back.orders("running", 0.0)
    quitting = back.give_up(1.0)
    back.branched(2.0)
    assert back.orders("stopped", 3.0) == []
    assert quitting.orders("running", 3.0) == ["send"]
    assert back.words == "1v1-from-5.00M is not gone on with."


@pytest.mark.parametrize(
    ("trains", "words"),
    [
        (
            True,
            "Stops 1v1 after its iteration (saved), then goes on from 5.00M steps as a new run "
            "1v1-from-5.00M; 1v1 stays as it is.",
        ),
        (False, "Goes on from 5.00M steps as a new run 1v1-from-5.00M; 1v1 stays as it is."),
    ],
)
def test_the_promise_says_exactly_what_will_happen(trains: bool, words: str) -> None:
    assert promise("1v1", 5_000_000, "1v1-from-5.00M", trains=trains) == words
