from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.trainer.test_sim import BOOST, chase, make_sim
from trainer import sim_memory, sim_reading
from trainer.config import ResetsConfig
from trainer.resets import draw_starts, kickoff_starts
from trainer.sim import Simulator
from trainer.sim_memory import BALLS, CARS, Objects
from trainer.sim_reading import COMPARED_EVERY, Trial, try_memory

make_sim(1, (0, 1))  # RocketSim needs its meshes before it is asked for anything.
known = pytest.mark.skipif(
    try_memory() is Trial.UNKNOWN, reason="RocketSim's memory is known of one release on Linux only"
)


@pytest.fixture
def tried_anew() -> Iterator[None]:
    """What the test plants is tried, and forgotten after it."""
    try_memory.cache_clear()
    yield
    try_memory.cache_clear()


def playing(arenas: int, teams: tuple[int, ...], seed: int = 0) -> Simulator:
    sim = make_sim(arenas, teams, seed=seed)
    starts = draw_starts(arenas, teams, ResetsConfig(), np.random.default_rng(seed))
    sim.reset(np.arange(arenas), starts)
    return sim


def swapped(kind: Objects, column: int) -> Objects:
    """The same with the places of two neighbouring columns taken for each other."""
    cells = list(kind.cells)
    cells[column : column + 2] = cells[column + 1], cells[column]
    return kind._replace(cells=tuple(cells))


@known
def test_memory_says_what_the_interface_says_through_games_with_demolitions() -> None:
    sim = playing(6, (0, 0, 0, 1, 1, 1))
    rng, demolished, touched = np.random.default_rng(1), 0, 0
    for decision in range(200):
        if decision % 40 == 20:
            sim.cars[decision % 6][decision % 4].demolish()
        wild = rng.random((6, 6)) < 0.5
        sim.play(np.where(wild, rng.integers(0, 90, (6, 6)), chase(sim)))
        seen, told = sim._states.read(), sim._states.ask(range(6))
        np.testing.assert_array_equal(seen.balls, told.balls)
        np.testing.assert_array_equal(seen.cars, told.cars)
        sim.read(np.zeros((6, 6), np.int64))
        demolished += int((sim.state.demo_timer > 0).sum())
        touched += int(sim.events.touched.sum())
    assert demolished > 100
    assert touched > 5


def head_on(arenas: int) -> Simulator:
    """The first car of each arena demolishes the second, after some ten ticks."""
    sim = make_sim(arenas, (0, 1))
    starts = kickoff_starts(arenas, (0, 1), np.random.default_rng(0))
    starts.ball_position[:, 0] = 2000
    starts.car_position[:] = [[0, -500, 17], [0, 0, 17]]
    starts.car_velocity[:, 0, 1] = 2300
    starts.car_rotation[:] = 0
    starts.car_rotation[:, 0, 1] = np.pi / 2
    starts.car_rotation[:, 1, 1] = np.arange(arenas)
    sim.reset(np.arange(arenas), starts)
    return sim


@known
@pytest.mark.parametrize(
    ("begin", "demolished"), [(lambda: playing(4, (0, 1)), 0), (lambda: head_on(4), 4)]
)
def test_a_game_is_the_same_however_it_is_read(
    begin: Callable[[], Simulator], demolished: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = begin()
    monkeypatch.setattr(sim_reading, "try_memory", lambda: Trial.UNKNOWN)
    slow = begin()
    assert (quick._states._memory is None, slow._states._memory is None) == (False, True)
    rng, demos, back = np.random.default_rng(3), 0, 0
    for decision in range(120):
        down = quick.state.demo_timer > 0
        actions = np.full((4, 2), BOOST) if decision < 5 else rng.integers(0, 90, (4, 2))
        for sim in (quick, slow):
            sim.step(actions)
        assert quick.state.raw.tobytes() == slow.state.raw.tobytes()
        demos += int(quick.events.demos.sum())
        back += int((down & (quick.state.demo_timer == 0)).sum())
    # RocketSim's interface refreshes what it knows of a car whenever it is asked, and shows that of
    # a demolished one for three seconds: who asks less often must not see an older place of it.
    assert demos == back == demolished


@known
def test_a_number_that_is_none_is_read_as_such() -> None:
    sim = playing(2, (0, 1))
    state = sim.arenas[1].ball.get_state()
    state.vel.x = float("nan")
    sim.arenas[1].ball.set_state(state)
    assert np.isnan(sim._states.read().balls[:, 3]).tolist() == [False, True]


@known
@pytest.mark.usefixtures("tried_anew")
@pytest.mark.parametrize(
    ("name", "column"),
    [
        (name, column)
        for name, kind in (("CARS", CARS), ("BALLS", BALLS))
        for column in range(len(kind.cells) - 1)
    ],
)
def test_what_is_laid_out_otherwise_is_not_read_from_memory(
    name: str, column: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sim_reading, name, swapped(getattr(sim_reading, name), column))
    assert try_memory() is Trial.DIFFERS


@known
@pytest.mark.usefixtures("tried_anew")
def test_a_layout_that_should_be_known_and_is_not_is_told_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sim_reading, "CARS", swapped(CARS, 0))
    sim = playing(1, (0, 1))
    assert sim._states._memory is None
    assert [warning for warning in sim.warnings if "read through its interface" in warning]


@pytest.mark.usefixtures("tried_anew")
@pytest.mark.parametrize(
    ("what", "value"), [("platform", "win32"), ("machine", "aarch64"), ("version", "2.2.2")]
)
def test_elsewhere_memory_is_left_alone(
    what: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, name = {
        "platform": (sim_memory.sys, "platform"),
        "machine": (sim_memory.platform, "machine"),
        "version": (sim_memory, "version"),
    }[what]
    monkeypatch.setattr(where, name, value if what == "platform" else lambda *_: value)
    assert try_memory() is Trial.UNKNOWN
    assert playing(1, (0, 1)).warnings == []


@known
def test_another_python_object_or_an_address_that_leads_nowhere_is_left_alone() -> None:
    sim = make_sim(1, (0, 1))
    assert sim_memory.is_known(sim.cars[0], CARS)
    assert not sim_memory.is_known(sim.cars[0], CARS._replace(header=424))
    # The reference count and the type of a Python object are no address of a car, and neither is 0.
    for wrong in (0, 16):
        assert not sim_memory.is_known(sim.cars[0], CARS._replace(pointer=wrong))


@known
@pytest.mark.usefixtures("tried_anew")
@pytest.mark.parametrize("content", [None, b""])
def test_memory_that_nobody_can_look_up_is_left_alone(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = tmp_path / "maps"
    if content is not None:
        maps.write_bytes(content)
    monkeypatch.setattr(sim_memory, "MAPS", maps)
    assert try_memory() is Trial.UNKNOWN


@known
def test_files_in_memory_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sim = make_sim(1, (0, 1))
    maps, named = (
        tmp_path / "maps",
        b"10-20 r--p 00000000 00:00 7 /home/m\xfcller/\xe2\x80\xa8\r.so\n",
    )
    maps.write_bytes(named + sim_memory.MAPS.read_bytes())
    monkeypatch.setattr(sim_memory, "MAPS", maps)
    assert sim_memory.is_known(sim.cars[0], CARS)


@known
@pytest.mark.parametrize(
    ("part", "column", "words"),
    [
        ("cars", 15, "car 0's boost is 34.5, and 33.5 by its interface"),
        ("balls", 5, "the ball's vel.z is 3.0, and 2.0 by its interface"),
    ],
)
def test_a_misreading_ends_the_run_before_long_and_says_where_it_was(
    part: str, column: int, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = playing(3, (0, 1))
    memory = sim._states._memory
    assert memory is not None
    right = getattr(memory, part)

    class Shifted:
        def read(self) -> np.ndarray:
            values = right.read()
            values[:, column] += 1
            return values

    monkeypatch.setattr(sim._states, "_memory", memory._replace(**{part: Shifted()}))
    for _ in range(COMPARED_EVERY - 1):
        sim.step(np.zeros((3, 2), np.int64))
    sim.play(np.zeros((3, 2), np.int64))
    ball, car = sim.arenas[1].ball.get_state(), sim.cars[1][0].get_state()
    ball.vel.z, car.boost = 2, 33.5
    sim.arenas[1].ball.set_state(ball)
    sim.cars[1][0].set_state(car)
    with pytest.raises(RuntimeError, match=f"^RocketSim's memory was misread: in .* 1, {words}$"):
        sim.read(np.zeros((3, 2), np.int64))
