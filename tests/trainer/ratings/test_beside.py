"""A stand-in for the rater: what a trainer does is the same, and it begins at once."""

import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.trainer.ratings.versions import add_version, make_versions
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import checkpoint_steps, texts, train_tiny
from trainer import jsonl
from trainer.config_league import RatingsConfig
from trainer.ratings import beside
from trainer.ratings.beside import RatingsBeside
from trainer.ratings.table import Rated, Ratings, write_ratings
from trainer.run_dir import RunDir

OFF = RatingsConfig(enabled=False)


def rated(steps: int, rating: float, sigma: float | None = 30.0) -> Rated:
    return Rated(f"{steps:,}", "version", steps, rating, sigma, 40, 30, 10)


def publish(run: RunDir, **modes: tuple[Rated, ...]) -> None:
    run.path.mkdir(exist_ok=True)
    named = {mode.removeprefix("_"): found for mode, found in modes.items()}
    write_ratings(run.ratings, Ratings("bradley_terry", 30, 0.0, named))
    time.sleep(0.02)  # the clock of a file is coarse


@pytest.fixture
def warned() -> list[str]:
    return []


@pytest.fixture
def start(
    monkeypatch: pytest.MonkeyPatch, warned: list[str]
) -> Iterator[Callable[[RunDir, str], RatingsBeside]]:
    """Begins beside a rater that does as a line of Python says."""
    begun: list[RatingsBeside] = []

    def begin(run: RunDir, code: str) -> RatingsBeside:
        monkeypatch.setattr(beside, "TRAINER", (sys.executable, "-c", code))
        begun.append(RatingsBeside(run, RatingsConfig(), warned.append))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert true()


def test_a_version_is_news_once_and_its_metrics_are_there_from_then_on(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    found = RatingsBeside(run, OFF, lambda words: None)
    assert (found.news(), found.metrics) == ([], {})
    publish(run, _1v1=(rated(5_000_000, 412.4),))
    assert found.news() == ["version 5,000,000: 1v1 412 ± 60 after 80 games"]
    assert found.news() == []
    newest = {"Rating/1v1": 412.4, "Rating/1v1_sigma": 30.0, "Rating/1v1_games": 80.0}
    assert found.metrics == newest
    # The first one has moved, which is no news; another mode is.
    publish(run, _1v1=(rated(5, 500.0), rated(5_000_000, 400.0)), _2v2=(rated(5, 1.0, None),))
    assert found.news() == [
        "version 5: 1v1 500 ± 60 after 80 games",
        "version 5: 2v2 1 after 80 games",
    ]
    assert found.metrics["Rating/1v1"] == 400.0
    assert math.isnan(found.metrics["Rating/2v2_sigma"])


def test_what_was_rated_in_an_earlier_session_is_no_news_but_measured(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    publish(run, _1v1=(rated(5, 1.0),))
    found = RatingsBeside(run, OFF, lambda words: None)
    assert found.news() == []
    assert found.metrics["Rating/1v1"] == 1.0


def test_what_was_rated_beyond_the_start_of_a_session_is_no_more_measured(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    publish(run, _1v1=(rated(5, 1.0), rated(9, 2.0)))
    found = RatingsBeside(run, OFF, lambda words: None)
    found.begin(5)
    assert (found.news(), found.metrics["Rating/1v1"]) == ([], 1.0)
    publish(run, _1v1=(rated(5, 1.0), rated(9, 3.0)))
    assert found.news() == ["version 9: 1v1 3 ± 60 after 80 games"]


def test_an_anchor_that_is_missing_is_a_warning_when_a_session_begins(tmp_path: Path) -> None:
    warned: list[str] = []
    terms = RatingsConfig(anchors={"random": 0.0, "bundles/none": 5.0})
    RatingsBeside(RunDir(tmp_path), terms, warned.append).begin(0)
    assert len(warned) == 1
    assert warned[0].startswith("nobody plays the anchor bundles/none: there is no ")


def test_a_file_that_cannot_be_read_changes_nothing(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    publish(run, _1v1=(rated(5, 1.0),))
    found = RatingsBeside(run, OFF, lambda words: None)
    run.ratings.write_text("{")
    assert found.news() == []
    assert found.metrics["Rating/1v1"] == 1.0


def test_the_rater_begins_with_the_first_version_and_ends_when_it_is_closed(
    tmp_path: Path, start: Callable[[RunDir, str], RatingsBeside], warned: list[str]
) -> None:
    run = RunDir(tmp_path)
    found = start(run, "import sys, time; print(sys.argv, flush=True); time.sleep(600)")
    found.news()
    assert not run.rater_log.exists()
    make_versions(tmp_path, 10)
    found.news()
    until(lambda: run.rater_log.read_text().endswith("\n"))
    assert run.rater_log.read_text().strip() == str(["-c", "rate", str(tmp_path), "--follow"])
    begun = time.monotonic()
    found.close()
    assert time.monotonic() - begun < 5
    assert warned == []


def test_a_rater_that_ends_by_itself_is_one_warning_until_another_version_starts_it_again(
    tmp_path: Path, start: Callable[[RunDir, str], RatingsBeside], warned: list[str]
) -> None:
    run = make_versions(tmp_path, 10)
    found = start(run, "import sys; sys.exit('it broke')")

    def is_told() -> bool:
        found.news()
        return bool(warned)

    until(is_told)
    found.news()
    assert warned == [
        "the rater ended by itself (exit code 1), see rater.log; the next version starts it again"
    ]
    assert run.rater_log.read_text().count("it broke") == 1
    warned.clear()
    add_version(run, tiny_config(), 20)
    until(is_told)
    assert run.rater_log.read_text().count("it broke") == 2


def test_a_rater_that_cannot_be_started_is_one_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warned: list[str]
) -> None:
    run = make_versions(tmp_path, 10)
    monkeypatch.setattr(beside, "TRAINER", (str(tmp_path / "none"),))
    found = RatingsBeside(run, RatingsConfig(), warned.append)
    found.news()
    found.news()
    assert len(warned) == 1
    assert warned[0].startswith("the rater could not be started: ")


def test_no_rater_begins_where_the_run_wants_none(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10)
    RatingsBeside(run, OFF, lambda words: None).news()
    assert not run.rater_log.exists()


def test_a_run_that_trains_tells_its_ratings_and_measures_them(tmp_path: Path) -> None:
    run = RunDir(tmp_path)

    def publish_after_the_first(line: str) -> None:
        if line.startswith("iteration 1 "):
            publish(run, _1v1=(rated(5, 7.0),))

    train_tiny(run, iterations=2, say=publish_after_the_first)
    assert texts(run, "rating") == ["version 5: 1v1 7 ± 60 after 80 games"]
    first, second = jsonl.read_all(run.metrics)
    assert "Rating/1v1" not in first
    assert second["Rating/1v1"] == 7.0


def test_a_resumed_run_measures_no_rating_of_the_line_that_it_left(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    train_tiny(run, iterations=1)
    (steps,) = checkpoint_steps(run)
    publish(run, _1v1=(rated(steps, 7.0), rated(steps + 1, 99.0)))
    train_tiny(run, iterations=1)
    assert jsonl.read_all(run.metrics)[-1]["Rating/1v1"] == 7.0
