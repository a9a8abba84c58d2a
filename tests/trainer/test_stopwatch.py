import itertools

import pytest

from trainer.stopwatch import PHASES, UPDATE_PHASES, Stopwatch


def test_every_moment_belongs_to_the_phase_that_ends_it() -> None:
    times = iter([0.0, 10.0, 11.0, 13.0, 13.5, 100.0, 101.0])
    watch = Stopwatch(lambda: next(times))
    watch.start()
    for phase in ("physics", "state", "physics"):
        watch.lap(phase)
    found = watch.cut()
    assert list(found) == list(PHASES)
    assert (found["physics"], found["state"], found["rewards"]) == (1.5, 2.0, 0.0)
    watch.start()
    watch.lap("rewards")
    assert watch.cut()["rewards"] == 1.0


def test_an_unknown_phase_is_refused() -> None:
    with pytest.raises(KeyError):
        Stopwatch().lap("tea")


def test_what_was_cut_is_not_counted_again() -> None:
    ticks = itertools.count()
    watch = Stopwatch(lambda: float(next(ticks)))
    watch.lap("state")
    assert watch.cut()["state"] == 1
    assert watch.cut()["state"] == 0


def test_an_update_has_phases_of_its_own() -> None:
    watch = Stopwatch(lambda: 0.0, UPDATE_PHASES)
    watch.lap("steps")
    assert list(watch.cut()) == list(UPDATE_PHASES)
    with pytest.raises(KeyError):
        watch.lap("physics")
