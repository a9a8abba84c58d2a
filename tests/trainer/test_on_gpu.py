"""What only a real GPU can show of the update: recorded steps, another device, resumes across."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.trainer.tiny import tiny_config
from trainer.builder import fresh_state
from trainer.checkpoint import Counters, TrainingState, load, save
from trainer.networks import parameter_vector
from trainer.recorder import GpuRecorder
from trainer.reward_lesson import learn
from trainer.rollout_tensors import RolloutTensors
from trainer.run_dir import RunDir

pytestmark = pytest.mark.cuda

CPU, GPU = torch.device("cpu"), torch.device("cuda")
SETTINGS = (
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
PLAIN = "ppo.cuda_graphs=false"


def rollout_of(seed: int) -> RolloutTensors:
    """Of 32 decisions of 16 agents that did anything, as a policy near uniform would."""
    rng = np.random.default_rng(seed)
    shape = (32, 16)

    def floats(mean: float = 0.0, deviation: float = 1.0) -> Tensor:
        return torch.from_numpy(rng.normal(mean, deviation, shape)).float()

    goals, cuts = torch.from_numpy(rng.random((2, *shape)) < 0.05)
    return RolloutTensors(
        obs=torch.from_numpy(rng.normal(size=(*shape, 92))).float(),
        masks=torch.ones((*shape, 90), dtype=torch.bool),
        actions=torch.from_numpy(rng.integers(90, size=shape)),
        log_probs=floats(-float(np.log(90)), 0.1),
        values=floats(),
        rewards=floats(),
        terminated=goals,
        truncated=cuts & ~goals,
        next_values=floats(),
        valid=torch.ones(shape, dtype=torch.bool),
    )


def learned(device: torch.device, *settings: str) -> TrainingState:
    """A fresh state that learned from four rollouts on `device`."""
    state = fresh_state(tiny_config(*SETTINGS, *settings), device)
    go_on(state, *settings)
    return state


def go_on(state: TrainingState, *settings: str) -> dict[str, float]:
    """Learn from four rollouts, which come from the CPU; what was measured last."""
    config = tiny_config(*SETTINGS, *settings)
    measured: dict[str, float] = {}
    for seed in range(4):
        measured = learn(config.ppo, state, rollout_of(seed), lambda: None)
        state.counters = Counters(steps=state.counters.steps + 512)
    return measured


def require_close(found: TrainingState, expected: TrainingState, *settings: str) -> None:
    """Both have the same weights, but for a small share of how far they came."""
    start = parameter_vector(fresh_state(tiny_config(*SETTINGS, *settings), CPU).model)
    ours, theirs = (parameter_vector(state.model).cpu() - start for state in (found, expected))
    assert float(theirs.norm()) > 0.1
    assert float((ours - theirs).norm() / theirs.norm()) < 0.02


@pytest.mark.parametrize(
    "settings",
    [
        (),
        ("networks.shared=[64]", "networks.norm=layer_norm", "ppo.value_clip=0.2"),
        ("ppo.actor_precision=bf16", "ppo.critic_precision=tf32", "ppo.regeneration=0.01"),
    ],
)
def test_recorded_steps_equal_plain_ones(settings: tuple[str, ...]) -> None:
    plain, recorded = learned(GPU, *settings, PLAIN), learned(GPU, *settings)
    assert (len(plain.steps._recorded), len(recorded.steps._recorded)) == (0, 2)
    assert recorded.steps.warnings == []
    require_close(recorded, plain, *settings)


def test_a_gpu_learns_what_the_cpu_learns() -> None:
    on_cpu, on_gpu = learned(CPU), learned(GPU)
    require_close(on_gpu, on_cpu)
    expected, found = go_on(on_cpu), go_on(on_gpu)
    for name in ("Loss/value", "Loss/entropy", "Update/actor_grad_norm", "GAE/advantage_std"):
        assert found[name] == pytest.approx(expected[name], rel=0.02)


def test_a_rollout_that_lies_on_the_gpu_is_not_copied() -> None:
    there = rollout_of(0).to(GPU)
    again = there.to(GPU)
    assert [field.data_ptr() for field in there] == [field.data_ptr() for field in again]
    assert all(torch.equal(*pair) for pair in zip(there.to(CPU), rollout_of(0), strict=True))


def test_an_edit_between_two_updates_is_recorded_anew() -> None:
    recorded, plain = learned(GPU), learned(GPU, PLAIN)
    edits = ("ppo.max_grad_norm=0.01", "ppo.minibatch_size=30")
    go_on(recorded, *edits)
    go_on(plain, *edits, PLAIN)
    require_close(recorded, plain)


def test_a_failed_recording_is_one_warning_and_plain_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(recorder: GpuRecorder, graph: object, work: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(GpuRecorder, "_capture", refuse)
    fallen = learned(GPU)
    assert fallen.steps.warnings == [
        "updates take their steps one kernel at a time: the GPU could not record one (no)"
    ]
    require_close(fallen, learned(GPU, PLAIN))


READS_BACK = """
import torch
from trainer.recorder import GpuRecorder, RecordingError, new_stream

total, stream = torch.zeros((), device="cuda"), torch.cuda.current_stream()

def work():
    total.add_(1)
    total.item()

try:
    GpuRecorder(new_stream(torch.device("cuda")))(work)
except RecordingError:
    assert torch.cuda.current_stream() == stream
    print(float(total + 1))
"""


def test_after_a_recording_that_read_a_number_back_the_gpu_goes_on() -> None:
    # In a process of its own: PyTorch's allocator does not forget a recording that failed.
    command = [sys.executable, "-c", READS_BACK]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "2.0\n"


@pytest.mark.parametrize(("first", "second"), [(CPU, GPU), (GPU, CPU), (GPU, GPU)])
def test_a_checkpoint_resumes_on_either_device(
    tmp_path: Path, first: torch.device, second: torch.device
) -> None:
    config = tiny_config(*SETTINGS)
    state = learned(first)
    folder = save(RunDir(tmp_path), config, state)
    resumed = fresh_state(tiny_config(*SETTINGS, "seed=5"), second)
    load(folder, config, resumed)
    for optimizer in resumed.optimizers.values():
        for moments in optimizer.state.values():
            assert {moment.device.type for moment in moments.values()} == {second.type}
            assert moments["step"].dtype == torch.float32
    go_on(state)
    go_on(resumed)
    require_close(resumed, state)


def test_an_update_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learned(GPU)
        learned(GPU, PLAIN)
