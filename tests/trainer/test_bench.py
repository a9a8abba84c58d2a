import gc
import json
import weakref
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.trainer.tiny import tiny_config
from trainer import bench, bench_alone, builder
from trainer.bench import Result, lines_of, measure_work, read_results, write_results
from trainer.bench_limit import Alone, Load
from trainer.bench_works import WORKS, config_of
from trainer.builder import fresh_state
from trainer.checkpoint import TrainingState
from trainer.cli import app, run_app
from trainer.config import RunConfig
from trainer.networks import ActorCritic
from trainer.stopwatch import PHASES, UPDATE_PHASES
from trainer.training import Request

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

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
    settings=[],
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


def test_a_measurement_holds_what_scripts_read(tmp_path: Path) -> None:
    write_results(tmp_path / "results.json", [RESULT])
    record = json.loads((tmp_path / "results.json").read_text())["small"]
    promised = {"overall_sps", "collect_sps", "learn_sps", "limit_sps", "ratio_of_limit"}
    assert promised | {"peak_rss_mb", "phases"} <= set(record)


def test_measurements_of_earlier_versions_are_still_compared_with() -> None:
    kept = sorted(BENCHMARKS.glob("2026-11-29-two-cores*.json"))
    works = [path for path in kept if not path.stem.endswith(("growth", "soak"))]
    assert len(works) == 3
    for path in works:
        before = read_results(path)["small"]
        assert before.update_sps is None
        lines = lines_of(replace(RESULT, update_sps=250.0), before)
        assert any(line.split()[0] == "update_sps" and "x" not in line for line in lines)


def test_what_is_compared_with_is_said_and_that_it_was_another_machine() -> None:
    there = replace(RESULT, machine="16 threads, a GPU", workers=16)
    (line,) = [line for line in lines_of(RESULT, there) if "compared" in line]
    assert line == "  compared with 16 workers, 16 threads, a GPU: another machine"
    (line,) = [line for line in lines_of(RESULT, RESULT) if "compared" in line]
    assert line == "  compared with 2 workers, two cores"
    assert not any("compared" in line for line in lines_of(RESULT, None))


def test_what_was_set_over_only_one_of_two_measurements_is_said() -> None:
    bare = replace(RESULT, settings=["sim.workers=2"])
    rounded = replace(RESULT, settings=["sim.workers=2", "ppo.actor_precision=bf16"])
    (line,) = [line for line in lines_of(bare, rounded) if "compared" in line]
    assert line.endswith("two cores; it had ppo.actor_precision=bf16")
    (line,) = [line for line in lines_of(rounded, bare) if "compared" in line]
    assert line.endswith("two cores; it had no ppo.actor_precision=bf16")


def test_what_was_set_over_a_measurement_that_does_not_tell_is_not_said_to_be_missing() -> None:
    path = BENCHMARKS / "2026-11-29-two-cores-bf16.json"
    assert path.exists()
    rounded = replace(RESULT, settings=["ppo.actor_precision=bf16", "ppo.critic_precision=bf16"])
    (line,) = [
        line for line in lines_of(rounded, read_results(path)["small"]) if "compared" in line
    ]
    assert line.endswith("; what was set over it is not told")


def never(*arguments: object, **settings: object) -> Result:
    """Stands for a measurement that must not begin."""
    raise AssertionError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b'{"small": {"overall": 3}}', "is no measurement of this version: small.work: Field req"),
        (b'{"cores": 2}', "is no measurement of this version: cores: Input should be"),
        (b"[1]", "is no measurement of this version: Input should be"),
        (b"\xff\xfe", "is no measurement of this version: Invalid JSON"),
        (b"{}", "has no measurement of small; it holds nothing"),
    ],
)
def test_a_file_that_is_no_measurement_is_refused(
    text: bytes,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bench, "measure_work", never)
    old = tmp_path / "old.json"
    old.write_bytes(text)
    assert run_app(app, ["bench", "--compare", str(old)]) == 2
    assert f"{old} {words}" in capsys.readouterr().err


def test_a_file_of_other_works_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "measure_work", never)
    old = tmp_path / "old.json"
    write_results(old, [RESULT, replace(RESULT, work="eager")])
    command = ["bench", "--work", "small", "--work", "seed", "--compare", str(old)]
    assert run_app(app, command) == 2
    assert f"{old} has no measurement of seed; it holds small, eager" in capsys.readouterr().err


def test_a_work_that_is_not_there_is_refused_with_the_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_app(app, ["bench", "--work", "smal"]) == 2
    assert 'Did you mean "small"?' in capsys.readouterr().err
    assert run_app(app, ["bench", "--empty-work"]) == 2


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "measure_work", never)
    for path, why in [
        (tmp_path / "none" / "new.json", f"{tmp_path / 'none'} is no folder"),
        (tmp_path, "it is a folder"),
    ]:
        assert run_app(app, ["bench", "--json", str(path)]) == 2
        assert capsys.readouterr().err == f"rlppo: cannot write {path}: {why}\n"


def test_what_was_measured_before_somebody_interrupts_is_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(name: str, *arguments: object, **settings: object) -> Result:
        if name == "seed":
            raise KeyboardInterrupt
        return replace(RESULT, work=name)

    monkeypatch.setattr(bench, "measure_work", measured)
    path = tmp_path / "new.json"
    command = ["bench", "--work", "small", "--work", "seed", "--json", str(path)]
    assert run_app(app, command) == 130
    assert capsys.readouterr().err == "rlppo: interrupted\n"
    assert list(read_results(path)) == ["small"]


def test_a_training_that_was_asked_to_end_is_no_measurement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stopped(request: Request, say: Callable[[str], None]) -> None:
        for line in ("start", "iteration 1", "iteration 2", "stopped"):
            say(line)

    monkeypatch.setattr(bench, "train", stopped)
    with pytest.raises(KeyboardInterrupt):
        measure_work("small", config_of("small", SMALLER), iterations=2, profile=False)


@pytest.mark.parametrize(("workers", "least_ms"), [(1, 2 + 1 + 4), (2, 2 + 4)])
def test_one_worker_waits_for_its_decisions_and_two_can_hide_them(
    workers: int, least_ms: int
) -> None:
    alone = Alone(Load(0.002, 0.0), Load(0.001, 0.0), Load(0.004, 0.0))
    config = tiny_config("sim.inference=central", f"sim.workers={workers}")
    assert bench._limit_sps(config, alone) == pytest.approx(1000 / least_ms)


@pytest.fixture
def briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_alone, "LIMIT_S", 0.1)


@pytest.mark.usefixtures("briefly")
def test_a_work_is_measured_with_the_limit_of_the_machine() -> None:
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
    assert found.update_sps == pytest.approx(found.learn_sps)
    assert found.peak_rss_mb > 100
    # What three processes share counts once here, and three times there.
    assert found.pss_mb is None or 100 < found.pss_mb < found.peak_rss_mb
    assert set(WORKS) == {"small", "medium", "seed"}


@pytest.mark.usefixtures("briefly")
@pytest.mark.parametrize(
    ("settings", "in_turn"),
    [
        (("sim.inference=central",), ("update_sps",)),
        (("ppo.overlap=true",), ("physics_sps", "inference_sps")),
    ],
)
def test_a_run_that_does_two_things_at_once_stays_below_its_limit(
    settings: tuple[str, ...], in_turn: tuple[str, ...]
) -> None:
    config = config_of("small", (*SMALLER, *settings))
    found = measure_work("small", config, iterations=2, profile=False)
    assert 0 < found.ratio_of_limit <= 1
    assert found.ratio_of_limit == pytest.approx(found.overall_sps / found.limit_sps)
    alone = ("physics_sps", "inference_sps", "update_sps")
    seconds = {name: 1 / getattr(found, name) for name in alone}
    least = max(seconds.values(), default=0)
    assert least <= 1 / found.limit_sps <= sum(seconds.values()) * (1 + 1e-9)
    assert sum(seconds[name] for name in in_turn) <= 1 / found.limit_sps


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
