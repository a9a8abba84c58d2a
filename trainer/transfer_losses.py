"""How far a student is from its teacher: the losses of distillation, and what is said beside them.

Pure: log-probabilities of the same rows in, one number a row out. Both are masked by what the
student can do, so that what is impossible has probability 0 on both sides and adds nothing. Knows
no network. Tested by `tests/trainer/test_transfer_losses.py`.
"""

from collections.abc import Callable, Mapping
from typing import Final

from torch import Tensor

from trainer.config_transfer import TransferLoss
from trainer.sampling import probabilities


def kl(teacher: Tensor, student: Tensor) -> Tensor:
    """(M,) KL(teacher ‖ student) in nats, of (M, A) log-probabilities.

    It weighs what the teacher does: the student must leave nothing out that the teacher takes.
    """
    # KL = Σ_a p_t(a) · (ln p_t(a) − ln p_s(a))
    return (probabilities(teacher) * (teacher - student)).sum(-1)


def mae(teacher: Tensor, student: Tensor) -> Tensor:
    """(M,) mean absolute difference of both probabilities of an action, of (M, A) log ones."""
    # 1/A · Σ_a |p_t(a) − p_s(a)|
    return (probabilities(teacher) - probabilities(student)).abs().mean(-1)


def agreement(teacher: Tensor, student: Tensor) -> Tensor:
    """(M,) 1.0 where the likeliest action is the same, of (M, A) log-probabilities."""
    return (teacher.argmax(-1) == student.argmax(-1)).float()


LOSSES: Final[Mapping[TransferLoss, Callable[[Tensor, Tensor], Tensor]]] = {"kl": kl, "mae": mae}
"""By `transfer.loss`."""
