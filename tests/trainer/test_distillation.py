from collections.abc import Mapping

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.trainer.tiny import tiny_config
from trainer.config import RunConfig
from trainer.distillation import Distillation, Lines, score, teach
from trainer.finite import NonFiniteError
from trainer.networks import ActorCritic, parameter_vector
from trainer.optimizers import make_optimizers
from trainer.sampling import entropies, masked_log_probs
from trainer.stopwatch import Stopwatch

OBS, SEEN, ACTIONS = 6, 9, 5
SLOW = "transfer.learning_rate=1e-30"
"""So that no weight moves."""


class Random(nn.Module):
    """A teacher of fixed random weights that is sure of itself, and sees more than the student."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.layers = nn.Sequential(nn.Linear(SEEN, 16), nn.Tanh(), nn.Linear(16, ACTIONS))

    def log_probs(self, obs: Tensor, masks: Tensor) -> Tensor:
        return masked_log_probs(10 * self.layers(obs), masks)


def rows_of(rows: int, seed: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    """What a teacher and a student see of some states, and what is possible there."""
    rng = torch.Generator().manual_seed(seed)
    seen = torch.randn(rows, SEEN, generator=rng)
    masks = torch.rand(rows, ACTIONS, generator=rng) < 0.7
    masks[:, 0] = True
    return seen, seen[:, :OBS] + seen[:, -OBS:], masks


def lines_of(rows: int, seed: int = 1) -> Lines:
    seen, obs, masks = rows_of(rows, seed)
    return Lines(obs, masks, score(Random(), seen, masks, rows))


def student_of(config: RunConfig) -> ActorCritic:
    torch.manual_seed(7)
    return ActorCritic(OBS, ACTIONS, config.networks)


def configured(*settings: str) -> RunConfig:
    return tiny_config("networks.shared=[12]", "ppo.max_grad_norm=100", *settings)


def taught(
    lines: Lines, *settings: str, model: ActorCritic | None = None, seed: int = 0
) -> tuple[ActorCritic, dict[str, float]]:
    config = configured(*settings)
    model = model or student_of(config)
    optimizers = make_optimizers(model, config.ppo)
    rng = np.random.default_rng(seed)
    watch = Stopwatch(phases=Distillation.phases)
    return model, teach(model, optimizers, lines, config, rng, lambda: None, watch)


def weights(model: ActorCritic) -> Mapping[str, Tensor]:
    return {name: parameter_vector(part) for name, part in model.parts.items()}


@pytest.mark.parametrize("loss", ["kl", "mae"])
def test_shared_layers_and_actor_learn_and_the_critic_is_left_alone(loss: str) -> None:
    before = weights(student_of(configured()))
    model, measured = taught(lines_of(40), f"transfer.loss={loss}")
    after = weights(model)
    assert torch.equal(before["critic"], after["critic"])
    for name in ("shared", "actor"):
        moved = float((after[name] - before[name]).norm())
        assert moved > 0
        assert measured[f"Update/{name}_magnitude"] == pytest.approx(moved)
    assert all(parameter.grad is None for parameter in model.critic.parameters())
    assert not any("critic" in name for name in measured)


@pytest.mark.parametrize("loss", ["kl", "mae"])
def test_the_minibatch_size_changes_no_step(loss: str) -> None:
    found = []
    for size in (1, 3, 16):
        settings = (f"transfer.loss={loss}", "ppo.batch_size=16", f"ppo.minibatch_size={size}")
        found.append(weights(taught(lines_of(48), *settings)[0]))
    for other in found[1:]:
        torch.testing.assert_close(other["actor"], found[0]["actor"], rtol=0, atol=1e-5)
        torch.testing.assert_close(other["shared"], found[0]["shared"], rtol=0, atol=1e-5)


def test_every_epoch_takes_several_steps_in_an_order_of_its_own() -> None:
    # 48 rows in batches of 16: 3 steps an epoch.
    lines = lines_of(48)
    _, measured = taught(lines, "transfer.epochs=4", "ppo.batch_size=16")
    assert measured["Update/optimizer_steps"] == 12
    one, other = (taught(lines, "ppo.batch_size=16", seed=seed)[0] for seed in (0, 1))
    assert not torch.equal(parameter_vector(one), parameter_vector(other))


def test_rows_are_measured_before_a_step_learns_from_them() -> None:
    lines, settings = lines_of(48), ("ppo.batch_size=16", "transfer.epochs=3", "transfer.loss=mae")
    model, measured = taught(lines, *settings, SLOW)
    with torch.no_grad():
        student = masked_log_probs(model.logits(lines.obs), lines.masks)
    ours, theirs = (each.double().exp().numpy() for each in (student, lines.teacher))
    gaps = np.where(theirs > 0, theirs * (np.log(theirs + 1e-300) - np.log(ours + 1e-300)), 0)
    expected = {
        "loss": np.abs(ours - theirs).mean(),
        "accuracy": (ours.argmax(1) == theirs.argmax(1)).mean(),
        "kl": gaps.sum(1).mean(),
        "entropy": float(entropies(student).mean()),
        "teacher_entropy": float(entropies(lines.teacher).mean()),
    }
    found = {name: measured[f"Transfer/{name}"] for name in expected}
    assert found == pytest.approx(expected, rel=1e-4)
    # One batch an epoch: the first is seen before anything was learned, whatever comes later.
    whole = ("ppo.batch_size=32", "ppo.minibatch_size=32", "transfer.epochs=9")
    fast, slow = (taught(lines_of(32), *whole, *rate)[1] for rate in ((), (SLOW,)))
    for name in expected:
        assert fast[f"Transfer/{name}"] == pytest.approx(slow[f"Transfer/{name}"])


def test_a_gradient_is_scaled_to_the_norm_allowed_for_each_network_on_its_own() -> None:
    _, free = taught(lines_of(48))
    _, held = taught(lines_of(48), "ppo.max_grad_norm=1e-4", "transfer.epochs=1")
    assert free["Update/grad_clip_share"] == 0
    assert held["Update/grad_clip_share"] == 1
    assert held["Update/actor_grad_norm"] > 1e-3  # as it was before


def test_a_student_comes_to_agree_with_a_teacher_that_sees_something_else() -> None:
    model = student_of(configured())
    found = [
        taught(lines_of(512, seed), "transfer.learning_rate=5e-3", model=model)[1]
        for seed in range(8)
    ]
    accuracies = [measured["Transfer/accuracy"] for measured in found]
    assert accuracies[0] < 0.5
    assert min(accuracies[-3:]) > 0.65
    assert found[-1]["Transfer/kl"] < found[0]["Transfer/kl"] / 2


def test_muon_learns_from_a_teacher_too() -> None:
    before = weights(student_of(configured()))
    model, _ = taught(lines_of(40), "ppo.optimizer=muon")
    assert all(not torch.equal(before[name], weights(model)[name]) for name in ("shared", "actor"))
    assert torch.equal(before["critic"], weights(model)["critic"])


def test_a_teacher_is_asked_part_by_part_and_says_the_same() -> None:
    seen, _, masks = rows_of(50)
    whole, parts = (score(Random(), seen, masks, most) for most in (50, 7))
    torch.testing.assert_close(parts, whole)
    assert (whole.exp()[~masks] == 0).all()


def test_a_teacher_that_says_no_number_ends_the_run() -> None:
    seen, _, masks = rows_of(4)
    seen[2, 3] = torch.nan
    with pytest.raises(NonFiniteError, match="teacher says a probability that is not finite"):
        score(Random(), seen, masks, 4)


def test_a_step_that_is_not_finite_is_not_taken_and_the_run_ends() -> None:
    lines, model = lines_of(16), student_of(configured())
    lines.obs[5] = torch.inf
    before = weights(model)
    sentence = r"Transfer/loss is nan \(the teacher's answers are finite\): this optimizer"
    with pytest.raises(NonFiniteError, match=sentence):
        taught(lines, model=model)
    for name, vector in weights(model).items():
        assert torch.equal(vector, before[name])
