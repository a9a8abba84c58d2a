"""How a session is asked to end, and what an error, a signal or a full disk leaves."""

import errno
import math
import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import RocketSim
import torch

from rlbot_agent.obs import DefaultObs
from rlbot_agent.state import GameState
from tests.trainer.tiny_runs import (
    LONG,
    at,
    checkpoint_steps,
    kinds,
    texts,
    train_tiny,
)
from trainer import jsonl, players, reward_lesson, saver, session
from trainer.checkpoint import load_actor
from trainer.checkpoint_folder import list_checkpoints, newest_valid
from trainer.control import send
from trainer.env import EnvError
from trainer.finite import NonFiniteError
from trainer.networks import ActorCritic
from trainer.policy import PolicyError
from trainer.resets import Starts
from trainer.run_dir import RunDir, read_status
from trainer.sim import Simulator


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


def test_somebody_asks_for_a_checkpoint(run: RunDir) -> None:
    ask = at("started", lambda: send(run, "save"))
    end = at("saved", lambda: os.kill(os.getpid(), signal.SIGTERM))

    def say(line: str) -> None:
        ask(line)
        end(line)

    # Nothing but the command saves: the next one by itself is a million steps away.
    train_tiny(run, say=say)
    assert kinds(run) == ["start", "save", "stop"]
    assert checkpoint_steps(run) == [jsonl.read_all(run.metrics)[-1]["steps"]]


def test_quit_finishes_the_iteration_and_saves(run: RunDir) -> None:
    train_tiny(run, say=at("iteration 2 ", lambda: send(run, "quit")))
    steps = jsonl.read_all(run.metrics)[-1]["steps"]
    assert checkpoint_steps(run) == [steps]
    assert kinds(run) == ["start", "save", "stop"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("phase", ["collect", "update", "save"])
def test_a_signal_in_any_phase_finishes_the_iteration_and_saves(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, phase: str, number: int
) -> None:
    module = {"collect": players, "update": reward_lesson, "save": saver}[phase]
    work = getattr(module, phase)

    def interrupted(*args: object) -> object:
        os.kill(os.getpid(), number)
        return work(*args)

    monkeypatch.setattr(module, phase, interrupted)
    train_tiny(run, "checkpoint.every_steps=32")
    assert checkpoint_steps(run) == [32]
    assert kinds(run) == ["start", "save", "stop"]
    status = read_status(run)
    assert status is not None
    assert status.phase == "stopped"


def test_a_second_quit_drops_the_rollout_and_keeps_what_was_learned(run: RunDir) -> None:
    train_tiny(run, iterations=1)

    def insist() -> None:
        send(run, "quit")
        send(run, "quit")

    train_tiny(run, LONG, say=at("resumed", insist))
    assert checkpoint_steps(run) == [32]
    assert texts(run, "warning") == ["dropped the rollout that was being collected"]
    assert len(jsonl.read_all(run.metrics)) == 1


def test_insisting_before_the_first_update_still_leaves_a_checkpoint(run: RunDir) -> None:
    def insist() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        send(run, "quit")

    train_tiny(run, LONG, say=at("started", insist))
    assert checkpoint_steps(run) == [0]
    load_actor(list_checkpoints(run)[0])


def test_an_error_saves_nothing_and_is_told(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    train_tiny(run, iterations=1)

    def diverge(*_: object) -> None:
        raise FloatingPointError("the loss is not finite")

    monkeypatch.setattr("trainer.reward_lesson.update", diverge)
    with pytest.raises(FloatingPointError):
        train_tiny(run, iterations=1)
    assert checkpoint_steps(run) == [32]
    kept = f"the newest checkpoint is checkpoints/{32:015d}"
    assert texts(run, "error") == [f"FloatingPointError: the loss is not finite; {kept}"]
    status = read_status(run)
    assert status is not None
    assert status.phase == "failed"


def test_an_observation_that_is_not_finite_is_told_by_car_and_term(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = DefaultObs.build

    def spoil(obs: DefaultObs, state: GameState, out: np.ndarray) -> np.ndarray:
        build(obs, state, out)
        out[1, 0, 91] = math.nan
        return out

    def begin() -> None:
        monkeypatch.setattr(DefaultObs, "build", spoil)

    with pytest.raises(EnvError):
        train_tiny(run, "checkpoint.every_steps=32", say=at("iteration 1 ", begin))
    assert texts(run, "error") == [
        "EnvError: the observation of car 0 of arena 1 of 1v1 is nan in other1.is_supersonic "
        "(column 1 of 1, 92 of all): observations must be finite; "
        f"the newest checkpoint is checkpoints/{32:015d}"
    ]


def test_networks_that_answer_nonsense_are_told_with_the_car_that_asked(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    forward = ActorCritic.forward

    def spoil(model: ActorCritic, obs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits, values = forward(model, obs)
        return logits, values.index_fill(0, torch.tensor([3]), math.inf)

    monkeypatch.setattr(ActorCritic, "forward", spoil)
    with pytest.raises(PolicyError):
        train_tiny(run)
    assert texts(run, "error") == [
        "PolicyError: the critic's output for agent 3 is not finite, its observation is; "
        "agent 3 is car 1 of arena 1 of 1v1; nothing was saved yet"
    ]


def test_weights_that_an_update_spoils_are_never_saved(run: RunDir) -> None:
    # A rate that float32 has no number for: the one step of an update moves by infinity.
    one_step = ("ppo.batch_size=32", "ppo.epochs=1", "checkpoint.every_steps=32")
    train_tiny(run, *one_step, iterations=1)
    with pytest.raises(NonFiniteError):
        train_tiny(run, *one_step, "ppo.critic_learning_rate=3e38", iterations=1)
    (error,) = texts(run, "error")
    assert "numbers of critic.layers.0.weight are not finite after the update" in error
    assert error.endswith(f"; the newest checkpoint is checkpoints/{32:015d}")
    assert checkpoint_steps(run) == [32]


def test_an_arena_that_always_breaks_stops_the_run_at_its_last_checkpoint(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    reset, lost = Simulator.reset, RocketSim.BallState()
    lost.pos = RocketSim.Vec(math.nan, 0, 500)

    def plant(simulator: Simulator, arenas: np.ndarray, starts: Starts) -> None:
        reset(simulator, arenas, starts)
        simulator.arenas[1].ball.set_state(lost)

    def break_arena() -> None:
        monkeypatch.setattr(Simulator, "reset", plant)

    # An iteration is 8 decisions. All arenas start anew in each, so it breaks in each.
    settings = ("episodes.time_limit_s=0.01", "checkpoint.every_steps=32")
    with pytest.raises(EnvError):
        train_tiny(run, *settings, say=at("iteration 2 ", break_arena))
    assert checkpoint_steps(run) == [64, 32]
    assert newest_valid(run) == run.checkpoints / f"{64:015d}"
    load_actor(run.checkpoints / f"{64:015d}")
    assert texts(run, "error")[0].startswith(
        "EnvError: the physics of arena 1 of 1v1 broke in 3 decisions in a row"
    )
    status = read_status(run)
    assert status is not None
    assert (status.phase, status.iteration) == ("failed", 2)


def test_a_full_disk_is_told_and_the_next_iteration_saves(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, failures = saver.save, [OSError(errno.ENOSPC, "No space left on device")]

    def full_once(*args: object) -> Path:
        if failures:
            raise failures.pop()
        return save(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("trainer.saver.save", full_once)
    train_tiny(run, "checkpoint.every_steps=32", iterations=2)
    assert "No space left on device" in texts(run, "warning")[0]
    assert checkpoint_steps(run) == [64]


def test_a_disk_that_is_full_for_a_while_takes_no_lines_and_ends_no_run(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    full, said = list[bool](), list[str]()
    append, write_status = jsonl.append, session.write_status

    def refusing(write: Callable[..., None]) -> Callable[..., None]:
        def writes(*args: object) -> None:
            if full:
                raise OSError(errno.ENOSPC, "No space left on device")
            write(*args)

        return writes

    def say(line: str) -> None:
        said.append(line)
        if line.startswith("iteration 1 "):
            full.append(True)
        if line.startswith("iteration 3 "):
            full.clear()

    monkeypatch.setattr(jsonl, "append", refusing(append))
    monkeypatch.setattr(session, "write_status", refusing(write_status))
    train_tiny(run, iterations=4, say=say)
    assert [record["iteration"] for record in jsonl.read_all(run.metrics)] == [1, 4]
    assert len([line for line in said if line.startswith("could not write to ")]) == 1
    assert kinds(run) == ["start", "save", "stop"]
    assert checkpoint_steps(run) == [128]
