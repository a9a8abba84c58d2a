import gc
import json
import weakref
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.trainer.tiny import tiny_config
from trainer import bench, builder
from trainer.bench import Result, lines_of, measure_work, read_results, write_results
from trainer.bench_works import WORKS, config_of
from trainer.builder import fresh_state
from trainer.checkpoint import TrainingState
from trainer.cli import app, run_app
from trainer.config import RunConfig
from trainer.networks import ActorCritic
from trainer.stopwatch import PHASES, UPDATE_PHASES

SMALLER = (
    "device=cpu",
    "sim.arenas=4",
    "sim.workers=2",
    "ppo.steps_per_iteration=64",
    "ppo.batch_size=64",
    "ppo.minibatch_size=32",
)


@pytest.mark.parametrize(
    ("work", "agents", "rows", "epochs", "layers"),
    [
        # Rounded up to whole decisions of all agents: 98 of 512, and 98 of 1,024.
        ("small", 512, 50_176, 1, (256, 256, 256)),
        ("medium", 512, 50_176, 1, (1024, 1024, 512)),
        ("seed", 1024, 100_352, 2, (2048, 2048, 1024, 1024)),
    ],
)
def test_a_work_is_what_it_says(
    work: str, agents: int, rows: int, epochs: int, layers: tuple[int, ...]
) -> None:
    config = config_of(work)
    assert (config.sim.agents, config.rollout_rows) == (agents, rows)
    assert config.ppo.epochs == epochs
    assert config.networks.actor == config.networks.critic == layers
    paid = {name: weight for name, weight in config.rewards if isinstance(weight, float) and weight}
    assert paid == {"goal": 10, "touch": 0.1, "velocity_ball_to_goal": 1}
    assert (config.sim.observation, config.sim.tick_skip, config.sim.modes) == (
        *("default", 8, {"1v1": 1}),
    )
    assert (config.resets.kickoff > 0, config.resets.random) == (True, 0)


RESULT = Result(
    work="small",
    overall_sps=100.0,
    collect_sps=200.0,
    learn_sps=250.0,
    limit_sps=125.0,
    ratio_of_limit=0.8,
    physics_sps=400.0,
    inference_sps=500.0,
    peak_rss_mb=512.0,
    first_iteration_s=4.0,
    phases={"collect": 1.0, "wall": 2.0},
    workers=2,
    machine="two cores",
)


def test_results_are_written_and_read_and_compared(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    write_results(path, [RESULT])
    assert read_results(path) == {"small": RESULT}
    assert json.loads(path.read_text())["small"]["phases"]["wall"] == 2
    faster = replace(RESULT, overall_sps=150.0)
    (line,) = [line for line in lines_of(faster, RESULT) if "overall_sps" in line]
    assert line.split() == ["overall_sps", "150.00", "steps/s", "x1.50"]
    assert not any("x" in line for line in lines_of(RESULT, None)[1:])


def test_a_file_that_is_no_measurement_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "old.json").write_text('{"small": {"overall": 3}}')
    command = ["bench", "--compare", str(tmp_path / "old.json")]
    assert run_app(app, command) == 2
    assert "is no measurement of this version" in capsys.readouterr().err


def test_a_work_is_measured_with_the_limit_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench, "LIMIT_S", 0.1)
    config = config_of("small", SMALLER)
    found = measure_work("small", config, iterations=2, profile=True)
    assert found.workers == 2
    phases = found.phases
    parts = ("collect", "update", "save", "publish")
    assert set(phases) == {
        *(*PHASES, "waiting", "rollout", *UPDATE_PHASES),
        *(*parts, "unaccounted", "wall"),
    }
    assert sum(phases[name] for name in (*PHASES, "waiting")) == pytest.approx(phases["rollout"])
    assert phases["rollout"] <= phases["collect"]
    # The median and the mean of two are one.
    assert found.overall_sps == pytest.approx(64 / phases["wall"])
    assert min(found.physics_sps, found.inference_sps) > found.overall_sps
    seconds = 1 / found.physics_sps + 1 / found.inference_sps + 1 / found.learn_sps
    assert found.limit_sps == pytest.approx(1 / seconds)
    assert found.peak_rss_mb > 100
    # What three processes share counts once here, and three times there.
    assert found.pss_mb is None or 100 < found.pss_mb < found.peak_rss_mb
    assert set(WORKS) == {"small", "medium", "seed"}


def test_nothing_of_a_measured_session_stays_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU it would keep its networks and recordings there, beside those of the next one."""
    models = list[weakref.ref[ActorCritic]]()

    def fresh(config: RunConfig, device: torch.device) -> TrainingState:
        state = fresh_state(config, device)
        models.append(weakref.ref(state.model))
        return state

    monkeypatch.setattr(builder, "fresh_state", fresh)
    gc.disable()
    try:
        bench._train(tiny_config(), 1, profile=False)
        assert [model() for model in models] == [None]
    finally:
        gc.enable()
