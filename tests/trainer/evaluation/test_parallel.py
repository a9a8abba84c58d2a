import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import psutil
import pytest

from tests.trainer.evaluation.players import CHASER, RANDOM, table_of, untrained
from tests.trainer.evaluation.runs import make_run
from trainer.checkpoint import CheckpointError
from trainer.evaluation import parallel
from trainer.evaluation.contestants import Contestant, EvaluationError
from trainer.evaluation.engine import Result, play
from trainer.evaluation.parallel import Ticket, load_again, play_batches
from trainer.evaluation.schedule import Batch, make_batches, pairings

TABLES = {"1v1": table_of(kickoffs=2, random=2)}


def assemble() -> list[Contestant]:
    return [untrained(0, sampled=True), untrained(1, sampled=False), RANDOM, CHASER]


def nobody_comes() -> list[Contestant]:
    raise CheckpointError("the disk was pulled out")


def dies() -> list[Contestant]:
    os._exit(9)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """Five, of 10 games or fewer, which last two seconds."""
    monkeypatch.setattr("trainer.evaluation.schedule.AT_ONCE", 10)
    return make_batches(pairings(4, 0, each_other=True), {"1v1": 4}, 30, 0)


def by_first(
    batches: Sequence[Batch], workers: int, again: parallel.Assemble = assemble
) -> dict[int, list[Result]]:
    playing = play_batches(batches, TABLES, assemble(), again, workers)
    return {batch.first: results for batch, results in playing}


def children() -> list[psutil.Process]:
    """That play: the interpreter keeps another one, which tracks resources."""
    found = psutil.Process().children()
    return [each for each in found if "resource_tracker" not in " ".join(each.cmdline())]


def test_the_results_of_three_processes_are_those_of_one_and_of_the_engine_itself(
    batches: list[Batch],
) -> None:
    here = by_first(batches, 1)
    assert here == {b.first: play(b.games, TABLES["1v1"], assemble()) for b in batches}
    assert list(here) == [0, 10, 20, 30, 40]
    assert len({repr(result) for results in here.values() for result in results}) > 40
    assert by_first(batches, 3) == here
    assert children() == []


def test_one_batch_or_none_starts_no_process(batches: list[Batch]) -> None:
    assert list(by_first(batches[:1], 8, dies)) == [0]
    assert by_first([], 8, dies) == {}


def test_whoever_stops_listening_ends_all_processes(batches: list[Batch]) -> None:
    playing = play_batches(batches, TABLES, assemble(), assemble, 2)
    next(playing)
    assert len(children()) == 2
    playing.close()  # type: ignore[attr-defined]
    assert children() == []


def test_what_fails_in_a_process_is_told_as_it_is(batches: list[Batch]) -> None:
    with pytest.raises(CheckpointError, match="the disk was pulled out"):
        by_first(batches, 2, nobody_comes)
    assert children() == []


def test_a_process_that_dies_is_told_of(batches: list[Batch]) -> None:
    with pytest.raises(EvaluationError, match="a process that played games died with exit code 9"):
        by_first(batches, 2, dies)
    assert children() == []


def test_everybody_is_found_again_or_refused_when_it_is_another_by_now(tmp_path: Path) -> None:
    run = make_run(tmp_path, 10)
    first = load_again([Ticket("random", "random", "")], sampled=False)
    assert [each.name for each in first] == ["random"]
    word = str(run.path)
    load = partial(load_again, sampled=False)
    with pytest.raises(EvaluationError, match=f"{word} changed while its games were prepared"):
        load([Ticket(word, "it", "another")])
