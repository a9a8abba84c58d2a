"""Old versions as the processes that play call them: numpy only, several networks in one pass.

Always in float32, even where today's networks round to bfloat16: nothing is learned from what old
versions do, so no probability has to be computed twice alike. Knows no run folder. Tested by
`tests/trainer/test_old_actors.py`, against one network after the other.
"""

from collections.abc import Sequence

import numpy as np

from trainer.numpy_policy import (
    ACTIVATIONS,
    IMPOSSIBLE,
    Flags,
    Floats,
    Indices,
    Layer,
    Shapes,
    draw,
    layers_of,
    normalise,
    views_of,
)


class NumpyVersions:
    """V actors of the same shapes."""

    def __init__(self, vectors: Sequence[Floats], *, shapes: Shapes, activation: str) -> None:
        """Look into `vectors`, which must not change while this is in use.

        Args:
            vectors: Of each version, all its parameters in a row.
            shapes: Name and shape of each, in order, as `ActorCritic.playing` names them.
            activation: As `NumpyPolicy` takes it.
        """
        layers = [layers_of(views_of(vector, shapes), "layers.") for vector in vectors]
        self._layers = [_Stack(found) for found in zip(*layers, strict=True)]
        self._activate = ACTIVATIONS[activation]

    def choose(self, obs: Floats, masks: Flags, uniforms: Floats) -> Indices:
        """(V, R) actions for (V, R, D) observations, drawn with (V, R) numbers in [0, 1)."""
        rows = obs
        *hidden, last = self._layers
        for layer in hidden:
            rows = layer(rows)
            self._activate(rows)
        logits = np.where(masks, last(rows), IMPOSSIBLE).reshape(-1, masks.shape[-1])
        drawn = draw(logits, masks.reshape(logits.shape), uniforms.ravel())
        return drawn.actions.reshape(uniforms.shape)


class _Stack:
    """The same layer of V networks: weights where they lie, everything small side by side."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._weights = [layer.weight.T for layer in layers]
        self._bias = _side_by_side([layer.bias for layer in layers])
        gains = [layer.gain for layer in layers if layer.gain is not None]
        shifts = [layer.shift for layer in layers if layer.shift is not None]
        self._gain = _side_by_side(gains) if gains else None
        self._shift = _side_by_side(shifts) if shifts else None

    def __call__(self, rows: Floats) -> Floats:
        """(V, R, width in) to (V, R, width out), before the activation."""
        out = np.empty((*rows.shape[:2], self._bias.shape[-1]), np.float32)
        # Each product is one call of BLAS, as it would be in one of three axes, without first
        # copying the weights to one place.
        for mine, weight, into in zip(rows, self._weights, out, strict=True):
            np.matmul(mine, weight, out=into)
        out += self._bias
        return out if self._gain is None else normalise(out, self._gain, self._shift)


def _side_by_side(vectors: Sequence[Floats]) -> Floats:
    """(V, 1, width)."""
    return np.stack(vectors)[:, None]
