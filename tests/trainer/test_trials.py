from pathlib import Path

import pytest
import torch

from tests.trainer.tiny import tiny_config
from trainer import trials
from trainer.config_ppo import PPOConfig
from trainer.sizes import chunk_mb
from trainer.stopwatch import PHASES
from trainer.trials import CollectTrial, LearnTrial, in_turn, play_mb, usable_mb


def test_trials_take_turns_and_give_medians() -> None:
    order: list[str] = []
    first, second = iter([1.0, 9.0, 2.0]), iter([30.0, 10.0, 20.0])

    def run(name: str, speeds: "iter[float]") -> float:
        order.append(name)
        return next(speeds)

    assert in_turn([lambda: run("a", first), lambda: run("b", second)], 3) == [2.0, 20.0]
    assert order == ["a", "b"] * 3


@pytest.mark.parametrize("workers", [1, 2])
def test_collecting_is_measured_by_phase(workers: int) -> None:
    trial = CollectTrial(tiny_config(f"sim.workers={workers}"), Path())
    try:
        assert trial.rows_played == 0
        assert trial.run(0.0) > 0
        # 32 decisions of 2 arenas with 2 cars: one rollout, whatever steps_per_iteration says.
        assert trial.rows_played == 128
        assert min(trial.seconds[name] for name in PHASES if name != "resets") > 0
        assert (trial.worker_mb > 30) == (workers == 2)
    finally:
        trial.close()


def test_learning_is_measured_in_one_epoch_of_one_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = LearnTrial(tiny_config("ppo.epochs=5"), rows=100)
    # (92 * 8 + 8) + (8 * 8 + 8) + (8 * 90 + 90) and (92 * 12 + 12) + (12 + 1)
    assert trial.parameters == 1626 + 1129
    asked: list[PPOConfig] = []
    monkeypatch.setattr(trials, "learn", lambda config, *rest: asked.append(config))
    assert trial.run(32) > 0
    # 100 rows are 32 decisions of 4 agents, who are 128.
    (config,) = asked
    assert (config.epochs, config.batch_size, config.minibatch_size) == (1, 128, 32)
    # On a GPU, taking a recording of each size would be most of it.
    assert not config.cuda_graphs


def test_memory_is_counted_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    config = tiny_config("sim.arenas=100", "ppo.steps_per_iteration=20_000")
    # 4 workers of 60 MB, 100 arenas of 0.36 MB; 20,000 rows of 92 floats, 90 flags, an int64, four
    # floats and three flags are 485 bytes each.
    rollout = 20_000 * 485 / 2**20
    assert play_mb(config, 4, 92, 90) == pytest.approx(240 + 36 + rollout)
    # Layers of 8, 8 and 12: three numbers of 4 bytes for each of 28 units.
    assert chunk_mb(config, 2**20) == 28 * 12
    monkeypatch.setattr(
        trials.psutil, "virtual_memory", lambda: type("Free", (), {"available": 2**30})
    )
    assert usable_mb(torch.device("cpu")) == pytest.approx(0.8 * 1024)
