import numpy as np
import pytest

from trainer.bench_limit import Alone, Load, at_once, in_turn, limit_sps, together


def ms(wall: float, cores: float = 0.0) -> Load:
    """A load in milliseconds; without cores, on a GPU."""
    return Load(wall / 1000, cores / 1000)


def limit(alone: Alone, *, hides: bool = False, overlaps: bool = False, cores: int = 2) -> float:
    return limit_sps(alone, hides=hides, overlaps=overlaps, cores=cores)


def test_what_goes_on_in_turn_adds_up() -> None:
    alone = Alone(physics=ms(2, 4), inference=ms(1, 2), update=ms(5, 10))
    assert limit(alone) == pytest.approx(1000 / 8)
    assert in_turn(ms(2, 4), ms(1, 2)) == pytest.approx(ms(3, 6))


@pytest.mark.parametrize(
    ("physics", "inference", "collecting"),
    [(2.5, 2.0, 2.5), (2.5, 5.0, 5.0)],
)
def test_a_gpu_decides_for_one_group_while_the_other_plays(
    physics: float, inference: float, collecting: float
) -> None:
    alone = Alone(ms(physics, 2 * physics), ms(inference), update=ms(0))
    assert limit(alone, hides=True) == pytest.approx(1000 / collecting)
    # One worker is one group, which waits.
    assert limit(alone) == pytest.approx(1000 / (physics + inference))


def test_who_decides_on_a_core_takes_it_from_who_plays() -> None:
    alone = Alone(physics=ms(2, 4), inference=ms(1, 1), update=ms(0))
    # Two cores have 4 + 1 ms to do, which is 2.5 for each; eight have room.
    assert limit(alone, hides=True, cores=2) == pytest.approx(1000 / 2.5)
    assert limit(alone, hides=True, cores=8) == pytest.approx(1000 / 2)


def test_a_gpu_learns_while_cores_play() -> None:
    alone = Alone(physics=ms(2, 4), inference=ms(1, 2), update=ms(4))
    assert limit(alone, overlaps=True) == pytest.approx(1000 / 4)
    assert limit(alone._replace(update=ms(1)), overlaps=True) == pytest.approx(1000 / 3)
    # Deciding there as well, it may do so beside the update: only the longest counts.
    centrally = Alone(physics=ms(2, 4), inference=ms(1), update=ms(1.5))
    assert limit(centrally, hides=True, overlaps=True) == pytest.approx(1000 / 2)


def test_on_the_same_cores_playing_and_learning_still_add_up() -> None:
    alone = Alone(physics=ms(2, 4), inference=ms(1, 2), update=ms(4, 8))
    assert limit(alone, overlaps=True, cores=2) == pytest.approx(1000 / 7)
    assert limit(alone, overlaps=True, cores=2) == pytest.approx(limit(alone, cores=2))


def test_cores_that_one_of_them_leaves_idle_are_the_others() -> None:
    # Two workers on 16 cores, all of which learn: 6 + 64 ms of them are 4.375 each.
    alone = Alone(physics=ms(2, 4), inference=ms(1, 2), update=ms(4, 64))
    assert limit(alone, overlaps=True, cores=16) == pytest.approx(1000 / 4.375)
    # An update that keeps only three quarters of two cores busy: 6 + 6 ms are 6 each, not 7.
    lazy = alone._replace(update=ms(4, 6))
    assert limit(lazy, overlaps=True, cores=2) == pytest.approx(1000 / 6)
    assert at_once(2, ms(3, 6), ms(4, 6)) == pytest.approx(ms(6, 12))


def test_processes_beside_each_other_are_as_fast_as_all_of_them() -> None:
    # 100 and 300 steps a second are 400; the faster one, on whose steps less was computed, has
    # three quarters of them: 0.25 · 10 + 0.75 · 2 ms.
    assert together([ms(10, 10), ms(10 / 3, 2)]) == pytest.approx(ms(2.5, 4))


def played_sps(physics_s: float, decision_s: float, rows: int) -> float:
    """Rows a second of two groups of one agent each, event by event.

    Each group's physics has its own core; one decides, whoever asked first.
    """
    asks, free = [physics_s, physics_s], 0.0
    for turn in range(2 * rows):
        group = turn % 2
        free = max(free, asks[group]) + decision_s
        asks[group] = free + physics_s
    return 2 * rows / free


def test_no_two_groups_pass_the_limit_and_those_that_hide_one_under_the_other_reach_it() -> None:
    rng = np.random.default_rng(0)
    for physics_s, decision_s in rng.uniform(0.001, 0.01, size=(200, 2)):
        # Both play at once in the time of one, but are decided one after the other.
        alone = Alone(Load(physics_s / 2, physics_s), Load(decision_s, 0.0), Load(0.0, 0.0))
        most, found = limit(alone, hides=True), played_sps(physics_s, decision_s, rows=500)
        assert found <= most * (1 + 1e-9)
        if physics_s <= decision_s:
            assert found == pytest.approx(most, rel=0.01)
        assert found > limit(alone)
