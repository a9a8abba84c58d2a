"""Learning and deciding on a device that is not the host's: what they ask of the host, and when.

`elsewhere.py` is that device, for machines that have none. `test_on_gpu.py` asks a real one.
"""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.trainer.elsewhere import CPU, DEVICE, Elsewhere, RuleError
from tests.trainer.test_on_gpu import SETTINGS, rollout_of
from tests.trainer.tiny import tiny_config
from trainer.act_step import ActStep
from trainer.builder import fresh_state
from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.config_ppo import Estimator
from trainer.distillation import Distillation
from trainer.gae import compute_gae
from trainer.graphs import Steps, can_be_recorded
from trainer.networks import ActorCritic, parameter_vector
from trainer.old_seats import make_old_seats
from trainer.optimizers import Learnable
from trainer.plasticity import plasticity
from trainer.policy import TorchPolicy
from trainer.reward_lesson import learn
from trainer.rollout_tensors import RolloutTensors
from trainer.sampling import masked_log_probs
from trainer.stopwatch import Stopwatch

M, D, A = 12, 92, 90
WAYS = [
    (),
    ("networks.shared=[64]", "networks.norm=layer_norm", "ppo.value_clip=0.2"),
    ("ppo.actor_precision=bf16", "ppo.critic_precision=tf32", "ppo.regeneration=0.01"),
    ("ppo.optimizer=muon", "networks.norm=rms_norm"),
    (
        "ppo.kl_stop=true",
        "ppo.target_kl=0.01",
        "ppo.gae_estimator=termination_time",
        "ppo.scale_rewards=true",
    ),
    ("ppo.overlap=true", "sim.workers=2", "ppo.cuda_graphs=false"),
]


def nothing() -> None:
    pass


def state_on(device: Elsewhere | None, config: RunConfig) -> TrainingState:
    """A fresh state, whose steps `device` records."""
    state = fresh_state(config, DEVICE if device else CPU)
    if device:
        learnable = Learnable(state.model, state.optimizers, state.anchors)
        state.steps = Steps(learnable, lambda: device.record)
    return state


def rows_of_two(seed: int) -> RolloutTensors:
    """A rollout of which old opponents play a quarter."""
    rollout = rollout_of(seed)
    rollout.valid[:, ::4] = False
    return rollout


@pytest.mark.parametrize("settings", WAYS)
def test_what_is_learned_there_is_what_is_learned_here(
    device: Elsewhere, settings: tuple[str, ...]
) -> None:
    config = tiny_config(*SETTINGS, *settings)
    here, there = (state_on(place, config) for place in (None, device))
    for seed in range(2):
        measured = [learn(config.ppo, state, rows_of_two(seed), nothing) for state in (here, there)]
        assert measured[0] == measured[1]
    assert torch.equal(parameter_vector(here.model), parameter_vector(there.model).cpu())
    # 384 rows are batches of 128; the first step of all is the one that is recorded.
    assert len(there.steps._recorded) == can_be_recorded(config.ppo)
    assert there.steps.warnings == []


@pytest.mark.parametrize(
    ("settings", "each"),
    # The KL that may end an update; with Muon, for three networks whether to step at all.
    [
        ((), []),
        (("ppo.kl_stop=true", "ppo.target_kl=100"), ["_local_scalar_dense"]),
        (("ppo.optimizer=muon",), 2 * ["_local_scalar_dense"]),
    ],
)
def test_an_update_reads_nothing_back_between_its_steps(
    device: Elsewhere, settings: tuple[str, ...], each: list[str]
) -> None:
    config = tiny_config(*SETTINGS, *settings)
    state, asked = state_on(device, config), list[list[str]]()

    def note() -> None:
        asked.append(device.asked.copy())
        device.asked.clear()

    learn(config.ppo, state, rollout_of(0), note)
    assert len(asked) == 5 * config.ppo.epochs
    assert asked[1:] == [each] * (len(asked) - 1)


def test_an_update_reads_each_group_of_measures_back_at_once(device: Elsewhere) -> None:
    config = tiny_config(*SETTINGS, "ppo.scale_rewards=true")
    state = state_on(device, config)
    device.asked.clear()
    device.sent.clear()
    learn(config.ppo, state, rollout_of(0).to(DEVICE), nothing)
    assert device.asked == [
        *("nonzero", "nonzero"),  # which rows to learn from: for the lesson, and for the update
        "_to_copy",  # what its steps measured
        "_to_copy",  # how far each network moved
        "_to_copy",  # whether they can still learn
        "_to_copy",  # how good advantages and targets were
        *("nonzero", "_to_copy"),  # how much returns vary
        "_local_scalar_dense",  # the share of rewards that were cut
    ]
    # Ten fields, as the test gave them, then the order of each epoch.
    assert device.sent == ["_to_copy"] * (10 + config.ppo.epochs)


def test_whether_networks_can_still_learn_is_read_back_at_once(device: Elsewhere) -> None:
    model = state_on(device, tiny_config(*SETTINGS, "networks.shared=[64]")).model
    device.asked.clear()
    plasticity(model, rollout_of(0).obs.to(DEVICE)[0])
    assert device.asked == ["_to_copy"]


@pytest.mark.parametrize(("estimator", "sent"), [("truncated", 0), ("termination_time", 1)])
def test_advantages_are_computed_there(device: Elsewhere, estimator: Estimator, sent: int) -> None:
    def estimated(rollout: RolloutTensors) -> tuple[Tensor, Tensor]:
        fields = (rollout.rewards, rollout.values, rollout.next_values)
        return compute_gae(*fields, rollout.terminated, rollout.truncated, 0.99, 0.95, estimator)

    there = rollout_of(0).to(DEVICE).isolated()
    device.sent.clear()
    found = estimated(there)
    # A share for each number of rows that an episode may have left.
    assert (len(device.sent), device.asked) == (sent, [])
    expected = estimated(rollout_of(0).isolated())
    assert all(torch.equal(x.cpu(), y) for x, y in zip(found, expected, strict=True))


def test_a_recorded_decision_asks_nothing_and_is_that_of_the_host(device: Elsewhere) -> None:
    config = tiny_config("networks.norm=layer_norm", "ppo.actor_precision=bf16")
    here, there = (state_on(place, config).model for place in (None, device))
    steps = [
        ActStep(here, M, D, A, recorder=None),
        ActStep(there, M, D, A, recorder=device.record),
    ]
    device.asked.clear()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        masks = rng.random((M, A)) < 0.2
        masks[:, 7] = True
        for step in steps:
            step.obs.copy_(torch.from_numpy(np.random.default_rng(seed).normal(size=(M, D))))
            step.masks.copy_(torch.from_numpy(masks))
            step.uniforms.fill_(0.1 + 0.3 * seed)
            step.run()
        assert device.asked == []
        for found, expected in zip(steps[1].acted, steps[0].acted, strict=True):
            assert torch.equal(found.cpu(), expected)
        device.asked.clear()
    assert steps[1].warning == ""


def test_old_versions_overrule_it_there(device: Elsewhere) -> None:
    norm = "networks.norm=rms_norm"
    config, others = tiny_config(norm), [tiny_config(norm, f"seed={seed}") for seed in (3, 4)]
    vectors = [parameter_vector(state_on(None, each).model.playing).numpy() for each in others]
    # Of two processes, with two groups each.
    driven = [[np.array([1, 3]), np.array([4])], [np.array([6, 8]), np.array([11])]]
    found = list[list[int]]()
    for place in (None, device):
        model = state_on(place, config).model
        step = ActStep(model, M, D, A, recorder=None)
        obs = np.random.default_rng(0).normal(size=(M, D)).astype(np.float32)
        step.obs.copy_(torch.from_numpy(obs))
        step.uniforms.fill_(0.6)
        step.run()
        seats = make_old_seats(driven, vectors, model)
        assert seats is not None
        device.asked.clear()
        device.sent.clear()
        seats.overrule(step)
        assert (device.asked, device.sent) == ([], [])
        found.append(step.acted.actions.tolist())
    assert found[0] == found[1]


def test_who_plays_alone_decides_there(device: Elsewhere) -> None:
    config = tiny_config()
    obs = np.random.default_rng(0).normal(size=(M, D)).astype(np.float32)
    masks = np.ones((M, A), np.bool_)
    decisions = [
        TorchPolicy(state_on(place, config).model, DEVICE if place else CPU).act(
            obs, masks, np.random.default_rng(1)
        )
        for place in (None, device)
    ]
    for found, expected in zip(*decisions, strict=True):
        np.testing.assert_array_equal(found, expected)


class Sure:
    """A teacher that sees what its student does."""

    def __init__(self, model: ActorCritic) -> None:
        self.model = model

    def log_probs(self, obs: Tensor, masks: Tensor) -> Tensor:
        return masked_log_probs(20 * self.model.logits(obs), masks)


@pytest.mark.parametrize(
    "settings",
    [(), ("transfer.loss=mae", "networks.shared=[64]"), ("ppo.actor_precision=bf16",)],
)
def test_a_student_learns_there_what_it_learns_here(
    device: Elsewhere, settings: tuple[str, ...]
) -> None:
    config = tiny_config(*SETTINGS, *settings)
    rollout, measured, weights = rollout_of(0), list[dict[str, float]](), list[Tensor]()
    asked = list[int]()
    for place in (None, device):
        state = state_on(place, config)
        teacher = Sure(state_on(place, tiny_config(*SETTINGS, "seed=5", *settings)).model)
        lesson = Distillation(teacher, rollout.obs)
        device.asked.clear()
        measured.append(
            lesson.learn(
                config,
                state,
                rollout,
                lambda: asked.append(len(device.asked)),
                Stopwatch(phases=lesson.phases),
            )
        )
        weights.append(parameter_vector(state.model).cpu())
    assert measured[0] == measured[1]
    assert torch.equal(*weights)
    # Whether the teacher is finite, before the first step; nothing until the last.
    there = asked[len(asked) // 2 :]
    assert there == [1] * len(there)


ASKING: dict[str, Callable[[Tensor], object]] = {
    "a number": lambda there: there.sum().item(),
    "a branch": lambda there: bool(there[0] > 0),
    "a copy": lambda there: there.cpu(),
    "a list": lambda there: there.tolist(),
    "a count": lambda there: there.nonzero(),
    "a comparison": lambda there: torch.equal(there, there),
    "what differs": lambda there: there.unique(),
    "a mask": lambda there: there[there > 0],
    "a write under a mask": lambda there: there.__setitem__(there > 0, there[:1]),
    "an index": lambda there: there[there.argmax()],
    "a table": lambda there: there.add_(torch.ones(3).to(DEVICE)),
    "a number from the host": lambda there: there.add_(torch.tensor(1.0, device=DEVICE)),
    "a host tensor": lambda there: there.add_(torch.ones(3)),
    "rows by host numbers": lambda there: there[torch.tensor([0, 2])],
}


@pytest.mark.parametrize("how", ASKING)
def test_work_that_asks_the_host_for_something_cannot_be_recorded(
    device: Elsewhere, how: str
) -> None:
    there = torch.tensor([1.0, -2.0, 3.0]).to(DEVICE)
    replay = device.record(lambda: there.mul_(2))
    replay()
    assert there.tolist() == [4, -8, 12]
    with pytest.raises(RuleError):
        device.record(lambda: ASKING[how](there))()
