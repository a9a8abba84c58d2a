import itertools
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
import torch

from tests.trainer.orphans import left_after_a_kill
from tests.trainer.test_workers import nothing, run_of
from tests.trainer.tiny import tiny_config
from trainer import deciding
from trainer.builder import build, fresh_state
from trainer.central import Central, in_order
from trainer.collector import Abandoned
from trainer.config import RunConfig
from trainer.crew import WorkerError
from trainer.custom_rewards import RewardError
from trainer.env import EnvError
from trainer.game import make_game, measure
from trainer.networks import ActorCritic
from trainer.players import OneProcess
from trainer.policy import PolicyError
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.sampling import chosen, masked_log_probs

SHORT = ("sim.inference=central", "sim.arenas=4", "resets.random=0", "episodes.no_touch_s=1")
TWO = ("sim.workers=2", *SHORT, "ppo.steps_per_iteration=320")
LONG = (*TWO[:-1], "ppo.steps_per_iteration=200_000")


def start(config: RunConfig, folder: Path = Path()) -> tuple[Central, ActorCritic]:
    parts = build(config, folder, None)
    assert isinstance(parts.players, Central)
    return parts.players, parts.state.model


Found = tuple[RolloutTensors, dict[str, object]]


# Two rollouts that are compared are of 1v1: games of more cars part by rounding (`sim.py`).
def played(*settings: str, rollouts: int = 1) -> Found:
    """What somebody collects last, and what their generators have come to."""
    parts = build(tiny_config(*TWO, *settings), Path(), None)
    for _ in range(rollouts):
        parts.players.collect(0, nothing)
    parts.players.close()
    rollout = parts.players.rollout
    tensors = rollout if isinstance(rollout, RolloutTensors) else tensors_of(rollout)
    states = {name: rng.bit_generator.state["state"] for name, rng in parts.state.rngs.items()}
    return tensors, states


def assert_same(found: RolloutTensors, expected: RolloutTensors, atol: float) -> None:
    for name, left, right in zip(found._fields, found, expected, strict=True):
        loose = atol if left.is_floating_point() else 0
        torch.testing.assert_close(left, right, rtol=0, atol=loose, msg=name)


@pytest.fixture(scope="module")
def second() -> Found:
    """The second rollout of a run, and what its generators have come to then."""
    return played(rollouts=2)


def test_the_same_seed_and_number_of_workers_is_the_same_rollout(second: Found) -> None:
    again, _ = played(rollouts=2)
    assert_same(again, second[0], atol=0)


def test_it_is_the_rollout_that_workers_would_have_decided_by_themselves(second: Found) -> None:
    found, states = second
    expected, their_states = played("sim.inference=workers", rollouts=2)
    # 40 decisions of episodes that last 15 without a touch: values of final observations count.
    assert expected.truncated.sum() >= 8
    assert_same(found, expected, atol=1e-5)
    assert states == their_states


def test_one_worker_is_one_group_and_plays_as_the_trainer_itself_would() -> None:
    alone = ("sim.workers=1", "sim.arenas=3")
    parts = build(tiny_config(*TWO, *alone, "sim.inference=workers"), Path(), None)
    assert isinstance(parts.players, OneProcess)
    found, states = played(*alone)
    expected, their_states = played(*alone, "sim.inference=workers")
    assert_same(found, expected, atol=1e-5)
    assert states == their_states


def test_two_groups_collect_what_one_would(monkeypatch: pytest.MonkeyPatch) -> None:
    three = ("sim.workers=3", "sim.arenas=5")
    two_groups, _ = played(*three)
    monkeypatch.setattr(deciding, "GROUPS", 1)
    one_group, _ = played(*three)
    assert_same(two_groups, one_group, atol=1e-5)


def test_every_row_is_of_this_rollout_and_says_what_the_update_computes_again() -> None:
    players, model = start(tiny_config(*TWO))
    rollout = players.rollout
    for _ in range(2):
        for field in rollout:
            field.fill_(1 if field.dtype == torch.bool else 77)
        rollout.valid.fill_(False)
        counts = players.collect(0, nothing)
        assert rollout.valid.all()
        assert (rollout.obs.shape, len(counts)) == ((40, 8, 92), 2)
        with torch.no_grad():
            logits, values = model(rollout.obs)
            log_probs = chosen(masked_log_probs(logits, rollout.masks), rollout.actions)
        torch.testing.assert_close(rollout.log_probs, log_probs, rtol=0, atol=1e-5)
        torch.testing.assert_close(rollout.values, values, rtol=0, atol=1e-5)
        # New weights play the next one.
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.05)
    players.close()


def test_columns_are_the_games_of_their_worker_played_by_their_actions() -> None:
    config = tiny_config(*TWO)
    rollout, _ = played()
    sim = config.sim.worker_share(1, 2)
    rng = fresh_state(config, torch.device("cpu")).rngs["env.1"]
    game = make_game(config.model_copy(update={"sim": sim}), Path(), rng, 0)
    game.begin_iteration(0)
    theirs = rollout.of_agents(4, 8)
    for t in range(len(theirs.obs)):
        np.testing.assert_array_equal(theirs.obs[t], game.obs)
        np.testing.assert_array_equal(theirs.masks[t], game.masks)
        step = game.step(theirs.actions[t].numpy())
        np.testing.assert_array_equal(theirs.rewards[t], step.rewards)
        np.testing.assert_array_equal(theirs.truncated[t], step.truncated)


def test_what_is_to_be_valued_comes_in_the_order_of_the_whole_rollout() -> None:
    # Agents 0 and 1 are the first worker's, 2 the second's. Numbers say decision, then agent.
    truncated = np.array([[False, True, True], [True, False, True]])
    first = np.array([[90], [91], [1], [10]], np.float32)
    second = np.array([[92], [2], [12]], np.float32)
    found = in_order([first, second], [(0, 2), (2, 3)], truncated)
    assert found[:, 0].tolist() == [90, 91, 92, 1, 2, 10, 12]


def test_every_moment_of_a_worker_belongs_to_a_phase() -> None:
    players, _ = start(tiny_config(*TWO))
    players.collect(0, nothing)
    started = time.perf_counter()
    metrics = measure(players.collect(0, nothing))
    whole = time.perf_counter() - started
    phases = [value for name, value in metrics.items() if name.startswith("Timing/")]
    assert 0.5 * whole < sum(phases) <= whole
    assert metrics["Timing/decisions_s"] > 0
    players.close()


def test_a_run_goes_on_whoever_decides(tmp_path: Path) -> None:
    for who in ("central", "workers", "central"):
        measured = run_of(tmp_path, *TWO, f"sim.inference={who}", iterations=1)
    assert [record["iteration"] for record in measured] == [1, 2, 3]


def test_abandoned_rollouts_leave_nothing_behind() -> None:
    players, model = start(tiny_config(*TWO))
    for calls in (1, 2, 5, 11):
        left = iter(range(calls))

        def insist(left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise Abandoned

        with pytest.raises(Abandoned):
            players.collect(0, insist)
    players.collect(0, nothing)
    with torch.no_grad():
        logits, _ = model(players.rollout.obs)
    all_log_probs = masked_log_probs(logits, players.rollout.masks)
    expected = chosen(all_log_probs, players.rollout.actions)
    torch.testing.assert_close(players.rollout.log_probs, expected, rtol=0, atol=1e-5)
    players.close()


def test_a_worker_that_dies_is_told_of_with_its_exit_code() -> None:
    players, _ = start(tiny_config(*LONG))
    calls = itertools.count()

    def kill_in_the_middle() -> None:
        if next(calls) == 3:
            psutil.Process(players.pids[1]).kill()

    words = "process 2 of 2 that play arenas died with exit code -9"
    with pytest.raises(WorkerError, match=words):
        players.collect(0, kill_in_the_middle)
    with pytest.raises(WorkerError, match=words):
        players.collect(0, nothing)
    players.close()


def test_an_error_in_a_worker_ends_the_run_in_its_words(tmp_path: Path) -> None:
    # The first worker has two of the three arenas, the second one; every reward is tried with 3.
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "def late(state, previous, events):\n"
        "    return state.boost * (np.nan if len(state.boost) == 1 else 1)\n"
    )
    config = tiny_config(*LONG, "sim.arenas=3", 'rewards.custom={"mine:late"=1.0}')
    players, _ = start(config, tmp_path)
    with pytest.raises(EnvError, match="mine:late is nan for car 0 of arena 0 of 1v1") as caught:
        players.collect(0, nothing)
    (note,) = caught.value.__notes__
    assert note == "arenas are counted within process 2 of 2 that play arenas"
    players.close()


def test_rewards_change_between_rollouts_and_a_refusal_leaves_all_as_it_was() -> None:
    players, _ = start(tiny_config(*TWO, "rewards.save_boost=1"))
    with pytest.raises(RewardError):
        players.change(tiny_config(*TWO, 'rewards.custom={"mine:spin"=1.0}'))
    assert "Reward/save_boost" in measure(players.collect(0, nothing))
    players.change(tiny_config(*TWO, "rewards.save_boost=0"))
    assert "Reward/save_boost" not in measure(players.collect(320, nothing))
    players.close()


def test_an_agent_that_cannot_decide_is_named_once_the_rollout_is_whole() -> None:
    players, model = start(tiny_config(*TWO))

    def forbid_all() -> None:
        players.rollout.masks[2, 5] = False

    with pytest.raises(PolicyError, match="agent 5 has no possible action") as caught:
        players.collect(0, forbid_all)
    assert caught.value.__notes__ == [
        "agent 5 is car 1 of arena 0 of 1v1; "
        "arenas are counted within process 2 of 2 that play arenas"
    ]
    with torch.no_grad():
        next(model.critic.parameters()).fill_(torch.nan)
    with pytest.raises(PolicyError, match="the critic's output for agent 0 is not finite"):
        players.collect(0, nothing)
    players.close()


def test_workers_end_with_the_trainer(tmp_path: Path) -> None:
    assert left_after_a_kill(tmp_path, "tests.trainer.test_central", "LONG") == []


@pytest.mark.cuda
def test_on_a_gpu_rows_grow_there_and_say_what_the_update_computes_again() -> None:
    players, model = start(tiny_config(*TWO, "sim.inference=auto", "device=cuda"))
    assert players.warnings == []
    for _ in range(3):
        players.collect(0, nothing)
        with torch.no_grad():
            logits, values = model(players.rollout.obs)
            all_log_probs = masked_log_probs(logits, players.rollout.masks)
            log_probs = chosen(all_log_probs, players.rollout.actions)
            for parameter in model.parameters():
                parameter.mul_(1.1)
        torch.testing.assert_close(players.rollout.log_probs, log_probs, rtol=0, atol=1e-4)
        torch.testing.assert_close(players.rollout.values, values, rtol=0, atol=1e-4)
    players.close()


@pytest.mark.cuda
def test_without_pinned_memory_the_rollout_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pinned, _ = played("device=cuda")
    monkeypatch.setattr(deciding, "pin", lambda memory: False)
    players, _ = start(tiny_config(*TWO, "device=cuda"))
    assert players.warnings == [deciding.NOT_PINNED]
    players.collect(0, nothing)
    assert_same(players.rollout, pinned, atol=0)
    players.close()
