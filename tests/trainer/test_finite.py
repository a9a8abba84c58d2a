import math

import pytest
import torch

from trainer.config import NetworksConfig
from trainer.finite import (
    NonFiniteError,
    require_finite_steps,
    require_finite_weights,
    rows_words,
)
from trainer.losses import Rows
from trainer.networks import ActorCritic


def rows() -> Rows:
    floats = (torch.zeros(2), torch.zeros(2), torch.zeros(2), torch.zeros(2))
    masks, actions = torch.ones(2, 4, dtype=torch.bool), torch.zeros(2, dtype=torch.int64)
    return Rows(torch.zeros(2, 3), masks, actions, *floats)


def test_the_earliest_cause_among_the_rows_is_named() -> None:
    found = rows()
    assert rows_words(found) == "its rows are finite"
    # Advantages are made of targets, so they are spoiled together.
    found.advantages[1] = found.targets[1] = math.nan
    assert rows_words(found) == "the targets of its rows are not finite"
    found.obs[0, 2] = -math.inf
    assert rows_words(found) == "the obs of its rows are not finite"


def test_the_first_step_that_was_not_finite_is_named_with_its_own_rows() -> None:
    sound, spoiled = rows(), rows()
    spoiled.obs[1, 1] = math.nan
    # Each step measures two numbers; after the second nothing is worth a look.
    measured = torch.tensor([[1.0, 2], [3, -math.inf], [math.nan, 4]])
    sentence = r"norm is -inf \(the obs of its rows are not finite\): this optimizer step is not"

    def why(step: int) -> str:
        return rows_words((sound, spoiled, sound)[step])

    with pytest.raises(NonFiniteError, match=sentence):
        require_finite_steps(["loss", "norm"], measured, why)
    require_finite_steps(["loss", "norm"], measured[:1], why)


def model() -> ActorCritic:
    return ActorCritic(3, 4, NetworksConfig(actor=(5,), critic=(5,)))


def test_spoiled_weights_are_counted_and_named() -> None:
    spoiled = model()
    with torch.no_grad():
        spoiled.critic.layers[0].weight[:2, 0] = math.nan  # type: ignore[index, operator, union-attr]
    sentence = r"2 of the 15 numbers of critic\.layers\.0\.weight are not finite after the update"
    with pytest.raises(NonFiniteError, match=sentence):
        require_finite_weights(spoiled, [0.5, math.nan])


def test_a_move_too_long_to_measure_is_no_spoiled_weight() -> None:
    require_finite_weights(model(), [math.inf, 0.5])
