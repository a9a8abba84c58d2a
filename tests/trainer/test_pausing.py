"""A paused run, driven by what it says: each line that the trainer says may ask for the next."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.trainer.flights import OVERLAP, flights
from tests.trainer.test_workers import TWO
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import at, checkpoint_steps, kinds, texts, train_tiny
from trainer import builder, jsonl, learner, reward_lesson, saver, training
from trainer.checkpoint_folder import list_checkpoints
from trainer.checkpoint_marks import Mark, read_mark
from trainer.control import send, send_edit, send_save
from trainer.run_dir import Phase, RunDir, read_status
from trainer.training import Request, train


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


def after(*turns: tuple[str, Callable[[], object]]) -> Callable[[str], None]:
    """Do each thing once, when the trainer says the line that begins so, in this order."""
    left = list(turns)

    def say(line: str) -> None:
        if left and line.startswith(left[0][0]):
            left.pop(0)[1]()

    return say


def phase_of(run: RunDir) -> Phase:
    status = read_status(run)
    assert status is not None
    return status.phase


def iterations_of(run: RunDir) -> list[int]:
    return [record["iteration"] for record in jsonl.read_all(run.metrics)]


def test_a_paused_run_finishes_its_iteration_waits_and_goes_on(run: RunDir) -> None:
    seen: list[tuple[Phase, list[int]]] = []

    def look() -> None:
        seen.append((phase_of(run), iterations_of(run)))
        send(run, "resume")

    turns = (("iteration 1 ", lambda: send(run, "pause")), ("paused", look))
    train_tiny(run, iterations=4, say=after(*turns))
    # It hears of it when the second iteration begins, and finishes that.
    assert seen == [("paused", [1, 2])]
    assert texts(run, "pause") == ["paused after iteration 2", "goes on"]
    assert iterations_of(run) == [1, 2, 3, 4]
    assert kinds(run) == ["start", "pause", "pause", "save", "stop"]


def test_the_wait_is_in_no_iteration_and_status_beats_on(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    away, beats = [0.0], list[float]()

    def sleep(seconds: float) -> None:
        status = read_status(run)
        assert status is not None
        beats.append(status.heartbeat)
        away[0] += 1000.0
        if len(set(beats)) > 2:
            send(run, "resume")

    monkeypatch.setattr(learner.time, "sleep", sleep)
    monkeypatch.setattr("trainer.session.HEARTBEAT_EVERY_S", 0.0)
    clock = lambda: time.perf_counter() + away[0]  # noqa: E731 - a clock, in place of another
    monkeypatch.setattr(training, "make_clock", lambda device, synchronise: clock)
    train_tiny(run, iterations=3, say=at("iteration 1 ", lambda: send(run, "pause")))
    assert away[0] >= 3000.0
    for record in jsonl.read_all(run.metrics):
        assert 0 < record["Timing/iteration_s"] < 100
        assert 0 <= record["Timing/publish_s"] < 100
        assert record["Throughput/overall_sps"] > 0.3
        assert record["Cumulative/seconds"] < 300


def test_a_paused_run_takes_edits_saves_and_the_viewer(run: RunDir) -> None:
    def ask() -> None:
        send_edit(run, {"ppo.epochs": 3})
        send(run, "viewer_on")
        send_save(run, "before shaping", pin=True)

    def look() -> None:
        assert texts(run, "edit")[0].startswith("set ppo.epochs 2 -> 3, from iteration ")
        send(run, "save")

    def go_on() -> None:
        assert run.live_policy.exists()
        send(run, "resume")

    turns = (
        ("iteration 1 ", lambda: send(run, "pause")),
        ("paused", ask),
        ("saved checkpoints", look),
        ("saved already", go_on),
    )
    train_tiny(run, iterations=3, say=after(*turns))
    named, again, _ = texts(run, "save")
    (folder,) = list_checkpoints(run)[1:]
    assert named == f'saved checkpoints/{folder.name} as "before shaping", pinned'
    assert again == f'saved already: checkpoints/{folder.name} as "before shaping", pinned'
    assert read_mark(folder) == Mark("before shaping", pinned=True)
    # 2 epochs of 2 steps until the pause, 3 of 2 from then on.
    steps = [record["Update/optimizer_steps"] for record in jsonl.read_all(run.metrics)]
    assert steps == [4, 4, 6]
    assert kinds(run) == ["start", "pause", "edit", "save", "save", "pause", "save", "stop"]


def test_an_edit_that_came_in_the_iteration_before_does_not_wait_for_the_run_to_go_on(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    update, asked = reward_lesson.update, list[str]()

    def ask_meanwhile(*args: object) -> object:
        if not asked:
            asked.append(send_edit(run, {"ppo.epochs": 3}))
            send(run, "pause")
        return update(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(reward_lesson, "update", ask_meanwhile)
    monkeypatch.setattr("trainer.session.COMMANDS_EVERY_S", 0.0)
    train_tiny(run, say=at("set ppo.epochs", lambda: send(run, "quit")))
    assert iterations_of(run) == [1]
    assert kinds(run) == ["start", "pause", "edit", "save", "stop"]


@pytest.mark.parametrize("ask", ["quit", "SIGTERM", "SIGINT"])
def test_what_ends_a_run_ends_a_paused_one_with_a_save(run: RunDir, ask: str) -> None:
    def end() -> None:
        if ask == "quit":
            send(run, "quit")
        else:
            os.kill(os.getpid(), getattr(signal, ask))

    train_tiny(run, say=after(("iteration 1 ", lambda: send(run, "pause")), ("paused", end)))
    assert kinds(run) == ["start", "pause", "save", "stop"]
    assert checkpoint_steps(run) == [jsonl.read_all(run.metrics)[-1]["steps"]]
    assert phase_of(run) == "stopped"
    # Whoever resumes it wants it to train.
    before = len(iterations_of(run))
    train_tiny(run, iterations=1)
    assert len(iterations_of(run)) == before + 1


def test_the_minutes_of_a_session_go_on_while_it_is_paused(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, late = time.time, [0.0]
    monkeypatch.setattr(time, "time", lambda: now() + late[0])

    def come_back_late() -> None:
        late[0] = 3600.0

    say = after(("iteration 1 ", lambda: send(run, "pause")), ("paused", come_back_late))
    train(Request(run, tiny_config(), run.path, "the test", None, minutes=30), say)
    assert kinds(run) == ["start", "pause", "save", "stop"]


def test_a_run_that_reaches_its_last_iteration_ends_instead_of_pausing(run: RunDir) -> None:
    train_tiny(run, iterations=1, say=at("started", lambda: send(run, "pause")))
    assert kinds(run) == ["start", "save", "stop"]


def test_who_takes_it_back_in_time_pauses_nothing(run: RunDir) -> None:
    def ask() -> None:
        send(run, "pause")
        send(run, "resume")

    train_tiny(run, iterations=3, say=at("iteration 1 ", ask))
    assert kinds(run) == ["start", "save", "stop"]


def test_beside_a_rollout_in_flight_it_pauses_as_well(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "count_workers", lambda config: 1)

    def ask() -> None:
        send_edit(run, {"rewards.touch": 2})
        send_save(run)

    turns = (
        ("iteration 1 ", lambda: send(run, "pause")),
        ("paused", ask),
        ("saved", lambda: send(run, "resume")),
    )
    train_tiny(run, *OVERLAP, iterations=4, say=after(*turns))
    assert kinds(run) == ["start", "pause", "edit", "save", "pause", "save", "stop"]
    assert iterations_of(run) == [1, 2, 3, 4]
    assert flights() == []


def test_workers_wait_with_the_trainer(run: RunDir) -> None:
    turns = (("iteration 1 ", lambda: send(run, "pause")), ("paused", lambda: send(run, "resume")))
    train_tiny(run, *TWO, iterations=4, say=after(*turns))
    assert kinds(run) == ["start", "pause", "pause", "save", "stop"]
    assert iterations_of(run) == [1, 2, 3, 4]


def test_a_disk_that_refuses_a_paused_run_is_told_of_once_and_tried_again_later(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Path:
        raise OSError(28, "No space left on device")

    save, looks = saver.save, list[float]()

    def look_five_times(seconds: float) -> None:
        looks.append(seconds)
        # Whoever waits for a process sleeps as well, for less.
        if looks.count(learner.LOOK_S) == 5:
            monkeypatch.setattr(saver, "save", save)
            send(run, "resume")

    monkeypatch.setattr(saver, "save", full)
    monkeypatch.setattr(learner.time, "sleep", look_five_times)
    turns = (
        ("iteration 1 ", lambda: send(run, "pause")),
        ("paused", lambda: send_save(run, "mine")),
    )
    train_tiny(run, iterations=4, say=after(*turns))
    (warning,) = texts(run, "warning")
    assert "No space left on device" in warning
    # It was not forgotten: the next iteration tried again.
    assert texts(run, "save")[0] == f'saved checkpoints/{96:015d} as "mine"'


def test_a_checkpoint_that_was_removed_by_hand_is_saved_again(run: RunDir) -> None:
    def remove() -> None:
        (folder,) = list_checkpoints(run)
        shutil.rmtree(folder)
        send(run, "save")

    turns = (
        ("iteration 1 ", lambda: (send(run, "pause"), send(run, "save"))),
        ("paused", lambda: send(run, "save")),
        ("saved already", remove),
        ("saved checkpoints", lambda: send(run, "quit")),
    )
    train_tiny(run, say=after(*turns))
    assert len(checkpoint_steps(run)) == 1
    assert len(texts(run, "save")) == 3
