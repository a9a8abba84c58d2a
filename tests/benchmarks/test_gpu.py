import json
from pathlib import Path

import pytest
import torch

from benchmarks import gpu
from benchmarks.__main__ import app
from benchmarks.gpu import WAYS, compare, settings_of, write_ways
from trainer import bench
from trainer.bench import Result
from trainer.bench_limit import Load
from trainer.bench_works import config_of
from trainer.builder import DeviceError
from trainer.cli import run_app
from trainer.config import RunConfig


def test_each_way_has_one_thing_more_than_the_one_before() -> None:
    configs = [config_of("seed", settings_of(way)) for way in WAYS]
    eager, graphs, resident, critic, both, overlap = configs
    assert (eager.ppo.cuda_graphs, graphs.ppo.cuda_graphs) == (False, True)
    assert (graphs.sim.inference, resident.sim.inference) == ("workers", "central")
    assert (critic.ppo.critic_precision, critic.ppo.actor_precision) == ("bf16", "f32")
    assert both.ppo.actor_precision == "bf16"
    assert overlap.ppo.overlap
    assert overlap.ppo.actor_precision == "bf16"
    assert {config.device for config in configs} == {"cuda"}


def measured(work: str, config: RunConfig, iterations: int, *, profile: bool) -> Result:
    """As many thousand steps a second as there are iterations, and a warning with graphs."""
    rate, told = 1000.0 * iterations, ["not recorded"] if config.ppo.cuda_graphs else []
    limit = (2 * rate, 0.5)
    return Result(work, *[rate] * 3, *limit, *[rate] * 3, 1.0, {}, 16, "a GPU", warnings=told)


def test_ways_are_a_table_with_what_the_run_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "choose_device", lambda name: name)
    monkeypatch.setattr(gpu, "measure_work", measured)
    lines: list[str] = []
    path = tmp_path / "gpu.json"
    compare(5, lines.append, lambda found: write_ways(path, found))
    assert lines[1].split() == ["eager", *["5,000"] * 3, "10,000", "0.50", "5,000"]
    assert len({len(line) for line in (lines[0], lines[1], lines[2])}) == 1
    assert lines[2].split()[0] == "graphs"
    assert lines[3] == "  not recorded"
    written = json.loads(path.read_text())
    assert list(written) == list(WAYS)
    assert tuple(written["graphs"]["settings"]) == (
        *("ppo.minibatch_size=50_000", "device=cuda", "sim.inference=workers"),
        *("ppo.cuda_graphs=false", "ppo.cuda_graphs=true"),
    )


def test_a_way_that_fails_leaves_what_was_measured_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(work: str, config: RunConfig, iterations: int, *, profile: bool) -> Result:
        if config.sim.inference == "central":
            raise RuntimeError("out of memory")
        return measured(work, config, iterations, profile=profile)

    monkeypatch.setattr(gpu, "choose_device", lambda name: name)
    monkeypatch.setattr(gpu, "measure_work", measure)
    path = tmp_path / "gpu.json"
    with pytest.raises(RuntimeError, match="out of memory"):
        compare(5, print, lambda found: write_ways(path, found))
    assert list(json.loads(path.read_text())) == ["eager", "graphs"]


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "compare", None)
    assert run_app(app, ["gpu", "--json", str(tmp_path / "none" / "gpu.json")]) == 2
    assert f"{tmp_path / 'none'} is no folder" in capsys.readouterr().err


def test_without_a_gpu_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(DeviceError, match="finds no GPU"):
        compare(5, print, print)


def test_the_limit_of_each_way_is_of_who_decides_and_what_goes_on_at_once_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Physics 2 ms on 16 cores, deciding 1 ms, learning 4 ms; on this GPU the last two."""
    monkeypatch.setattr(bench, "choose_device", torch.device)
    monkeypatch.setattr(bench, "count_cores", lambda: 16)
    monkeypatch.setattr(bench, "measure_physics", lambda config: Load(0.002, 0.032))
    asked: list[RunConfig] = []

    def measured_update(config: RunConfig) -> Load:
        asked.append(config)
        return Load(0.004, 0.0)

    monkeypatch.setattr(bench, "measure_update", measured_update)
    limits = []
    for way in WAYS:
        config = config_of("seed", (*settings_of(way), "sim.workers=16"))
        central = config.sim.inference == "central"
        inference = Load(0.001, 0.0 if central else 0.016)
        monkeypatch.setattr(bench, "measure_inference", lambda config, found=inference: found)
        alone = bench._alone(config, update_s=0.004)
        limits.append(bench._limit_sps(config, alone))
    in_turn, hidden, overlapped = 1 / 0.007, 1 / 0.006, 1 / 0.004
    expected = [in_turn, in_turn, hidden, hidden, hidden, overlapped]
    assert limits == pytest.approx(expected)
    assert [config.ppo.overlap for config in asked] == [True]
