from collections.abc import Callable

import pytest

from tests.trainer.tiny import tiny_config
from trainer.tuning import (
    Layout,
    Try,
    choose,
    choose_chunk,
    chunks_of,
    search,
    with_layout,
    worker_counts,
)

Speed = Callable[[Layout], float]


class Machine:
    """Measures by a formula, and notes what it was asked."""

    def __init__(self, speed: Speed, most_arenas: int = 100_000) -> None:
        self.speed, self.most = speed, most_arenas
        self.told: list[Layout] = []

    def find(self, first: Layout, cores: int) -> dict[Layout, Try]:
        def possible(layout: Layout) -> bool:
            return layout.arenas <= self.most

        def duel(one: Layout, other: Layout) -> tuple[float, float]:
            return self.speed(one), self.speed(other)

        return search(first, cores, possible, duel, lambda layout, found: self.told.append(layout))


def peak_at(best: int) -> Speed:
    """Each worker adds as much; a worker is slower by a tenth for each doubling from `best`."""

    def speed(layout: Layout) -> float:
        each = layout.arenas // layout.workers
        doublings = abs(each.bit_length() - best.bit_length())
        return 1000.0 * layout.workers * 0.9**doublings

    return speed


def test_workers_are_all_cores_all_but_one_half_and_one() -> None:
    assert worker_counts(24) == [24, 23, 12, 1]
    assert worker_counts(2) == [2, 1]
    assert worker_counts(1) == [1]


def test_arenas_are_added_while_that_pays() -> None:
    machine = Machine(peak_at(256))
    tries = machine.find(Layout(2, 128), 2)
    # One worker less, then upward: each doubling pays, and there is nothing beyond 256 each.
    assert machine.told == [Layout(2, 128), Layout(1, 64), Layout(2, 256), Layout(2, 512)]
    assert choose(tries) == Layout(2, 512)
    assert tries[Layout(2, 512)].speed == pytest.approx(1 / 0.9**2)
    assert tries[Layout(1, 64)] == Try(810.0, 0.5)


def test_arenas_are_taken_away_only_when_more_do_not_pay() -> None:
    machine = Machine(peak_at(16))
    tries = machine.find(Layout(4, 256), 4)
    asked = [layout for layout in machine.told if layout.workers == 4]
    # 64 each, then more, which is slower, then fewer and fewer.
    assert asked == [Layout(4, count) for count in (256, 512, 128, 64)]
    assert choose(tries) == Layout(4, 64)


def test_what_is_there_already_is_measured_and_kept_when_it_is_the_fastest() -> None:
    machine = Machine(lambda layout: 100.0 if layout == Layout(3, 100) else 50.0)
    tries = machine.find(Layout(3, 100), 4)
    assert choose(tries) == Layout(3, 100)
    assert tries[Layout(3, 100)] == Try(100.0, 1.0)
    assert max(found.speed for layout, found in tries.items() if layout != Layout(3, 100)) == 0.5


def test_what_is_not_possible_is_never_measured() -> None:
    machine = Machine(peak_at(256), most_arenas=100)
    tries = machine.find(Layout(1, 50), 2)
    assert max(layout.arenas for layout in tries) <= 100
    # Two workers of 64 are too many, so two of 32 are where they begin, and end.
    assert choose(tries) == Layout(2, 64)
    assert Machine(peak_at(64), most_arenas=10).find(Layout(1, 5), 2) == {}


def test_a_machine_that_slows_down_meanwhile_does_not_change_the_choice() -> None:
    patience = iter(0.8**turn for turn in range(100))
    true = peak_at(64)

    def possible(layout: Layout) -> bool:
        return True

    def duel(one: Layout, other: Layout) -> tuple[float, float]:
        share = next(patience)
        return share * true(one), share * true(other)

    tries = search(Layout(2, 32), 2, possible, duel, lambda layout, found: None)
    # By the steps a second alone the first measured would have won.
    assert tries[Layout(2, 32)].sps > tries[Layout(2, 64)].sps
    assert choose(tries) == Layout(2, 128)


def test_of_those_that_are_as_good_as_the_fastest_the_smallest_is_taken() -> None:
    speeds = {Layout(2, 64): 0.96, Layout(2, 128): 0.975, Layout(1, 128): 0.98, Layout(2, 256): 1.0}
    assert choose({layout: Try(0, speed) for layout, speed in speeds.items()}) == Layout(1, 128)
    assert choose_chunk({1024: 90.0, 2048: 98.0, 4096: 100.0, 8192: 99.0}) == 2048


@pytest.mark.parametrize(
    ("batch", "own", "sizes"),
    [
        (2_500, 2_500, [1024, 2048, 2500]),
        # 16,384 rows of 10,000 would be what 10,000 are; 4,096 and 4,000 both cut them in three.
        (10_000, 4_000, [1024, 2048, 4000, 8192]),
        (500, 500, [500]),
        (50_000, 50_000, [1024, 2048, 4096, 8192, 16384, 50_000]),
    ],
)
def test_chunks_cut_a_batch_in_different_ways(batch: int, own: int, sizes: list[int]) -> None:
    assert list(chunks_of(batch, own)) == sizes


def test_a_layout_that_the_config_cannot_have_is_refused() -> None:
    config = tiny_config("sim.modes.1v1=1", "sim.modes.2v2=1")
    assert with_layout(config, Layout(2, 4)).sim.agents == 2 * 2 + 2 * 4
    with pytest.raises(ValueError, match="arenas"):
        with_layout(config, Layout(1, 1))
