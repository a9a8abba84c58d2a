import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.trainer.turn_toward_ball import TurnTowardBall, estimate, small_model
from trainer.batch_step import LOSSES, Panel, accumulate_gradients
from trainer.collector import collect
from trainer.config_ppo import PPOConfig
from trainer.finite import NonFiniteError
from trainer.graphs import Steps
from trainer.losses import Rows, policy_losses, value_loss
from trainer.networks import ActorCritic, parameter_vector
from trainer.optimizers import Learnable, make_anchors, make_optimizers
from trainer.policy import TorchPolicy
from trainer.ppo import explained_variance, shuffled_batches, standardise, update
from trainer.recorder import Recorder
from trainer.rollout import Rollout
from trainer.rollout_tensors import tensors_of
from trainer.schedules import Coefficients, coefficients

NUM_STEPS, NUM_AGENTS = 20, 16
NUM_ROWS = NUM_STEPS * NUM_AGENTS


def config(**settings: float | str) -> PPOConfig:
    sizes: dict[str, float | str] = {
        "batch_size": NUM_ROWS,
        "minibatch_size": NUM_ROWS,
        "epochs": 1,
    }
    return PPOConfig.model_validate(sizes | settings)


def play(model: ActorCritic, env: TurnTowardBall, seed: int = 1) -> Rollout:
    rollout = Rollout.allocate(NUM_STEPS, NUM_AGENTS, env.obs_width, env.num_actions)
    policy = TorchPolicy(model, torch.device("cpu"))
    collect(env, policy, rollout, np.random.default_rng(seed), lambda: None)
    return rollout


def panel_of(model: ActorCritic, settings: PPOConfig) -> Panel:
    """What a step of the first update reads."""
    panel = Panel.of(model)
    panel.reset(coefficients(settings, 0, 1))
    return panel


class Learning:
    """A model that played one rollout, and what it learns from it."""

    def __init__(
        self,
        shared: tuple[int, ...] = (),
        recorder: Callable[[], Recorder] | None = None,
        **settings: float | str,
    ) -> None:
        self.config = config(**settings)
        self.model = small_model(seed=0, shared=shared)
        self.optimizers = make_optimizers(self.model, self.config)
        self.anchors = make_anchors(self.model, self.config)
        self.steps = Steps(Learnable(self.model, self.optimizers, self.anchors), recorder)
        self.rng = np.random.default_rng(2)
        self.env = TurnTowardBall(NUM_AGENTS, np.random.default_rng(0))
        self.batches = 0
        self.agent_steps = 0
        self.rollout = play(self.model, self.env)
        self.advantages, self.targets = estimate(tensors_of(self.rollout))

    def update(self) -> dict[str, float]:
        return update(
            self.steps,
            tensors_of(self.rollout),
            self.advantages,
            self.targets,
            self.config,
            self.now,
            self.rng,
            self.count,
        )

    @property
    def now(self) -> Coefficients:
        """After so many agent steps."""
        return coefficients(self.config, self.agent_steps, 1)

    def batch(self) -> Rows:
        """All rows of the rollout."""
        rollout = tensors_of(self.rollout)
        played = (rollout.obs, rollout.masks, rollout.actions, rollout.log_probs)
        fields = (*played, standardise(self.advantages), rollout.values, self.targets)
        return Rows(*(field.flatten(0, 1) for field in fields))

    def count(self) -> None:
        self.batches += 1


def test_advantages_are_standardised_by_the_population_deviation() -> None:
    assert standardise(torch.tensor([[1.0, 3]])).tolist() == [[-1, 1]]
    assert standardise(torch.full((2, 2), 7.0)).tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("values", "expected"),
    # Var(target) = 1. A perfect critic, a constant one, an inverted one: 1 − Var(2, −2) / 1 = −3.
    [([1, 3], 1), ([2, 2], 0), ([3, 1], -3)],
)
def test_explained_variance_compares_the_critic_with_a_constant(
    values: list[float], expected: float
) -> None:
    found = explained_variance(torch.tensor(values).float(), torch.tensor([1.0, 3]))
    assert float(found) == pytest.approx(expected)


def test_equal_targets_leave_no_variance_to_explain() -> None:
    assert math.isnan(float(explained_variance(torch.ones(2), torch.ones(2))))


def batches_of(num_rows: int, batch_size: int) -> list[list[int]]:
    """The indices of each batch of an epoch."""
    batches = shuffled_batches(torch.arange(num_rows), batch_size, np.random.default_rng(0))
    return [found.tolist() for found in batches]


def test_an_epoch_visits_every_row_once_in_batches_that_differ_by_one_at_most() -> None:
    # 10 rows in batches of about 3: 10 / 3 rounds to 3 batches.
    batches = batches_of(10, 3)
    assert sorted(len(batch) for batch in batches) == [3, 3, 4]
    visited = [index for batch in batches for index in batch]
    assert sorted(visited) == list(range(10)) != visited


def test_fewer_rows_than_a_batch_are_one_batch() -> None:
    assert [len(batch) for batch in batches_of(4, 50)] == [4]


def marked_rows(marks: Tensor) -> Rows:
    """A row marked i holds i, 10·i, 100·i, … in its fields."""
    powers = (2, 3, 4, 5, 6)
    return Rows(marks[:, None], marks[:, None] * 10, *(marks * 10**power for power in powers))


def test_shuffling_keeps_the_fields_of_a_row_together() -> None:
    rows, place, indices = (
        marked_rows(torch.arange(10)),
        marked_rows(torch.zeros(3).long()),
        [7, 0, 4],
    )
    rows.take_into(place, torch.tensor(indices))
    for batch in (rows.take(torch.tensor(indices)), place):
        for power, field in enumerate(batch):
            assert field.flatten().tolist() == [10**power * i for i in indices]


def gradients(learning: Learning, minibatch_size: int) -> Tensor:
    """Both networks' gradients for a changed policy, so that ratios differ and some are clipped."""
    learning.model.zero_grad()
    settings = config(minibatch_size=minibatch_size)
    panel = panel_of(learning.model, settings)
    found = accumulate_gradients(learning.model, learning.batch(), settings, panel)
    assert 0 < float(found[LOSSES.index("Loss/clipfrac")]) < 1
    parts = [p.grad.flatten() for p in learning.model.parameters() if p.grad is not None]
    return torch.cat(parts)


@pytest.mark.parametrize("shared", [(), (32,)])
def test_the_minibatch_size_never_changes_the_gradient(shared: tuple[int, ...]) -> None:
    learning = Learning(shared, learning_rate=0.01, epochs=5)
    learning.update()
    whole = gradients(learning, NUM_ROWS)
    assert whole.norm() > 0.01
    # 320 rows; 7, 96 and 319 do not divide them.
    for minibatch_size in (1, 7, 64, 96, 160, 319):
        difference = gradients(learning, minibatch_size) - whole
        assert difference.norm() <= 1e-6 * whole.norm()


def test_each_network_gets_the_gradient_of_the_sum_of_all_losses() -> None:
    learning = Learning((32,), learning_rate=0.01, epochs=5)
    learning.update()
    found, batch, model = gradients(learning, 64), learning.batch(), learning.model
    # The slow way: one pass forth, one loss, one pass back.
    model.zero_grad()
    logits, values = model(batch.obs)
    parts = policy_losses(logits, batch, torch.tensor(0.2))
    value = value_loss(values, batch.values, batch.targets, 0)
    (parts.policy - 0.01 * parts.entropy + value).backward()  # type: ignore[no-untyped-call]
    expected = torch.cat([p.grad.flatten() for p in model.parameters() if p.grad is not None])
    assert (found - expected).norm() <= 1e-5 * expected.norm()


def gradient_norm(network: torch.nn.Module) -> float:
    """Of the last optimizer step: gradients stay until the next one."""
    return math.sqrt(
        sum(float(p.grad.square().sum()) for p in network.parameters() if p.grad is not None)
    )


def test_each_network_s_gradient_is_scaled_to_the_largest_norm_allowed() -> None:
    learning = Learning(max_grad_norm=0.001)
    measured = learning.update()
    for name, network in learning.model.parts.items():
        assert measured[f"Update/{name}_grad_norm"] > 0.01
        assert gradient_norm(network) == pytest.approx(0.001, rel=1e-3)
    assert measured["Update/grad_clip_share"] == 1


def test_a_small_gradient_is_left_alone() -> None:
    learning = Learning(max_grad_norm=1000)
    measured = learning.update()
    for name, network in learning.model.parts.items():
        assert gradient_norm(network) == pytest.approx(measured[f"Update/{name}_grad_norm"])
    assert measured["Update/grad_clip_share"] == 0


def test_the_first_step_meets_the_policy_that_collected() -> None:
    measured = Learning().update()
    assert measured["Loss/approx_kl"] == pytest.approx(0, abs=1e-6)
    assert measured["Loss/clipfrac"] == 0
    # All ratios are 1 and standardised advantages have mean 0.
    assert measured["Loss/policy"] == pytest.approx(0, abs=1e-5)


def test_an_untrained_policy_is_nearly_uniform_over_the_three_possible_actions() -> None:
    measured = Learning().update()
    assert measured["Loss/entropy"] == pytest.approx(math.log(3), abs=0.05)
    assert measured["Loss/entropy_normalized"] == pytest.approx(1, abs=0.05)


def test_every_batch_of_every_epoch_is_one_optimizer_step() -> None:
    learning = Learning(epochs=3, batch_size=80, minibatch_size=30)
    # 320 rows are 4 batches of 80.
    assert learning.update()["Update/optimizer_steps"] == learning.batches == 12


def test_a_good_action_gets_likelier_and_values_approach_their_targets() -> None:
    learning = Learning(learning_rate=0.003, epochs=20, entropy_coef=0)
    left = torch.from_numpy(learning.rollout.actions == 0).float()
    learning.advantages, learning.targets = left, left * 0 + 5
    before = learning.update()["Loss/value"]
    again = play(learning.model, learning.env)
    assert (again.actions == 0).mean() > float(left.mean()) + 0.1
    assert float(np.square(again.values - 5).mean()) < before


def test_the_entropy_bonus_keeps_choices_open() -> None:
    sure = Learning(learning_rate=0.01, epochs=30, entropy_coef=0)
    sure.advantages = torch.from_numpy(sure.rollout.actions == 0).float()
    sure.update()
    assert sure.update()["Loss/entropy"] < 0.5
    # Nothing is better than anything else any more: only the bonus is left to follow.
    sure.advantages = torch.zeros_like(sure.advantages)
    sure.config = config(learning_rate=0.01, epochs=30, entropy_coef=1)
    sure.update()
    assert sure.update()["Loss/entropy"] > 1


def test_update_magnitudes_say_how_far_the_weights_moved() -> None:
    learning = Learning(epochs=2)
    before = {n: parameter_vector(network) for n, network in learning.model.parts.items()}
    measured = learning.update()
    for name, network in learning.model.parts.items():
        moved = np.linalg.norm((parameter_vector(network) - before[name]).numpy())
        assert measured[f"Update/{name}_magnitude"] == pytest.approx(float(moved), rel=1e-5)
        assert moved > 0


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize(
    ("spoiled", "named"), [("advantages", "Loss/policy is nan"), ("targets", "Loss/value is")]
)
def test_a_loss_that_is_not_finite_is_named_and_the_weights_stay(
    spoiled: str, named: str, wrong: float
) -> None:
    learning = Learning()
    getattr(learning, spoiled)[3, 2] = wrong
    before = parameter_vector(learning.model)
    with pytest.raises(NonFiniteError, match=named):
        learning.update()
    assert torch.equal(parameter_vector(learning.model), before)


def test_a_loss_that_is_not_finite_names_the_first_of_its_rows_that_is_not() -> None:
    learning = Learning()
    learning.targets[3, 2] = np.nan
    with pytest.raises(NonFiniteError, match="the targets of its rows are not finite"):
        learning.update()


def test_a_loss_of_sound_rows_says_so() -> None:
    learning = Learning()
    # 1e30 squared has no float32.
    learning.targets[3, 2] = 1e30
    with pytest.raises(NonFiniteError, match=r"Loss/value is inf \(its rows are finite\)"):
        learning.update()


def test_weights_that_the_last_step_spoils_are_refused() -> None:
    learning = Learning(learning_rate=3e38)
    with pytest.raises(NonFiniteError, match=r"numbers of actor\.layers\.0\.weight are not finite"):
        learning.update()


def test_each_network_learns_at_its_own_rate() -> None:
    learning = Learning(learning_rate=0.5, critic_learning_rate=0.125, weight_decay=0.25)
    measured = learning.update()
    assert list(learning.optimizers) == ["actor", "critic"]
    for (name, optimizer), rate in zip(learning.optimizers.items(), (0.5, 0.125), strict=True):
        (group,) = optimizer.param_groups
        assert (group["lr"], group["weight_decay"]) == (rate, 0.25)
        assert measured[f"Update/learning_rate_{name}"] == rate


def test_an_update_stops_when_the_latest_epoch_has_moved_too_far() -> None:
    # Batches of 80 of 320 rows: the second batch meets a policy that one step has moved.
    settings = {"learning_rate": 0.1, "epochs": 5, "batch_size": 80, "minibatch_size": 80}
    free = Learning(**settings).update()
    assert (free["Update/optimizer_steps"], free["Update/stopped_early"]) == (20, 0)
    stopped = Learning(**settings, target_kl=0.01, kl_stop=True).update()
    assert 2 <= stopped["Update/optimizer_steps"] < 20
    assert stopped["Update/stopped_early"] == 1
    calm = Learning(**settings, target_kl=1000, kl_stop=True).update()
    assert (calm["Update/optimizer_steps"], calm["Update/stopped_early"]) == (20, 0)


def weights_after_two_iterations(seed: int) -> Tensor:
    learning = Learning(epochs=2, batch_size=100, minibatch_size=33)
    learning.rng = np.random.default_rng(seed)
    learning.update()
    learning.rollout = play(learning.model, learning.env, seed=3)
    learning.advantages, learning.targets = estimate(tensors_of(learning.rollout))
    learning.update()
    return parameter_vector(learning.model)


def test_the_same_seed_gives_bit_identical_weights() -> None:
    first, again = (weights_after_two_iterations(seed=7) for _ in range(2))
    assert torch.equal(first, again)
    assert not torch.equal(first, weights_after_two_iterations(seed=8))
