"""Old versions among agents whose decisions are made where the networks are.

Today's policy decides for all of them in its one recorded step, and then the old versions overrule
it for theirs, all of them in one pass. Knows no process. Tested by
`tests/trainer/test_old_opponents.py`.
"""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from trainer.act_step import ActStep
from trainer.line_up import Indices, old_rows
from trainer.networks import ActorCritic
from trainer.numpy_policy import Floats
from trainer.torch_versions import TorchVersions


class OldSeats(NamedTuple):
    """The agents of an `ActStep` that old versions drive in one rollout."""

    versions: TorchVersions
    """V of them."""
    rows: Tensor
    """(V, R) which of its M agents, where the networks are."""

    def overrule(self, step: ActStep) -> None:
        """Replace what today's policy has decided for them."""
        given = (step.obs[self.rows], step.masks[self.rows], step.uniforms[self.rows])
        step.acted.actions[self.rows] = self.versions.draw(*given)


def make_old_seats(
    driven: Sequence[Sequence[Indices]], vectors: Mapping[int, Floats], model: ActorCritic
) -> OldSeats | None:
    """Seat old versions; None when they drive nobody.

    Args:
        driven: By process and group of its arenas: the agents that an old version drives.
        vectors: By group that one plays: the parameters of its version.
        model: Built as all of them, and where they shall be.
    """
    nobody = np.empty(0, np.int64)
    # Group k of every process meets the same version.
    together = [np.concatenate(found) for found in zip_longest(*driven, fillvalue=nobody)]
    rows = old_rows(together)
    if not len(rows.groups):
        return None
    versions = TorchVersions([vectors[group] for group in rows.groups], model=model)
    device = next(model.parameters()).device
    return OldSeats(versions, torch.from_numpy(rows.agents).to(device))
