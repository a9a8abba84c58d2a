"""What only a real GPU can show of the update: recorded steps, another device, resumes across."""

import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.trainer.tiny import tiny_config
from trainer.builder import fresh_state
from trainer.checkpoint import TrainingState, load, save
from trainer.config import RunConfig
from trainer.graphs import GpuRecorder, RecordingError
from trainer.learner import learn
from trainer.networks import parameter_vector
from trainer.rollout_tensors import RolloutTensors
from trainer.run_dir import RunDir

pytestmark = [
    pytest.mark.cuda,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch finds no GPU here"),
]

CPU, GPU = torch.device("cpu"), torch.device("cuda")
WIDER = (
    "networks.actor=[64, 64]",
    "networks.critic=[64, 64]",
    "ppo.steps_per_iteration=512",
    "ppo.batch_size=110",
    "ppo.minibatch_size=64",
    "ppo.learning_rate_schedule=linear",
    "ppo.clip_schedule=linear",
    "ppo.schedule_steps=5_000",
)
"""512 rows are batches of 103 and 102 in chunks of 52 at most; coefficients fall."""


def rollout_of(seed: int) -> RolloutTensors:
    """Of 32 decisions of 16 agents that did anything, as a policy near uniform would."""
    rng = np.random.default_rng(seed)
    shape = (32, 16)

    def floats(scale: float = 1.0) -> torch.Tensor:
        return torch.from_numpy(rng.normal(0, scale, shape)).float()

    ended = torch.from_numpy(rng.random((2, *shape)) < 0.05)
    return RolloutTensors(
        obs=torch.from_numpy(rng.normal(size=(*shape, 92))).float(),
        masks=torch.ones((*shape, 90), dtype=torch.bool),
        actions=torch.from_numpy(rng.integers(90, size=shape)),
        log_probs=floats(0.1) - float(np.log(90)),
        values=floats(),
        rewards=floats(),
        terminated=ended[0],
        truncated=ended[1] & ~ended[0],
        next_values=floats(),
    )


def learned(
    device: torch.device, *settings: str, iterations: int = 4, state: TrainingState | None = None
) -> tuple[TrainingState, list[dict[str, float]]]:
    """A state that learned from some rollouts on `device`, and what was measured."""
    config = tiny_config(*WIDER, *settings)
    state = state or fresh_state(config, device)
    measured = [iterate(config, state, rollout_of(seed).to(device)) for seed in range(iterations)]
    return state, measured


def iterate(config: RunConfig, state: TrainingState, rollout: RolloutTensors) -> dict[str, float]:
    measured = learn(config.ppo, state, rollout, lambda: None)
    state.counters = state.counters.__class__(steps=state.counters.steps + 512)
    return measured


@pytest.mark.parametrize(
    "settings",
    [
        (),
        ("networks.shared=[64]", "networks.norm=layer_norm", "ppo.value_clip=0.2"),
        ("ppo.actor_precision=bf16", "ppo.critic_precision=tf32", "ppo.regeneration=0.01"),
    ],
)
def test_recorded_steps_equal_plain_ones(settings: tuple[str, ...]) -> None:
    plain, expected = learned(GPU, *settings, "ppo.cuda_graphs=false")
    recorded, found = learned(GPU, *settings)
    assert len(recorded.steps._recorded) == 2
    assert (plain.steps._recorded, recorded.steps.warnings) == ({}, [])
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-5)
    torch.testing.assert_close(
        parameter_vector(recorded.model), parameter_vector(plain.model), rtol=1e-3, atol=1e-4
    )


def test_a_gpu_learns_what_the_cpu_learns() -> None:
    on_cpu, expected = learned(CPU)
    on_gpu, found = learned(GPU)
    for ours, theirs in zip(found, expected, strict=True):
        # Sums in another order.
        assert ours == pytest.approx(theirs, rel=1e-2, abs=1e-4)
    torch.testing.assert_close(
        parameter_vector(on_gpu.model).cpu(), parameter_vector(on_cpu.model), rtol=1e-2, atol=1e-3
    )


def test_a_rollout_that_lies_on_the_gpu_is_not_copied() -> None:
    there = rollout_of(0).to(GPU)
    again = there.to(GPU)
    assert [field.data_ptr() for field in there] == [field.data_ptr() for field in again]
    assert all(torch.equal(*pair) for pair in zip(there.to(CPU), rollout_of(0), strict=True))


def test_an_edit_between_two_updates_is_recorded_anew() -> None:
    state, _ = learned(GPU)
    plain, _ = learned(GPU, "ppo.cuda_graphs=false")
    for settings, one in (((), state), (("ppo.cuda_graphs=false",), plain)):
        learned(GPU, *settings, "ppo.max_grad_norm=0.01", "ppo.minibatch_size=30", state=one)
    torch.testing.assert_close(
        parameter_vector(state.model), parameter_vector(plain.model), rtol=1e-3, atol=1e-4
    )


def test_a_recording_that_reads_back_fails_and_the_gpu_goes_on() -> None:
    total = torch.zeros((), device=GPU)

    def work() -> None:
        total.add_(1)
        total.item()

    stream = torch.cuda.current_stream()
    with pytest.raises(RecordingError, match="the GPU could not record one"):
        GpuRecorder()(work)
    assert torch.cuda.current_stream() == stream
    assert float(total + 1) == 2


def test_a_failed_recording_is_one_warning_and_plain_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(recorder: GpuRecorder, graph: object, work: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(GpuRecorder, "_capture", refuse)
    fallen, found = learned(GPU)
    plain, expected = learned(GPU, "ppo.cuda_graphs=false")
    assert fallen.steps.warnings == [
        "updates take their steps one kernel at a time: the GPU could not record one (no)"
    ]
    assert found[-1] == pytest.approx(expected[-1], rel=1e-3, abs=1e-5)
    torch.testing.assert_close(
        parameter_vector(fallen.model), parameter_vector(plain.model), rtol=1e-3, atol=1e-4
    )


@pytest.mark.parametrize(("first", "second"), [(CPU, GPU), (GPU, CPU), (GPU, GPU)])
def test_a_checkpoint_resumes_on_the_other_device(
    tmp_path: Path, first: torch.device, second: torch.device
) -> None:
    config = tiny_config(*WIDER)
    state, _ = learned(first)
    folder = save(RunDir(tmp_path), config, state)
    resumed = fresh_state(tiny_config(*WIDER, "seed=5"), second)
    load(folder, config, resumed)
    for optimizer in resumed.optimizers.values():
        for moments in optimizer.state.values():
            assert {moment.device.type for moment in moments.values()} == {second.type}
            assert moments["step"].dtype == torch.float32
    learned(first, state=state)
    learned(second, state=resumed)
    torch.testing.assert_close(
        parameter_vector(resumed.model).cpu(),
        parameter_vector(state.model).cpu(),
        rtol=1e-2,
        atol=1e-3,
    )


def test_an_update_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learned(GPU)
        learned(GPU, "ppo.cuda_graphs=false")
