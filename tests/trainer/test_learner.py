import errno
import itertools
import math
import os
import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import RocketSim
import torch
from safetensors.torch import load_file
from torch import Tensor

from rlbot_agent.obs import DefaultObs
from rlbot_agent.state import GameState
from tests.trainer.tape import refuse
from tests.trainer.tiny import tiny_config
from trainer import checkpoint, jsonl, learner, players, training
from trainer.builder import fresh_state
from trainer.checkpoint import load_actor
from trainer.checkpoint_folder import list_checkpoints, newest_valid
from trainer.control import send
from trainer.env import EnvError
from trainer.finite import NonFiniteError
from trainer.graphs import Steps
from trainer.learner import learn
from trainer.networks import ActorCritic
from trainer.optimizers import Learnable
from trainer.policy import PolicyError
from trainer.resets import Starts
from trainer.rollout import Rollout
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.run_dir import RunDir, read_status
from trainer.sampling import chosen, masked_log_probs
from trainer.sim import Simulator
from trainer.stopwatch import UPDATE_PHASES
from trainer.training import Request, train

LONG = "ppo.steps_per_iteration=4_000_000"
"""An iteration nobody waits for."""


def train_tiny(
    run: RunDir,
    *settings: str,
    iterations: int | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> None:
    train(Request(run, tiny_config(*settings), run.path, "the test", iterations), say)


def at(word: str, do: Callable[[], object]) -> Callable[[str], None]:
    """Do something when the trainer first says a line that begins with `word`."""
    waiting = [do]

    def say(line: str) -> None:
        if line.startswith(word) and waiting:
            waiting.pop()()

    return say


def kinds(run: RunDir) -> list[str]:
    return [record["kind"] for record in jsonl.read_all(run.events)]


def texts(run: RunDir, kind: str) -> list[str]:
    return [record["text"] for record in jsonl.read_all(run.events) if record["kind"] == kind]


def checkpoint_steps(run: RunDir) -> list[int]:
    return [int(folder.name) for folder in list_checkpoints(run)]


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


def test_scaled_rewards_use_the_spread_of_the_iterations_before(run: RunDir) -> None:
    train_tiny(run, "ppo.scale_rewards=true", "ppo.reward_clip=0.5", iterations=3)
    first, second, third = jsonl.read_all(run.metrics)
    # Nothing has been seen before the first iteration; then the scale moves with what was.
    assert first["GAE/return_scale"] == 1
    assert 0 < second["GAE/return_scale"] != third["GAE/return_scale"]


def test_the_critic_keeps_its_opinion_when_the_reward_scale_moves() -> None:
    # A learning rate so small that only the scale can move the critic's output.
    config = tiny_config("ppo.scale_rewards=true", "ppo.learning_rate=1e-12")
    state = fresh_state(config, torch.device("cpu"))
    rollout, rng = Rollout.allocate(8, 4, 92, 90), np.random.default_rng(0)
    rollout.obs[:] = rng.normal(size=rollout.obs.shape)
    rollout.masks[:] = True
    rollout.rewards[:] = rng.normal(size=rollout.rewards.shape) * 20
    obs = torch.from_numpy(rollout.obs[0])
    before = state.model.values(obs).detach()
    for _ in range(2):
        learn(config.ppo, state, tensors_of(rollout), lambda: None)
        assert state.reward_scale == state.returns.std > 10
        torch.testing.assert_close(state.model.values(obs).detach() * state.reward_scale, before)
    # Without scaling it speaks in rewards again.
    unscaled = config.ppo.model_copy(update={"scale_rewards": False})
    learn(unscaled, state, tensors_of(rollout), lambda: None)
    assert state.reward_scale == 1
    torch.testing.assert_close(state.model.values(obs).detach(), before)


def test_the_learning_rate_follows_the_kl_into_the_next_session(run: RunDir) -> None:
    adaptive = ("ppo.adaptive_learning_rate=true", "ppo.target_kl=1.0", "ppo.learning_rate=1e-3")
    for _ in range(2):
        train_tiny(run, *adaptive, iterations=2)
    rates = [record["Update/learning_rate_actor"] for record in jsonl.read_all(run.metrics)]
    # A KL far below the target: times 1.5 after each iteration, across the resume too.
    assert rates == pytest.approx([1e-3, 1.5e-3, 2.25e-3, 3.375e-3])
    assert "which the KL had brought to 0.00225 by the checkpoint" in texts(run, "start")[1]


def test_an_iteration_is_measured(run: RunDir) -> None:
    train_tiny(run, iterations=2)
    record = jsonl.read_all(run.metrics)[1]
    assert (record["iteration"], record["steps"]) == (2, 64)
    # 32 rows in batches of 16, 2 epochs, 2 iterations: 8 optimizer steps.
    assert (record["Cumulative/updates"], record["Cumulative/steps"]) == (8, 64)
    parts = [record[f"Timing/{name}_s"] for name in ("collect", "update", "save", "publish")]
    assert min(parts[:2]) > 0
    assert record["Timing/iteration_s"] == pytest.approx(sum(parts))
    assert 0 < record["Timing/rollout_s"] <= parts[0]
    assert record["Throughput/collect_sps"] == pytest.approx(32 / record["Timing/rollout_s"])
    assert record["System/rss_mb"] > 50
    for name in ("Reward/total", "Collect/episodes", "Loss/approx_kl", "GAE/advantage_std"):
        assert name in record


def test_every_moment_of_an_iteration_belongs_to_a_phase(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = itertools.count()

    def clock() -> float:
        """Moves by 1 whenever it is looked at, and never otherwise."""
        return float(next(readings))

    monkeypatch.setattr(training, "make_clock", lambda device, synchronise: clock)
    train_tiny(run, iterations=2)
    for record in jsonl.read_all(run.metrics):
        update = [record[f"Timing/{name}_s"] for name in UPDATE_PHASES]
        assert min(update) > 0
        # Two looks: the phases begin after the update did, and end before it does.
        assert record["Timing/update_s"] == sum(update) + 2
    # The third look, at 2, begins the first iteration; the last one ends the last. What ends an
    # iteration begins the next, so that none is lost between them.
    last = next(readings) - 1
    spent = [record["Timing/iteration_s"] for record in jsonl.read_all(run.metrics)]
    assert sum(spent) == last - 2


def log_probs_of(model: ActorCritic, rollout: RolloutTensors) -> Tensor:
    """(T, N) of the actions in `rollout`, by the weights that `model` has now."""
    with torch.no_grad():
        logits, _ = model(rollout.obs.flatten(0, 1))
    found = masked_log_probs(logits, rollout.masks.flatten(0, 1))
    return chosen(found, rollout.actions.flatten()).reshape(rollout.actions.shape)


def test_no_row_is_older_than_the_newest_weights_however_long_episodes_last(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    update, gaps, moves, cut = learner.update, [], [], []

    def measured(steps: Steps, rollout: RolloutTensors, *rest: object) -> object:
        stored, model = rollout.log_probs.clone(), steps.learnable.model
        gaps.append(float((log_probs_of(model, rollout) - stored).abs().max()))
        found = update(steps, rollout, *rest)  # type: ignore[arg-type]
        moves.append(float((log_probs_of(model, rollout) - stored).abs().max()))
        cut.append(bool((rollout.terminated | rollout.truncated).any()))
        return found

    monkeypatch.setattr(learner, "update", measured)
    # 8 decisions an iteration and 300 s an episode: all rows are of the episodes that were begun
    # under the first weights.
    train_tiny(run, "ppo.learning_rate=0.01", "episodes.no_touch_s=0", iterations=5)
    assert cut == [False] * 5
    assert max(gaps) < 1e-5
    # Rows of one update before would differ by this much.
    assert min(moves) > 1e-2


def test_a_run_saves_itself_every_so_many_steps_and_keeps_the_newest(run: RunDir) -> None:
    train_tiny(run, "checkpoint.every_steps=50", "checkpoint.keep=2", iterations=6)
    # Iterations end at 32, 64, 96, …: 64 is the first at or past 50, then 128 past 114, then 192.
    assert checkpoint_steps(run) == [192, 128]
    assert [text[-3:] for text in texts(run, "save")] == ["064", "128", "192"]
    status = read_status(run)
    assert status is not None
    assert status.next_save == 242


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
    module = players if phase == "collect" else learner
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

    monkeypatch.setattr("trainer.learner.update", diverge)
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


def test_every_episode_of_an_iteration_has_a_cause(run: RunDir) -> None:
    train_tiny(run, "episodes.time_limit_s=0.1", iterations=2)
    for record in jsonl.read_all(run.metrics):
        causes = ("goal", "no_touch", "time_limit", "broken")
        # 12 ticks take 2 decisions; in 8 of them each of the 2 arenas ends 4 episodes.
        assert record["Collect/episodes"] == 8
        assert sum(record[f"Game/ended_by_{cause}"] for cause in causes) == 8
        assert record["Game/ended_by_time_limit_length_s"] == pytest.approx(16 / 120)
        assert record["Game/ended_by_broken_length_s"] is None


def test_a_step_that_cannot_be_recorded_is_one_warning_of_the_run(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(learnable: Learnable, _: object) -> Steps:
        return Steps(learnable, lambda: refuse)

    monkeypatch.setattr(checkpoint, "Steps", refusing)
    train_tiny(run, iterations=3)
    words = "updates take their steps one kernel at a time: it has no tape"
    assert texts(run, "warning") == [words]


def test_a_full_disk_is_told_and_the_next_iteration_saves(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, failures = learner.save, [OSError(errno.ENOSPC, "No space left on device")]

    def full_once(*args: object) -> Path:
        if failures:
            raise failures.pop()
        return save(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("trainer.learner.save", full_once)
    train_tiny(run, "checkpoint.every_steps=32", iterations=2)
    assert "No space left on device" in texts(run, "warning")[0]
    assert checkpoint_steps(run) == [64]


def test_the_newest_policy_is_published_while_a_viewer_wants_it(run: RunDir) -> None:
    train_tiny(run, iterations=1)
    assert not run.live_policy.exists()
    train_tiny(run, "viewer.enabled=true", iterations=1)
    # Published at the first decision of the session: the policy that played its rollout.
    actor, _ = load_actor(run.checkpoints / f"{32:015d}")
    published = load_file(run.live_policy)
    assert all(torch.equal(published[name], value) for name, value in actor.state_dict().items())


def test_collecting_uses_one_torch_thread_and_learning_all(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[int] = []
    collect, update = players.collect, learner.update

    def counted(work: Callable[..., object]) -> Callable[..., object]:
        def run_it(*args: object) -> object:
            counts.append(torch.get_num_threads())
            return work(*args)

        return run_it

    monkeypatch.setattr(players, "collect", counted(collect))
    monkeypatch.setattr(learner, "update", counted(update))
    torch.set_num_threads(2)
    train_tiny(run, iterations=1)
    assert counts == [1, 2]
