import json
import os
import re
import signal
import subprocess
import sys
import time
from multiprocessing import Pipe
from pathlib import Path
from typing import cast

import numpy as np
import psutil
import pytest
import torch

from tests.trainer.orphans import left_after_a_kill
from tests.trainer.tiny import tiny_config
from trainer import jsonl
from trainer.builder import build
from trainer.collector import Abandoned
from trainer.config import RunConfig
from trainer.config_sim import SimConfig
from trainer.control import send
from trainer.crew import WorkerError
from trainer.custom_rewards import RewardError
from trainer.env import EnvError
from trainer.game import measure
from trainer.memory import memory_mb
from trainer.networks import ActorCritic
from trainer.reward_lesson import learn
from trainer.run_dir import RunDir
from trainer.sampling import chosen, masked_log_probs
from trainer.training import Request, train
from trainer.worker import Assignment, work
from trainer.workers import Workers

TWO = ("sim.workers=2", "sim.arenas=4", "ppo.steps_per_iteration=64", "resets.random=0")
LONG = (*TWO, "ppo.steps_per_iteration=2_000_000")
"""A rollout nobody waits for."""


def nothing() -> None:
    pass


def start(config: RunConfig, folder: Path = Path()) -> tuple[Workers, ActorCritic]:
    parts = build(config, folder, None)
    assert isinstance(parts.players, Workers)
    return parts.players, parts.state.model


@pytest.mark.parametrize(
    ("modes", "arenas", "workers"),
    [({"1v1": 1}, 7, 3), ({"1v1": 1, "2v2": 1, "1v2": 1}, 5, 4), ({"1v1": 3, "3v3": 1}, 40, 6)],
)
def test_arenas_are_dealt_out_whole_and_evenly(
    modes: dict[str, float], arenas: int, workers: int
) -> None:
    sim = SimConfig.model_validate({"modes": modes, "arenas": arenas})
    shares = [sim.worker_share(rank, workers) for rank in range(workers)]
    assert max(share.arenas for share in shares) - min(share.arenas for share in shares) <= 1
    for mode, count in sim.shares.items():
        assert sum(share.shares.get(mode, 0) for share in shares) == count
    assert sum(share.agents for share in shares) == sim.agents
    assert {share.padding for share in shares} == {sim.padding}


@pytest.mark.parametrize(("precision", "within"), [("f32", 1e-5), ("bf16", 1e-3)])
def test_every_row_is_of_this_rollout_and_says_what_the_update_computes_again(
    precision: str, within: float
) -> None:
    both = (f"ppo.actor_precision={precision}", f"ppo.critic_precision={precision}")
    workers, model = start(tiny_config(*TWO, *both))
    rollout = workers.arrays
    for _ in range(2):
        rollout.obs[:] = rollout.log_probs[:] = np.nan
        counts = workers.collect(0, nothing)
        # 8 decisions of 4 arenas with 2 cars, half of them by each worker.
        assert rollout.obs.shape == (8, 8, 92)
        assert len(counts) == 2
        with torch.no_grad():
            logits, values = model(torch.from_numpy(rollout.obs))
            all_log_probs = masked_log_probs(logits, torch.from_numpy(rollout.masks))
            log_probs = chosen(all_log_probs, torch.from_numpy(rollout.actions))
        np.testing.assert_allclose(rollout.log_probs, log_probs, atol=within)
        np.testing.assert_allclose(rollout.values, values, atol=within)
        np.testing.assert_array_equal(rollout.next_values[:-1], rollout.values[1:])
        assert rollout.valid.all()
        # New weights play the next one.
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.05)
    workers.close()


def test_metrics_are_of_all_workers_together() -> None:
    workers, _ = start(tiny_config(*TWO, "rewards.save_boost=1"))
    metrics = measure(workers.collect(0, nothing))
    # Kickoffs: every car of every worker holds a third of its boost, or less.
    assert 0.4 < metrics["Reward/save_boost"] <= (1 / 3) ** 0.5
    assert metrics["Collect/physics_hz"] == 120
    workers.close()


def run_of(folder: Path, *settings: str, iterations: int = 2) -> list[dict[str, float]]:
    """Metrics of a run that trains anew or goes on, without what depends on the clock."""
    run = RunDir(folder)
    request = Request(run, tiny_config(*TWO, *settings), folder, "the test", iterations)
    train(request, lambda line: None)
    clocks = ("time", "Timing/", "Throughput/", "System/", "Cumulative/seconds")
    return [
        {name: value for name, value in record.items() if not name.startswith(clocks)}
        for record in jsonl.read_all(run.metrics)
    ]


def test_the_same_seed_and_number_of_workers_is_the_same_run(tmp_path: Path) -> None:
    first = run_of(tmp_path / "first", iterations=5)
    again = run_of(tmp_path / "again", iterations=5)
    np.testing.assert_equal(first, again)
    other = run_of(tmp_path / "other", "seed=1", iterations=1)
    assert first[0]["Loss/policy"] != other[0]["Loss/policy"]


def test_a_run_goes_on_with_another_number_of_workers(tmp_path: Path) -> None:
    for workers in (2, 3, 1):
        measured = run_of(tmp_path, f"sim.workers={workers}", iterations=1)
    assert [record["iteration"] for record in measured] == [1, 2, 3]


def test_two_resumes_with_workers_go_the_same_way(tmp_path: Path) -> None:
    for name in ("one", "two"):
        run_of(tmp_path / name, iterations=2)
        measured = run_of(tmp_path / name, iterations=1)
        if name == "one":
            expected = measured
    np.testing.assert_equal(measured, expected)


def test_a_rollout_can_be_abandoned_and_the_next_one_is_whole() -> None:
    config = tiny_config(*TWO[:2], "ppo.steps_per_iteration=2_000_000")
    workers, _ = start(config)
    began = time.monotonic()

    def insist() -> None:
        if time.monotonic() - began > 0.3:
            raise Abandoned

    with pytest.raises(Abandoned):
        workers.collect(0, insist)
    assert time.monotonic() - began < 10
    workers.change(config)
    workers.close()


def test_a_worker_that_dies_is_told_of_with_its_exit_code() -> None:
    workers, _ = start(tiny_config(*TWO[:2], "ppo.steps_per_iteration=2_000_000"))
    psutil.Process(workers.pids[1]).kill()
    words = "process 2 of 2 that play arenas died with exit code -9"
    with pytest.raises(WorkerError, match=words):
        workers.collect(0, nothing)
    psutil.Process(workers.pids[0]).kill()


def test_a_worker_that_died_between_two_rollouts_is_told_of_in_the_same_words() -> None:
    workers, _ = start(tiny_config(*TWO))
    died = psutil.Process(workers.pids[1])
    died.kill()
    died.wait()
    with pytest.raises(WorkerError, match="process 2 of 2 that play arenas died"):
        workers.collect(0, nothing)
    workers.close()


def test_a_signal_to_all_processes_is_the_trainers_to_obey() -> None:
    workers, _ = start(tiny_config(*TWO))
    for pid in workers.pids:
        for number in (signal.SIGINT, signal.SIGTERM):
            os.kill(pid, number)
    assert len(workers.collect(0, nothing)) == 2
    workers.close()


def test_workers_end_when_they_are_closed_and_when_the_trainer_is_gone(tmp_path: Path) -> None:
    workers, _ = start(tiny_config(*TWO))
    pids = workers.pids
    assert memory_mb(pids) > memory_mb([]) + 60
    workers.close()
    assert not any(psutil.pid_exists(pid) for pid in pids)
    assert left_after_a_kill(tmp_path, "tests.trainer.test_workers", "LONG") == []


def test_a_worker_loads_neither_torch_nor_the_run_folder() -> None:
    code = (
        "import sys, trainer.worker;"
        "print([n for n in ('torch', 'tomlkit', 'textual', 'onnx') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_stored_starts_reach_whichever_worker_plays_their_mode(tmp_path: Path) -> None:
    cars = [{"team": team, "position": [0, y, 17], "rotation": [0, 0, 0]} for team, y in SIDES]
    state = {"ball": {"position": [0, 0, 900]}, "cars": [car | {"boost": 7} for car in cars]}
    (tmp_path / "mine.jsonl").write_text(json.dumps(state))
    # One arena of 1v1, which the first worker has; the file holds nothing for the other's 2v2.
    config = tiny_config(
        *("sim.workers=2", "sim.arenas=2", "sim.modes.1v1=1", "sim.modes.2v2=1"),
        *("resets.file=mine.jsonl", "resets.from_file=1e9", "rewards.save_boost=1"),
    )
    workers, _ = start(config, tmp_path)
    (warning,) = workers.warnings
    assert "is a 2v2, which starts by the other weights" in warning
    first, second = workers.collect(0, nothing)
    assert (list(first.modes), list(second.modes)) == (["1v1"], ["2v2"])
    # A car that starts with 7 boost never has a third of it, unless it finds a pad.
    assert first.modes["1v1"].measure()["Reward/save_boost"] <= 0.07**0.5 + 1e-3
    workers.close()


SIDES = ((0, -3000), (1, 3000))


def test_rewards_change_between_rollouts_and_a_refusal_leaves_all_as_it_was() -> None:
    workers, _ = start(tiny_config(*TWO, "rewards.save_boost=1"))
    with pytest.raises(RewardError):
        workers.change(tiny_config(*TWO, 'rewards.custom={"mine:spin"=1.0}'))
    assert "Reward/save_boost" in measure(workers.collect(0, nothing))
    workers.change(tiny_config(*TWO, "rewards.save_boost=0", "rewards.in_air=1"))
    metrics = measure(workers.collect(64, nothing))
    assert "Reward/in_air" in metrics
    assert "Reward/save_boost" not in metrics
    workers.close()


def test_an_error_in_a_worker_ends_the_run_in_its_words(tmp_path: Path) -> None:
    # Every reward is tried with 3 arenas before it plays.
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "def late(state, previous, events):\n"
        "    return state.boost * (1 if len(state.boost) == 3 else np.nan)\n"
    )
    config = tiny_config(*TWO, 'rewards.custom={"mine:late"=1.0}')
    workers, _ = start(config, tmp_path)
    words = "mine:late is nan for car 0 of arena 0 of 1v1"
    with pytest.raises(EnvError, match=words) as caught:
        workers.collect(0, nothing)
    (note,) = caught.value.__notes__
    assert re.fullmatch(r"arenas are counted within process [12] of 2 that play arenas", note)
    workers.close()


def test_an_error_in_one_worker_is_told_in_its_words_while_the_other_plays_on(
    tmp_path: Path,
) -> None:
    # The first worker has two of the three arenas, the second one; every reward is tried with 3.
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "def late(state, previous, events):\n"
        "    return state.boost * (np.nan if len(state.boost) == 1 else 1)\n"
    )
    long = ("sim.arenas=3", "ppo.steps_per_iteration=2_000_000")
    config = tiny_config(*TWO, *long, 'rewards.custom={"mine:late"=1.0}')
    workers, _ = start(config, tmp_path)
    with pytest.raises(EnvError, match="mine:late is nan for car 0 of arena 0 of 1v1") as caught:
        workers.collect(0, nothing)
    assert caught.value.__notes__ == ["arenas are counted within process 2 of 2 that play arenas"]
    # It is gone for good, as the next order finds out.
    with pytest.raises(WorkerError, match="process 2 of 2 that play arenas died"):
        workers.change(config)
    workers.close()


def test_what_a_person_can_mend_is_refused_as_by_one_process(tmp_path: Path) -> None:
    with pytest.raises(RewardError, match=r"mine\.py does not exist"):
        start(tiny_config(*TWO, 'rewards.custom={"mine:spin"=1.0}'), tmp_path)


def test_a_refusal_that_nobody_waits_for_any_more_is_no_fault_of_the_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first refusal ends all, and the person reads that one, not a trace of each other."""

    def refuses(assignment: object) -> None:
        raise RewardError("mine.py does not exist")

    monkeypatch.setattr("trainer.worker._Worker", refuses)
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    trainer, worker = Pipe()
    trainer.close()
    work(cast(Assignment, None), worker)


def test_a_save_is_taken_while_workers_play(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    asked: list[str] = []

    def say(line: str) -> None:
        if line.startswith("iteration") and not asked:
            asked.append(line)
            send(run, "save")

    train(Request(run, tiny_config(*TWO), tmp_path, "the test", 2), say)
    saves = [event["text"] for event in jsonl.read_all(run.events) if event["kind"] == "save"]
    assert saves == [f"saved checkpoints/{128:015d}"]


def test_what_workers_collect_is_learned_from() -> None:
    config = tiny_config(*TWO)
    parts = build(config, Path(), None)
    parts.players.collect(0, nothing)
    measured = learn(config.ppo, parts.state, parts.players.rollout, nothing)
    assert measured["Update/actor_magnitude"] > 0
    parts.players.close()
