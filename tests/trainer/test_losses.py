import pytest
import torch
from torch import Tensor

from trainer.losses import Rows, approx_kl, clipfrac, policy_loss, policy_losses, value_loss

CLIP = torch.tensor(0.2)


def log(*ratios: float) -> Tensor:
    return torch.tensor(ratios).log()


def test_the_policy_loss_takes_the_worse_of_the_clipped_and_the_plain_gain() -> None:
    # ε = 0.2. Good actions: min(1.5, 1.2) = 1.2 and min(0.5, 0.8) = 0.5.
    # Bad actions: min(−1.5, −1.2) = −1.5 and min(−0.5, −0.8) = −0.8. Minus their mean: 0.15.
    found = policy_loss(
        log(1.5, 0.5, 1.5, 0.5), log(1, 1, 1, 1), torch.tensor([1.0, 1, -1, -1]), CLIP
    )
    assert float(found) == pytest.approx(0.15, abs=1e-6)


def test_the_value_loss_is_the_mean_squared_error() -> None:
    # ((1 − 3)² + (2 − 2)²) / 2; without a limit the old values do not matter.
    found = value_loss(torch.tensor([1.0, 2]), torch.tensor([9.0, 9]), torch.tensor([3.0, 2]), 0)
    assert float(found) == 2


def test_a_clipped_value_loss_counts_the_worse_of_two_errors() -> None:
    # Limit 0.5. Old 0, new 2, target 3: held at 0.5, so (0.5 − 3)² = 6.25 beats (2 − 3)² = 1.
    # Old 0, new 2, target −1: (2 + 1)² = 9 beats (0.5 + 1)² = 2.25. Old 1, new 1.25, target 1:
    # within the limit, so 0.0625 either way.
    values = torch.tensor([2.0, 2, 1.25], requires_grad=True)
    loss = value_loss(values, torch.tensor([0.0, 0, 1]), torch.tensor([3.0, -1, 1]), 0.5)
    assert loss.item() == pytest.approx((6.25 + 9 + 0.0625) / 3)
    loss.backward()  # type: ignore[no-untyped-call]
    assert values.grad is not None
    # A value held back stops counting: no gradient. The others: 2 · error / 3.
    assert values.grad.tolist() == pytest.approx([0, 2 * 3 / 3, 2 * 0.25 / 3])


@pytest.mark.parametrize(
    # (2 − 1) − ln 2 and (0.5 − 1) − ln 0.5
    ("ratio", "nats"),
    [(2.0, 0.306853), (0.5, 0.193147), (1.0, 0)],
)
def test_approx_kl_is_positive_for_ratios_on_either_side(ratio: float, nats: float) -> None:
    assert float(approx_kl(log(ratio), log(1))) == pytest.approx(nats, abs=1e-6)


def test_clipfrac_is_the_share_of_ratios_outside_the_range() -> None:
    assert float(clipfrac(log(1.1, 1.3, 0.7, 0.9), log(1, 1, 1, 1), CLIP)) == 0.5


def test_entropy_is_normalised_by_the_actions_that_are_possible() -> None:
    masks = torch.tensor([[True, True, False], [True, True, True], [False, True, False]])
    zeros, none = torch.zeros(3), torch.zeros(3, 0)
    rows = Rows(none, masks, torch.tensor([0, 0, 1]), zeros, zeros, zeros, zeros)
    found = policy_losses(torch.zeros(3, 3), rows, CLIP)
    # ln 2, ln 3 and 0; over ln 2, ln 3 and, where there is no choice, counted as 0.
    assert float(found.entropy) == pytest.approx((0.693147 + 1.098612) / 3, abs=1e-6)
    assert float(found.entropy_normalized) == pytest.approx(2 / 3, abs=1e-6)
