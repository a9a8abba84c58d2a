"""The viewer as the process that it is, and its clockwork."""

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch

from rlbot_agent.actions import NUM_ACTIONS
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import actor_bytes, contract_of
from trainer.config_file import write_config
from trainer.frames import Frame, from_line
from trainer.networks import ActorCritic
from trainer.run_dir import RunDir
from trainer.viewer import Schedule, Watcher, picture_times, watch
from trainer.viewer_game import Game

CONFIG = tiny_config("episodes.no_touch_s=0")


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    run = RunDir(tmp_path)
    write_config(run.config, CONFIG)
    return run


def publish(run: RunDir, likes: int = 0) -> None:
    """Random weights, or those that take action `likes` wherever they may."""
    model = ActorCritic(contract_of(CONFIG, 0).obs_width, NUM_ACTIONS, CONFIG.networks)
    with torch.no_grad():
        model.actor.layers[-1].bias[likes] += 1000.0 if likes else 0.0
    run.live_policy.write_bytes(actor_bytes(model))


class Viewer:
    """A running viewer, read by a thread so that waiting for it can time out."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._arrived: queue.Queue[tuple[float, Frame]] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if frame := from_line(line):
                self._arrived.put((time.monotonic(), frame))

    def until(self, wanted: Callable[[Frame], bool]) -> tuple[float, Frame]:
        """The first frame that is `wanted`, and when it arrived."""
        while True:
            arrived, frame = self._arrived.get(timeout=30)
            if wanted(frame):
                return arrived, frame

    def say(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()


@contextmanager
def viewer(run: RunDir, *arguments: str) -> Iterator[Viewer]:
    command = [sys.executable, "-m", "trainer.viewer", str(run.path), *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            yield Viewer(process)
        finally:
            process.kill()


def test_it_waits_for_a_policy_then_plays_in_real_time_and_ends_with_its_input(run: RunDir) -> None:
    with viewer(run) as watched:
        watched.until(lambda frame: "Waiting for the first policy" in frame.note)
        publish(run)
        began, first = watched.until(lambda frame: len(frame.cars) == 2)
        ended, last = watched.until(lambda frame: frame.time_s >= first.time_s + 2.0)
        # Two seconds of game are no less of the clock, but for the delay of the first line here.
        assert ended - began > 1.0
        assert ended - began < 10
        assert not last.deterministic
        watched.say(b"deterministic on\n")
        watched.until(lambda frame: frame.deterministic)
        watched.say(b"nonsense\ndeterministic off\n")
        watched.until(lambda frame: not frame.deterministic)
        watched.process.stdin.close()  # type: ignore[union-attr]
        asked = time.monotonic()
        assert watched.process.wait(10) == 0
        assert time.monotonic() - asked < 2
        assert watched.process.stderr.read() == b""  # type: ignore[union-attr]


def test_it_plays_at_the_asked_rate_and_way_from_the_first_frame_on(run: RunDir) -> None:
    publish(run)
    with viewer(run, "--deterministic", "--fps", "5") as watched:
        played = [watched.until(lambda frame: bool(frame.cars))[1] for _ in range(3)]
    assert [frame.time_s for frame in played] == pytest.approx([0.2, 0.4, 0.6], abs=0.01)
    assert all(frame.deterministic for frame in played)


def test_it_ends_quietly_when_nobody_reads_it(run: RunDir) -> None:
    publish(run)
    command = [sys.executable, "-m", "trainer.viewer", str(run.path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


class Silent(Watcher):
    """Says nothing, and goes when it is told to."""

    def __init__(self) -> None:
        self.deterministic = True
        self.gone = threading.Event()

    def show(self, frame: Frame) -> None:
        pass


def test_it_plays_by_the_masks_of_training(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    # Row 24 turns in the air. At the kickoff the cars stand, where it is masked; whatever they do
    # instead may be a jump, and then it is possible.
    publish(run, likes=24)
    watcher, game_play, played = Silent(), Game.play, []

    def play(game: Game, actions: np.ndarray) -> str:
        _, masks = game.see()
        assert masks[[0, 1], actions].all()
        played.append(actions.tolist())
        if len(played) == 5:
            watcher.gone.set()
        return game_play(game, actions)

    monkeypatch.setattr(Game, "play", play)
    watch(run, None, watcher)
    assert len(played) == 5
    assert 24 not in played[0]


def test_a_run_that_cannot_be_played_is_refused_in_one_sentence(run: RunDir) -> None:
    run.config.write_text("seed = -1\n")
    with viewer(run) as watched:
        assert watched.process.wait(20) == 1
        said = watched.process.stderr.read().decode()  # type: ignore[union-attr]
    assert said.startswith(f"{run.config}: seed = -1")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("earlier", "later", "fps", "ticks"),
    [
        (0, 8, 15, [8.0]),  # one picture a decision of 8 ticks
        (8, 16, 30, [12.0, 16.0]),
        (0, 8, 5, []),  # every 24 ticks
        (16, 24, 5, [24.0]),
        (24, 28, 60, [26.0, 28.0]),
    ],
)
def test_pictures_are_evenly_spaced_in_game_time(
    earlier: int, later: int, fps: int, ticks: list[float]
) -> None:
    assert list(picture_times(earlier, later, fps)) == ticks


def test_a_late_game_falls_behind_instead_of_hurrying() -> None:
    schedule = Schedule(threading.Event())
    time.sleep(0.6)  # later than the slack
    schedule.wait(0.1)
    resumed = time.monotonic()
    schedule.wait(0.3)
    assert time.monotonic() - resumed > 0.15


def test_nobody_sleeps_for_a_watcher_who_is_gone() -> None:
    gone = threading.Event()
    gone.set()
    began = time.monotonic()
    Schedule(gone).wait(60.0)
    assert time.monotonic() - began < 5
