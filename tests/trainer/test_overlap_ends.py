"""What becomes of a rollout in flight when something ends."""

from pathlib import Path

import psutil
import pytest

from tests.trainer.flights import OVERLAP, flights, scripted
from tests.trainer.test_workers import nothing
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import LONG, at, checkpoint_steps, texts, train_tiny
from trainer import builder, jsonl
from trainer.builder import build
from trainer.collector import Abandoned
from trainer.control import send
from trainer.crew import WorkerError
from trainer.custom_rewards import RewardError
from trainer.env import EnvError
from trainer.run_dir import RunDir


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


@pytest.fixture
def played_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without processes, which take seconds to start: a thread of this one plays all arenas."""
    monkeypatch.setattr(builder, "count_workers", lambda config: 1)


def test_an_error_in_flight_is_raised_as_it_is_where_the_learner_waits() -> None:
    players, inner = scripted()
    inner.error = RewardError("no such reward")
    inner.may_end.set()
    with pytest.raises(RewardError) as caught:
        players.collect(12, nothing)
    assert caught.value is inner.error
    players.close()
    assert flights() == []


def test_insisting_drops_the_rollout_in_flight() -> None:
    players, inner = scripted()

    def insist() -> None:
        raise Abandoned

    with pytest.raises(Abandoned):
        players.collect(12, insist)
    assert inner.story == ["dropped"]
    assert flights() == []
    players.change(tiny_config())
    players.close()
    assert inner.story == ["dropped", "changed", "closed"]


def test_closing_ends_the_rollout_in_flight_before_those_who_play_it() -> None:
    players, inner = scripted()
    players.close()
    assert inner.story == ["dropped", "closed"]
    assert flights() == []


@pytest.mark.usefixtures("played_here")
def test_a_reward_that_breaks_in_flight_ends_the_run_with_its_name(run: RunDir) -> None:
    run.path.mkdir()
    # Each reward is tried with 3 arenas before it plays; 4 play 8 decisions a rollout.
    (run.path / "mine.py").write_text(
        "import numpy as np\n"
        "calls = []\n"
        "def late(state, previous, events):\n"
        "    calls.extend([1] if len(state.boost) == 4 else [])\n"
        "    return state.boost * (1 if len(calls) <= 12 else np.nan)\n"
    )
    own = 'rewards.custom={"mine:late"=1.0}'
    with pytest.raises(EnvError):
        train_tiny(run, *OVERLAP, own, "checkpoint.every_steps=64")
    (error,) = texts(run, "error")
    assert error.startswith("EnvError: the reward mine:late is nan for car 0 of arena 0 of 1v1")
    # The first rollout was learned from and saved while the second broke.
    assert checkpoint_steps(run) == [64]
    assert flights() == []


def test_a_worker_that_dies_in_flight_is_told_of() -> None:
    parts = build(tiny_config(*OVERLAP), Path(), None)
    parts.players.collect(0, nothing)
    died = psutil.Process(parts.players.pids[1])

    def kill_and_play_on() -> None:
        died.kill()
        died.wait()
        # The rollout in flight may have been whole before that; the next one is not.
        for _ in range(2):
            parts.players.collect(64, nothing)

    with pytest.raises(WorkerError, match="process 2 of 2 that play arenas died"):
        kill_and_play_on()
    parts.players.close()
    assert flights() == []


@pytest.mark.usefixtures("played_here")
def test_quit_finishes_the_iteration_and_insisting_drops_the_rollout(run: RunDir) -> None:
    train_tiny(run, *OVERLAP, say=at("iteration 2 ", lambda: send(run, "quit")))
    (learned,) = checkpoint_steps(run)
    assert learned == jsonl.read_all(run.metrics)[-1]["steps"]

    def insist() -> None:
        send(run, "quit")
        send(run, "quit")

    train_tiny(run, *OVERLAP, LONG, say=at("resumed", insist))
    assert checkpoint_steps(run) == [learned]
    assert texts(run, "warning") == ["dropped the rollout that was being collected"]
    assert flights() == []
