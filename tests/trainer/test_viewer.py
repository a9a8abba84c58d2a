"""The viewer as the process that it is."""

import json
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from tests.patience import PATIENCE_S
from tests.trainer.tiny import write_tiny
from tests.trainer.watched import publish, run_in, save_checkpoint
from trainer import jsonl
from trainer.frames import Frame, from_line
from trainer.replay import read_replay
from trainer.run_dir import RunDir, read_status
from trainer.viewer import watch
from trainer.viewer_game import Game
from trainer.viewer_wishes import Wishes

OLD = "000000000000100"


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return run_in(tmp_path)


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
            arrived, frame = self._arrived.get(timeout=PATIENCE_S)
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
        publish(run, action=0)
        began, first = watched.until(lambda frame: len(frame.cars) == 2)
        ended, last = watched.until(lambda frame: frame.time_s >= first.time_s + 2.0)
        # Two seconds of game are no less of the clock, but for the delay of the first line here.
        assert ended - began > 1.0
        assert not last.deterministic
        watched.say(b"deterministic on\n")
        watched.until(lambda frame: frame.deterministic)
        watched.say(b"nonsense\ndeterministic off\n")
        watched.until(lambda frame: not frame.deterministic)
        watched.process.stdin.close()  # type: ignore[union-attr]
        assert watched.process.wait(PATIENCE_S) == 0
        assert watched.process.stderr.read() == b""  # type: ignore[union-attr]


def test_it_plays_at_the_asked_rate_and_way_from_the_first_frame_on(run: RunDir) -> None:
    publish(run, action=0)
    with viewer(run, "--deterministic", "--fps", "5") as watched:
        played = [watched.until(lambda frame: bool(frame.cars))[1] for _ in range(3)]
    assert [frame.time_s for frame in played] == pytest.approx([0.0, 0.2, 0.4], abs=0.01)
    assert all(frame.deterministic for frame in played)


def test_it_ends_quietly_when_nobody_reads_it(run: RunDir) -> None:
    publish(run, action=0)
    command = [sys.executable, "-m", "trainer.viewer", str(run.path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr is not None
        assert process.stderr.read() == b""


class Silent:
    """Says nothing, and goes when it is told to."""

    def __init__(self) -> None:
        self.wishes, self.gone = Wishes(deterministic=True), False

    def show(self, frame: Frame) -> None:
        pass

    def wait(self, seconds: float, known: Wishes) -> None:
        time.sleep(min(seconds, 0.01))


def test_it_plays_by_the_masks_of_training(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    # Row 24 turns in the air. At the kickoff the cars stand, where it is masked; whatever they do
    # instead may be a jump, and then it is possible.
    publish(run, action=24)
    watcher, game_play, played = Silent(), Game.play, []

    def play(game: Game, actions: np.ndarray) -> str:
        _, masks = game.see()
        assert masks[[0, 1], actions].all()
        played.append(actions.tolist())
        if len(played) == 5:
            watcher.gone = True
        return game_play(game, actions)

    monkeypatch.setattr(Game, "play", play)
    watch(run, None, watcher)
    assert len(played) == 5
    assert 24 not in played[0]


def test_a_run_that_cannot_be_played_is_refused_in_one_sentence(run: RunDir) -> None:
    run.config.write_text("seed = -1\n")
    with viewer(run) as watched:
        assert watched.process.wait(PATIENCE_S) == 1
        said = watched.process.stderr.read().decode()  # type: ignore[union-attr]
    assert said.startswith(f"{run.config}: seed = -1")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("name", ["blue", "orange"])
def test_a_player_that_can_be_none_is_refused_at_the_start(run: RunDir, name: str) -> None:
    with viewer(run, f"--{name}", "5000") as watched:
        assert watched.process.wait(PATIENCE_S) == 2
        assert b"'5000' is neither newest nor 15 digits" in watched.process.stderr.read()  # type: ignore[union-attr]


def test_it_grants_what_is_wished_while_it_plays(run: RunDir) -> None:
    save_checkpoint(run, action=3, steps=100, written=1_000, value=4.0)
    publish(run, action=5, value=-1.0)
    with viewer(run, "--orange", OLD, "--follow", "1") as watched:
        _, frame = watched.until(lambda frame: frame.mind is not None)
        assert frame.names == ("newest, 0 steps", "100 steps")
        assert frame.mind is not None
        assert frame.mind.value == 4.0
        watched.say(b"pause\n")
        _, still = watched.until(lambda frame: frame.paused)
        watched.say(b"follow 0\n")
        watched.until(lambda frame: frame.mind is not None and frame.mind.car == 0)
        _, again = watched.until(lambda frame: frame.paused)
        assert again.time_s == still.time_s
        watched.say(b"speed 4\nresume\nrecord on\n")
        _, first = watched.until(lambda frame: not frame.paused and frame.speed == 4.0)
        watched.say(b"kickoff\n")
        watched.until(lambda frame: frame.rally > first.rally)
        watched.say(b"play orange 000000000000777\n")
        _, frame = watched.until(lambda frame: "000000000000777" in frame.note)
        assert frame.names[1] == "100 steps"
        watched.process.stdin.close()  # type: ignore[union-attr]
        assert watched.process.wait(PATIENCE_S) == 0
    (path,) = run.replays.iterdir()
    header, frames = read_replay(path)
    assert header.names == ("newest, 0 steps", "100 steps")
    assert len({frame.rally for frame in frames}) == 2


def test_a_viewer_that_is_killed_leaves_a_recording_that_can_be_read(run: RunDir) -> None:
    publish(run, action=5)
    with viewer(run) as watched:
        watched.say(b"record on\nspeed 8\n")
        watched.until(lambda frame: frame.time_s > 1)
        watched.say(b"kickoff\n")
        watched.until(lambda frame: frame.rally == 2)
        watched.until(lambda frame: frame.rally == 2)
        watched.process.kill()
        watched.process.wait()
    (path,) = run.replays.iterdir()
    assert path.name.endswith(".jsonl.gz.tmp")
    _, frames = read_replay(path)
    assert next(frames).rally == 1


def test_an_external_viewer_gets_the_game_too(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(run, action=5)
    watcher = Silent()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        monkeypatch.setattr("trainer.viewer_external.ROCKETSIMVIS", receiver.getsockname())
        receiver.settimeout(PATIENCE_S)
        watching = threading.Thread(target=watch, args=(run, 15, watcher, "rocketsimvis"))
        watching.start()
        scene = json.loads(receiver.recv(65_536))
        watcher.gone = True
        watching.join(30)
    assert [car["team_num"] for car in scene["cars"]] == [0, 1]


def test_training_goes_on_when_its_viewer_dies(run: RunDir, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "trainer", "train", str(write_tiny(tmp_path / "config"))]
    command += ["--run", str(run.path), "--iterations", "60", "--set", "viewer.enabled=true"]
    silence = subprocess.DEVNULL
    with (
        viewer(run, "--follow", "0") as watched,
        subprocess.Popen(command, stdout=silence) as training,
    ):
        watched.until(lambda frame: frame.mind is not None and frame.mind.value is not None)
        watched.process.kill()
        assert training.wait(PATIENCE_S) == 0
    assert "warning" not in [record["kind"] for record in jsonl.read_all(run.events)]
    status = read_status(run)
    assert status is not None
    assert (status.phase, status.iteration) == ("stopped", 60)


def test_an_external_viewer_that_is_not_there_is_a_note_and_nothing_else(run: RunDir) -> None:
    publish(run, action=5)
    with viewer(run, "--external", "rlviser") as watched:
        _, frame = watched.until(lambda frame: "RLViser" in frame.note)
        watched.until(lambda later: later.time_s > frame.time_s + 0.5)
