"""What reaches RLViser, through a module of its package's signature; and the package itself."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import RocketSim

from rlbot_agent.field import PAD_POSITIONS
from tests.patience import PATIENCE_S
from tests.trainer.watched import CONFIG
from trainer.rlviser import BINARY, RLViserError, load, render
from trainer.viewer_game import Game
from trainer.viewer_scene import scene


class Package(ModuleType):
    """As rlviser_py 0.6.14 describes itself."""

    def __init__(self) -> None:
        super().__init__("rlviser_py")
        self.said: list[Any] = []

    def set_boost_pad_locations(self, locations: list[tuple[float, float, float]]) -> None:
        self.said.append(locations)

    def render(
        self,
        tick_count: int,
        tick_rate: float,
        game_mode: RocketSim.GameMode,
        boost_pad_states: list[bool],
        ball: RocketSim.BallState,
        cars: list[Any],
    ) -> None:
        self.said.append((tick_count, tick_rate, game_mode, boost_pad_states, ball, cars))

    def quit(self) -> None:
        self.said.append("quit")


@pytest.fixture
def game() -> Game:
    game = Game(CONFIG, np.random.default_rng(0))
    game.kickoff()
    for _ in range(20):
        game.play(np.array([5, 80]))
    return game


def lines(game: Game) -> list[bytes]:
    return [json.dumps(scene(game.picture(0, False), game.simulator.state)).encode()]


def test_it_is_shown_what_the_simulator_holds(game: Game) -> None:
    package = Package()
    render(package, lines(game) * 2)
    pads, first, second, last = package.said
    assert [pad[:2] for pad in pads] == [tuple(place) for place in PAD_POSITIONS.tolist()]
    assert (first[0], second[0], last) == (0, 1, "quit")
    _, rate, mode, states, ball, cars = first
    assert (rate, mode, len(states)) == (120.0, RocketSim.GameMode.SOCCAR, 34)
    real = game.simulator.arenas[0].ball.get_state()
    assert ball.pos.as_tuple() == pytest.approx(real.pos.as_tuple(), abs=0.06)
    for (number, team, config, state), car in zip(cars, game.simulator.cars[0], strict=True):
        held = car.get_state()
        assert (number, team) == (car.id, car.team)
        assert config.hitbox_size.as_tuple() == car.get_config().hitbox_size.as_tuple()
        assert state.pos.as_tuple() == pytest.approx(held.pos.as_tuple(), abs=0.06)
        assert state.vel.as_tuple() == pytest.approx(held.vel.as_tuple(), abs=0.01)
        for axis in ("forward", "right", "up"):
            shown, is_there = (getattr(s.rot_mat, axis).as_tuple() for s in (state, held))
            assert shown == pytest.approx(is_there, abs=2e-3)
        assert state.boost == pytest.approx(held.boost, abs=0.1)
        assert state.is_on_ground == held.is_on_ground
        assert state.last_controls.boost == held.last_controls.boost


def test_big_pads_are_those_of_the_simulator(game: Game) -> None:
    package = Package()
    render(package, [])
    arena = game.simulator.arenas[0]
    real = {pad.get_pos().as_tuple()[:2]: pad.is_big for pad in arena.get_boost_pads()}
    assert {pad[:2]: pad[2] == 73.0 for pad in package.said[0]} == real


def test_a_package_that_refuses_is_a_sentence(game: Game) -> None:
    package = Package()
    package.render = lambda *_: (_ for _ in ()).throw(BaseException("panicked"))  # type: ignore[method-assign]
    with pytest.raises(RLViserError, match="RLViser stopped: BaseException: panicked"):
        render(package, lines(game))


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rlviser_py", None)
    with pytest.raises(RLViserError, match="needs the package rlviser-py"):
        load(tmp_path)
    monkeypatch.setitem(sys.modules, "rlviser_py", ModuleType("rlviser_py"))
    with pytest.raises(RLViserError, match="has no set_boost_pad_locations: take"):
        load(tmp_path)
    package = Package()
    monkeypatch.setitem(sys.modules, "rlviser_py", package)
    with pytest.raises(RLViserError, match=f"put the program {BINARY} into {tmp_path}"):
        load(tmp_path)
    (tmp_path / BINARY).touch()
    assert load(tmp_path) is package


def test_as_a_process_it_says_one_sentence_when_it_cannot(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "trainer.rlviser"]
    ended = subprocess.run(
        command,
        input=b"",
        capture_output=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(root)},
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stdout == b""
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith(b"RLViser ")


@pytest.mark.skipif(
    importlib.util.find_spec("rlviser_py") is None, reason="rlviser-py is not installed"
)
def test_the_real_package_takes_what_it_is_given(game: Game, tmp_path: Path) -> None:
    # A program that ends at once stands for RLViser, which has no screen here.
    (tmp_path / BINARY).write_text("#!/bin/sh\n")
    (tmp_path / BINARY).chmod(0o700)
    ended = subprocess.run(
        [sys.executable, "-m", "trainer.rlviser"],
        input=b"\n".join(lines(game) * 3) + b"\n",
        capture_output=True,
        cwd=tmp_path,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
