"""Recorded steps on the CPU, where a tape stands for the GPU. `test_on_gpu.py` asks a real one."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.trainer.tape import Tape, refuse
from tests.trainer.test_ppo import Learning, config, play
from tests.trainer.turn_toward_ball import estimate
from trainer.config_ppo import PPOConfig
from trainer.finite import NonFiniteError
from trainer.graphs import MOST_RECORDED, can_be_recorded
from trainer.networks import parameter_vector
from trainer.recorder import RecordingError, Work
from trainer.rollout_tensors import tensors_of

SIZES: dict[str, float | str] = {"batch_size": 110, "epochs": 2, "learning_rate": 0.01}
"""320 rows are batches of 107, 107 and 106: two recordings."""
FALLING: dict[str, float | str] = {
    "learning_rate_schedule": "cosine",
    "clip_schedule": "linear",
    "entropy_schedule": "linear",
    "schedule_steps": 1000,
}


@pytest.fixture(autouse=True)
def count_anew() -> None:
    Tape.recordings = 0


def iterate(learning: Learning, steps: int) -> dict[str, float]:
    """Play, then learn as after `steps` agent steps."""
    learning.agent_steps = steps
    learning.rollout = play(learning.model, learning.env, steps)
    learning.advantages, learning.targets = estimate(tensors_of(learning.rollout))
    return learning.update()


def both(shared: tuple[int, ...] = (), **settings: float | str) -> tuple[Learning, Learning]:
    """One that steps plainly, and one whose steps are recorded."""
    wanted = SIZES | settings
    return Learning(shared, None, **wanted), Learning(shared, Tape, **wanted)


def require_equal(plain: Learning, recorded: Learning) -> None:
    assert torch.equal(parameter_vector(plain.model), parameter_vector(recorded.model))


@pytest.mark.parametrize(
    ("shared", "settings"),
    [
        ((), {}),
        ((16,), {"minibatch_size": 40}),
        ((), {"value_clip": 0.1, "regeneration": 0.01}),
        ((16,), {"actor_precision": "bf16", "critic_precision": "bf16"}),
    ],
)
def test_recorded_steps_equal_plain_ones_while_schedules_move_the_coefficients(
    shared: tuple[int, ...], settings: dict[str, float | str]
) -> None:
    plain, recorded = both(shared, **FALLING, **settings)
    for steps in (0, 400, 900):
        assert iterate(recorded, steps) == iterate(plain, steps)
    require_equal(plain, recorded)
    assert Tape.recordings == 2
    assert recorded.steps.warnings == []


def test_a_tape_keeps_what_came_from_python_and_reads_what_lies_in_tensors() -> None:
    numbers, tensor, total = [1.0], torch.tensor(1.0), torch.tensor(0.0)
    replay = Tape()(lambda: total.add_(numbers[0] + 10 * tensor))  # type: ignore[func-returns-value]
    assert float(total) == 11
    numbers[0] = 2.0
    tensor.fill_(2)
    replay()
    assert float(total) == 11 + 21


EDITS = [
    {"epochs": 3},
    {"minibatch_size": 50},
    {"value_clip": 0.05},
    {"clip_range": 0.1},
    {"max_grad_norm": 0.01},
    {"learning_rate": 0.001},
    {"critic_precision": "bf16"},
]


@pytest.mark.parametrize("edit", EDITS)
def test_a_live_edit_holds_in_the_next_update(edit: dict[str, float | str]) -> None:
    plain, recorded = both()
    for learning in (plain, recorded):
        iterate(learning, 0)
        learning.config = config(**(SIZES | edit))
    assert iterate(recorded, 1) == iterate(plain, 1)
    require_equal(plain, recorded)


def forget_gradients(learning: Learning) -> None:
    learning.model.zero_grad(set_to_none=True)


def move_moments(learning: Learning) -> None:
    optimizer = learning.optimizers["critic"]
    for moments in optimizer.state.values():
        moments["exp_avg"] = moments["exp_avg"].clone()


@pytest.mark.parametrize("move", [forget_gradients, move_moments])
def test_what_was_recorded_is_dropped_when_a_tensor_has_moved(
    move: Callable[[Learning], None],
) -> None:
    plain, recorded = both()
    for learning in (plain, recorded):
        iterate(learning, 0)
        move(learning)
    assert iterate(recorded, 1) == iterate(plain, 1)
    require_equal(plain, recorded)
    assert Tape.recordings == 4


def test_another_number_of_rows_is_recorded_anew_and_beside_the_others() -> None:
    recorded = Learning(recorder=Tape, **SIZES)
    rows, panel = recorded.batch(), recorded.steps.panel
    recorded.steps.begin(recorded.config, recorded.now)
    for count in (100, 50, 100, 50):
        order = torch.arange(count)
        measured = recorded.steps.take(rows, order)
        assert torch.equal(measured, panel.measured)
    assert Tape.recordings == 2


def test_memory_of_recordings_has_a_bound_however_many_numbers_of_rows_come() -> None:
    plain, recorded = both()
    for learning in (plain, recorded):
        learning.steps.begin(learning.config, learning.now)
    counts = [*range(20, 20 + MOST_RECORDED + 4), 20, 39]
    for count in counts:
        rows, order = plain.batch(), torch.arange(count)
        assert torch.equal(recorded.steps.take(rows, order), plain.steps.take(rows, order))
    require_equal(plain, recorded)
    # The first ones are replayed whenever they come again, the others are taken plainly.
    assert Tape.recordings == len(recorded.steps._recorded) == MOST_RECORDED


def test_what_a_step_measured_stays_when_the_next_is_taken() -> None:
    recorded = Learning(recorder=Tape, **SIZES)
    recorded.steps.begin(recorded.config, recorded.now)
    first, second = (recorded.steps.take(recorded.batch(), torch.arange(100)) for _ in range(2))
    assert not torch.equal(first, second)


@pytest.mark.parametrize(
    ("settings", "possible"),
    [({}, True), ({"optimizer": "muon"}, False), ({"cuda_graphs": False}, False)],
)
def test_steps_of_muon_and_of_those_who_want_none_are_not_recorded(
    settings: dict[str, float | str], possible: bool
) -> None:
    assert can_be_recorded(PPOConfig.model_validate(settings)) == possible
    plain, recorded = both(**settings)
    assert iterate(recorded, 0) == iterate(plain, 0)
    assert Tape.recordings == 2 * possible


def test_when_recording_fails_steps_are_plain_and_one_warning_says_so() -> None:
    plain, fallen = Learning(**SIZES), Learning(recorder=lambda: refuse, **SIZES)
    for steps in range(2):
        assert iterate(fallen, steps) == iterate(plain, steps)
    require_equal(plain, fallen)
    assert fallen.steps.warnings == [
        "updates take their steps one kernel at a time: it has no tape"
    ]


def reading(tensor: Tensor) -> Work:
    return lambda: tensor.fill_(tensor.item())  # type: ignore[return-value]


def test_a_recording_that_reads_a_number_back_fails() -> None:
    with pytest.raises(RecordingError, match="a number was read back"):
        Tape()(reading(torch.ones(())))


def test_a_recorded_step_that_is_not_finite_leaves_the_weights_before_it() -> None:
    plain, recorded = both()
    weights = []
    for learning in (plain, recorded):
        iterate(learning, 0)
        learning.targets[3, 2] = float("nan")
        with pytest.raises(NonFiniteError, match=r"Loss/value is nan \(the targets of its rows"):
            learning.update()
        weights.append(parameter_vector(learning.model))
    assert weights[0].isfinite().all()
    require_equal(plain, recorded)
