from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tests.trainer.tiny import tiny_config
from trainer.act_step import ActStep, act
from trainer.builder import fresh_state
from trainer.checkpoint import load, save
from trainer.networks import ActorCritic
from trainer.policy import TorchPolicy
from trainer.recorder import GpuRecorder, RecordingError, Work, new_stream
from trainer.run_dir import RunDir
from trainer.shared_weights import WrongWeightsError

CPU, GPU = torch.device("cpu"), torch.device("cuda")
M, D, A = 12, 92, 90


def new_model(device: torch.device = CPU) -> ActorCritic:
    return fresh_state(tiny_config("networks.norm=layer_norm"), device).model


def fill(step: ActStep, seed: int) -> None:
    rng = np.random.default_rng(seed)
    masks = rng.random((M, A)) < 0.2
    masks[:, 7] = True
    step.obs.copy_(torch.from_numpy(rng.normal(size=(M, D)).astype(np.float32)))
    step.masks.copy_(torch.from_numpy(masks))
    step.uniforms.copy_(torch.from_numpy(rng.random(M, dtype=np.float32)))


def test_a_step_decides_as_the_policy_that_plays_in_one_process() -> None:
    model = new_model()
    step = ActStep(model, M, D, A, recorder=None)
    fill(step, seed=1)
    step.uniforms.copy_(torch.from_numpy(np.random.default_rng(2).random(M, dtype=np.float32)))
    step.run()
    rng = np.random.default_rng(2)
    decision = TorchPolicy(model, CPU).act(step.obs.numpy(), step.masks.numpy(), rng)
    for found, expected in zip(step.acted, decision, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert step.acted.actions.dtype == torch.int64


def test_results_stay_in_their_places_and_are_of_the_newest_inputs_and_weights() -> None:
    model = new_model()
    step = ActStep(model, M, D, A, recorder=None)
    places = [tensor.data_ptr() for tensor in step.acted]
    for seed in range(3):
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.1)
        fill(step, seed)
        step.run()
        found = act(model, step.obs, step.masks, step.uniforms)
        assert all(map(torch.equal, step.acted, found))
    assert [tensor.data_ptr() for tensor in step.acted] == places


def test_a_recorded_step_whose_weights_were_put_elsewhere_is_refused() -> None:
    model = new_model()
    recorded = ActStep(model, M, D, A, recorder=lambda work: work)
    plain = ActStep(model, M, D, A, recorder=None)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1)
    recorded.require_in_place()
    first = next(model.parameters())
    first.data = first.data.clone()
    with pytest.raises(WrongWeightsError, match="weights that were put elsewhere"):
        recorded.require_in_place()
    plain.require_in_place()


class ReadsBack(TorchDispatchMode):
    """Refuses what a GPU cannot record: a number that Python wants to know."""

    def __torch_dispatch__(self, run, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN204
        assert run is not torch.ops.aten._local_scalar_dense.default
        assert run is not torch.ops.aten.nonzero.default
        return run(*args, **(kwargs or {}))


def test_nothing_is_read_back_by_a_step() -> None:
    step = ActStep(new_model(), M, D, A, recorder=None)
    fill(step, seed=0)
    with ReadsBack():
        step.run()
        with pytest.raises(AssertionError):
            float(step.acted.values[0])


def test_what_is_not_finite_or_impossible_is_drawn_all_the_same() -> None:
    model = new_model()
    step = ActStep(model, M, D, A, recorder=None)
    fill(step, seed=0)
    step.masks[3] = False
    step.obs[5, 0] = torch.nan
    step.run()
    assert ((step.acted.actions >= 0) & (step.acted.actions < A)).all()
    wrong = ~(step.acted.log_probs + step.acted.values).isfinite()
    assert wrong.nonzero().flatten().tolist() == [5]


def test_a_step_that_cannot_be_recorded_is_taken_plainly_and_says_so() -> None:
    def refuse(work: Work) -> Work:
        work()
        raise RecordingError("no such thing here")

    model = new_model()
    steps = [ActStep(model, M, D, A, recorder) for recorder in (None, refuse)]
    for step in steps:
        fill(step, seed=4)
        step.run()
    assert [step.warning for step in steps] == [
        "",
        "decisions are made one kernel at a time: no such thing here",
    ]
    assert torch.equal(steps[0].acted.log_probs, steps[1].acted.log_probs)


def test_whatever_changes_parameters_writes_into_their_places(tmp_path: Path) -> None:
    """A recorded step reads them there."""
    config, run = tiny_config(), RunDir(tmp_path)
    state, other = fresh_state(config, CPU), fresh_state(tiny_config("seed=1"), CPU)
    places = [parameter.data_ptr() for parameter in state.model.parameters()]

    def learn() -> None:
        for parameter in state.model.parameters():
            parameter.grad = torch.ones_like(parameter)
        for optimizer in state.optimizers.values():
            optimizer.step()

    changes: list[Callable[[], object]] = [
        learn,
        lambda: state.model.rescale_values(0.5),
        lambda: load(save(run, tiny_config("seed=1"), other), config, state),
    ]
    for change in changes:
        before = [parameter.clone() for parameter in state.model.parameters()]
        change()
        assert not all(map(torch.equal, before, state.model.parameters()))
        assert [parameter.data_ptr() for parameter in state.model.parameters()] == places


@pytest.mark.cuda
def test_a_recorded_step_decides_as_a_plain_one_under_weights_of_its_time() -> None:
    model, recorder = new_model(GPU), GpuRecorder(new_stream(GPU))
    plain, first, second = (ActStep(model, M, D, A, how) for how in (None, recorder, recorder))
    assert not first.warning + second.warning
    for seed in range(4):
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.mul_(1.3)
        for step in (plain, first, second):
            fill(step, seed)
            step.run()
        for recorded in (first, second):
            assert torch.equal(recorded.acted.actions, plain.acted.actions)
            torch.testing.assert_close(recorded.acted.log_probs, plain.acted.log_probs)
            torch.testing.assert_close(recorded.acted.values, plain.acted.values)
