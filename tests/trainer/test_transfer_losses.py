import math
from collections.abc import Callable

import pytest
import torch

from trainer.sampling import masked_log_probs
from trainer.transfer_losses import LOSSES, agreement, kl, mae

TEACHER = torch.tensor([[1 / 2, 1 / 2, 0.0]])
STUDENT = torch.tensor([[1 / 4, 3 / 4, 0.0]])
MASK = torch.tensor([[True, True, False]])


def logs(probabilities: torch.Tensor) -> torch.Tensor:
    """Log-probabilities as a masked actor says them; logits where it is forbidden mean nothing."""
    return masked_log_probs(probabilities.log().clamp(min=-5), MASK.expand_as(probabilities))


def test_kl_is_the_sum_of_the_teacher_s_probabilities_times_the_gap_of_both_logs() -> None:
    # 1/2 ln((1/2)/(1/4)) + 1/2 ln((1/2)/(3/4)) = (ln 2 - ln 3/2) / 2; the other way round
    # 1/4 ln(1/2) + 3/4 ln(3/2).
    there, back = kl(logs(TEACHER), logs(STUDENT)), kl(logs(STUDENT), logs(TEACHER))
    assert there.tolist() == pytest.approx([(math.log(2) - math.log(1.5)) / 2], abs=1e-6)
    assert back.tolist() == pytest.approx([0.75 * math.log(1.5) - 0.25 * math.log(2)], abs=1e-6)


def test_mae_is_a_mean_over_all_actions_of_which_the_impossible_add_nothing() -> None:
    # (1/4 + 1/4 + 0) / 3
    assert mae(logs(TEACHER), logs(STUDENT)).tolist() == pytest.approx([1 / 6], abs=1e-6)


@pytest.mark.parametrize("loss", LOSSES.values())
def test_who_says_the_same_has_nothing_to_learn(
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> None:
    assert loss(logs(TEACHER), logs(TEACHER)).tolist() == [0.0]


def test_they_agree_where_the_likeliest_action_is_the_same() -> None:
    teacher = logs(torch.tensor([[0.6, 0.4, 0.0], [0.4, 0.6, 0.0]]))
    student = logs(torch.tensor([[0.9, 0.1, 0.0], [0.9, 0.1, 0.0]]))
    assert agreement(teacher, student).tolist() == [1.0, 0.0]


def test_the_gradient_of_kl_by_the_logits_is_the_gap_of_both_probabilities() -> None:
    logits = torch.tensor([[0.0, math.log(3), 7.0]], requires_grad=True)
    kl(logs(TEACHER), masked_log_probs(logits, MASK)).sum().backward()
    # p_s - p_t, and none where nothing can be chosen.
    assert logits.grad is not None
    torch.testing.assert_close(logits.grad, torch.tensor([[-1 / 4, 1 / 4, 0.0]]))


def test_the_gradient_of_mae_leaves_the_impossible_alone_and_moves_toward_the_teacher() -> None:
    logits = torch.tensor([[0.0, math.log(3), 7.0]], requires_grad=True)
    mae(logs(TEACHER), masked_log_probs(logits, MASK)).sum().backward()
    # With p = p_s of the second action, L = 2/3 |p - 1/2| and dp/dlogit = ±p (1 - p) = ±3/16.
    assert logits.grad is not None
    torch.testing.assert_close(logits.grad, torch.tensor([[-1 / 8, 1 / 8, 0.0]]))
