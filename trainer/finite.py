"""Whether an update stays finite, and what to say when it does not.

Knows no environment. Tested by `tests/trainer/test_finite.py`.
"""

import math
from collections.abc import Callable, Iterable, Sequence

from torch import Tensor, nn

from trainer.losses import Rows

INPUTS = ("obs", "log_probs", "values", "targets", "advantages")
"""The numbers of a row, from cause to consequence."""


class NonFiniteError(FloatingPointError):
    """Something of an update is nan or infinite; nothing of it may be kept."""


def rows_words(rows: Rows) -> str:
    """Whether a loss that is not finite comes from its rows, in words."""
    for name in INPUTS:
        if not getattr(rows, name).isfinite().all():
            return f"the {name} of its rows are not finite"
    return "its rows are finite"


def require_finite_steps(names: Sequence[str], measured: Tensor, why: Callable[[int], str]) -> None:
    """Refuse an update of which a step was not finite.

    Args:
        names: Of what a step measures.
        measured: (steps, len(names)) on the CPU.
        why: Says what is known of the cause in a step, by its number.

    Raises:
        NonFiniteError: Naming the first number that is nan or infinite, and why.
    """
    wrong = (~measured.isfinite()).nonzero().tolist()
    if wrong:
        step, column = wrong[0]
        raise NonFiniteError(
            f"{names[column]} is {measured[step, column].item()} ({why(step)}): "
            "this optimizer step is not taken, nor any after it"
        )


def require_finite_weights(model: nn.Module, moved: Iterable[float]) -> None:
    """Refuse weights that an update has spoiled.

    Args:
        model: After the update.
        moved: How far each network moved; only what is not finite here has to be looked for.

    Raises:
        NonFiniteError: Naming the first tensor that holds nan or infinity.
    """
    if all(math.isfinite(distance) for distance in moved):
        return
    for name, parameter in model.named_parameters():
        wrong = int((~parameter.isfinite()).sum())
        if wrong:
            raise NonFiniteError(
                f"{wrong:,} of the {parameter.numel():,} numbers of {name} are not finite after "
                "the update: it is not kept"
            )
