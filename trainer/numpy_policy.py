"""The networks as the processes that play call them: numpy only, so that none has to load PyTorch.

Parameters are views of one flat vector that others may overwrite between decisions. What it says
equals what `TorchPolicy` says up to rounding. Knows no environment. Tested by
`tests/trainer/test_numpy_policy.py`, against PyTorch.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from trainer.collector import AgentError, Decision

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]
Shapes = Sequence[tuple[str, tuple[int, ...]]]

NORM_EPS: Final = np.float32(1e-5)
LEAK: Final = np.float32(0.01)
"""Slope of leaky ReLU below 0: PyTorch's."""
IMPOSSIBLE: Final = np.float32(-1e30)
"""Logit of a forbidden action, whose probability is then exactly 0."""


class Layer(NamedTuple):
    """A Linear, and the norm after it where there is one."""

    weight: Floats
    """(width out, width in)."""
    bias: Floats
    """(width out,)."""
    gain: Floats | None
    """(width out,) of the norm."""
    shift: Floats | None
    """(width out,) of a layer norm; an RMS norm has none."""


class Draw(NamedTuple):
    """Actions for rows of logits, and what their probabilities come from."""

    actions: Indices
    """(N,)."""
    highest: Floats
    """(N,) logit."""
    total: Floats
    """(N,) sum of e^(logit - highest)."""


class NumpyPolicy:
    """Actor and critic over a flat parameter vector."""

    def __init__(self, vector: Floats, shapes: Shapes, activation: str) -> None:
        """Look into `vector`, which may change at any time between calls.

        Args:
            vector: All parameters in a row.
            shapes: Name and shape of each, in order, as `ActorCritic.named_parameters` has them.
            activation: After each hidden layer: "relu", "leaky_relu", "silu" or "tanh".
        """
        views = views_of(vector, shapes)
        self._shared, self._actor, self._critic = (
            layers_of(views, prefix) for prefix in ("shared.", "actor.layers.", "critic.layers.")
        )
        self._activate = ACTIVATIONS[activation]

    @property
    def parameters(self) -> list[Floats]:
        """All that it decides by, where that lies."""
        layers = (*self._shared, *self._actor, *self._critic)
        return [part for layer in layers for part in layer if part is not None]

    def act(self, obs: Floats, masks: Flags, rng: np.random.Generator) -> Decision:
        """Decide for (N, D) observations among the actions that (N, A) `masks` allow.

        Raises:
            AgentError: When a number is not finite, or an agent has no possible action.
        """
        uniforms = rng.random(len(obs), dtype=np.float32)
        return self.decide(obs, masks, uniforms, np.arange(len(obs)))

    def decide(self, obs: Floats, masks: Flags, uniforms: Floats, agents: Indices) -> Decision:
        """The same with (N,) `uniforms` to draw with, for rows of the agents (N,) `agents`.

        Raises:
            AgentError: As `act`.
        """
        features = self._hidden(self._shared, obs)
        logits = np.where(masks, self._output(self._actor, features), IMPOSSIBLE)
        values = self._output(self._critic, features)[:, 0]
        drawn = draw(logits, masks, uniforms)
        # No possible action leaves only forbidden ones; nan spreads into a highest logit.
        sound = np.isfinite(drawn.highest + values) & (drawn.highest > IMPOSSIBLE)
        if not sound.all():
            row = int(sound.argmin())
            agent = int(agents[row])
            why = "its networks say" if masks[row].any() else "its mask is all False, it has"
            raise AgentError(agent, f"agent {agent} cannot decide: {why} nothing to choose by")
        chosen = logits[np.arange(len(obs)), drawn.actions]
        return Decision(drawn.actions, chosen - drawn.highest - np.log(drawn.total), values)

    def values(self, obs: Floats) -> Floats:
        """(M,) critic's values of (M, D) observations."""
        values: Floats = self._output(self._critic, self._hidden(self._shared, obs))[:, 0]
        return values

    def _hidden(self, layers: Sequence[Layer], rows: Floats) -> Floats:
        for layer in layers:
            rows = rows @ layer.weight.T
            rows += layer.bias
            if layer.gain is not None:
                rows = normalise(rows, layer.gain, layer.shift)
            self._activate(rows)
        return rows

    def _output(self, layers: Sequence[Layer], rows: Floats) -> Floats:
        out: Floats = self._hidden(layers[:-1], rows) @ layers[-1].weight.T + layers[-1].bias
        return out


def draw(logits: Floats, masks: Flags, uniforms: Floats) -> Draw:
    """Draw one action per row by inverting the cumulative distribution.

    Args:
        logits: (N, A), `IMPOSSIBLE` where masked.
        masks: (N, A).
        uniforms: (N,) uniform in [0, 1).
    """
    highest = logits.max(-1, keepdims=True)
    # P(a ≤ k) = Σ_{a ≤ k} e^(x_a − x_max) / total, without dividing
    cumulative = np.exp(logits - highest).cumsum(-1)
    total = cumulative[:, -1]
    actions = (cumulative <= (uniforms * total)[:, None]).sum(-1)
    # Rounding may push a draw past the last possible action; then the likeliest is taken.
    np.minimum(actions, logits.shape[1] - 1, out=actions)
    impossible = ~masks[np.arange(len(logits)), actions]
    actions[impossible] = logits[impossible].argmax(-1)
    return Draw(actions, highest[:, 0], total)


def views_of(vector: Floats, shapes: Shapes) -> dict[str, Floats]:
    """Each parameter of a flat vector by name, in the same memory."""
    ends = np.cumsum([math.prod(shape) for _, shape in shapes]).tolist()
    parts = zip(shapes, [0, *ends[:-1]], ends, strict=True)
    return {name: vector[start:end].reshape(shape) for (name, shape), start, end in parts}


def layers_of(views: Mapping[str, Floats], prefix: str) -> list[Layer]:
    """The layers of the network whose parameters are called `prefix`0.weight and so on."""
    return list(_found_layers(views, prefix))


def _found_layers(views: Mapping[str, Floats], prefix: str) -> Iterator[Layer]:
    places = sorted({int(name.split(".")[-2]) for name in views if name.startswith(prefix)})
    for place in places:
        weight = views[f"{prefix}{place}.weight"]
        if weight.ndim == 2:
            norm = f"{prefix}{place + 1}"
            gain = views.get(f"{norm}.weight")
            is_norm = gain is not None and gain.ndim == 1
            yield Layer(
                weight,
                views[f"{prefix}{place}.bias"],
                gain if is_norm else None,
                views.get(f"{norm}.bias") if is_norm else None,
            )


def normalise(rows: Floats, gain: Floats, shift: Floats | None) -> Floats:
    """The norm of each of (..., width) `rows`: RMS without a `shift`, layer norm with one."""
    if shift is None:
        # y = x / sqrt(mean(x²) + ε) · gain
        scale = np.sqrt(np.square(rows).mean(-1, keepdims=True) + NORM_EPS)
        normal: Floats = rows / scale * gain
        return normal
    # y = (x − mean) / sqrt(var + ε) · gain + shift
    rows = rows - rows.mean(-1, keepdims=True)
    scale = np.sqrt(np.square(rows).mean(-1, keepdims=True) + NORM_EPS)
    shifted: Floats = rows / scale * gain + shift
    return shifted


def _relu(rows: Floats) -> None:
    # A row of zeros takes half the time of a single one.
    np.maximum(rows, np.zeros(rows.shape[-1], rows.dtype), out=rows)


def _leaky_relu(rows: Floats) -> None:
    np.maximum(rows, LEAK * rows, out=rows)


def _silu(rows: Floats) -> None:
    with np.errstate(over="ignore"):  # e^−x = inf makes x / inf = 0, as it should
        rows /= 1 + np.exp(-rows)


def _tanh(rows: Floats) -> None:
    np.tanh(rows, out=rows)


ACTIVATIONS: Final[Mapping[str, Callable[[Floats], None]]] = {
    "relu": _relu,
    "leaky_relu": _leaky_relu,
    "silu": _silu,
    "tanh": _tanh,
}
"""In place."""
