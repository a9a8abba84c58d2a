"""Where the time of an iteration goes: its phases, averaged over the last iterations.

`docs/metrics.md` says what each of `Timing/…` is. With `ppo.overlap` the next rollout is played
beside the update, so its phases are no part of the iteration: they are a bar of their own. Pure;
what to do about it is said by `phase_hints.py`. Tested by `tests/tui/test_phase_times.py`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from trainer.metrics import IterationMetrics

Kind = Literal["playing", "waiting", "learning", "saving"]
KINDS: Final[tuple[Kind, ...]] = ("playing", "waiting", "learning", "saving")
AVERAGED = 20
"""Iterations that are averaged: a checkpoint comes only now and then."""
_PLAYED = ("physics", "state", "observations", "decisions", "rewards", "resets", "storing")
_LEARNED = {
    "teacher": "the teacher",
    "advantages": "advantages",
    "steps": "optimizer steps",
    "measures": "measures",
}


@dataclass(frozen=True)
class Part:
    """One phase."""

    name: str
    """What is done in it."""
    kind: Kind
    """What it belongs to."""
    seconds: float
    """How long it takes, in a mean iteration."""


@dataclass(frozen=True)
class Bar:
    """Phases that follow each other."""

    title: str
    """What they are together."""
    parts: tuple[Part, ...]
    """In the order they are done; none takes no time."""

    @property
    def seconds(self) -> float:
        """All of it."""
        return sum(part.seconds for part in self.parts)

    def share(self, kind: Kind) -> float:
        """Of all its time, 0 to 1."""
        own = sum(part.seconds for part in self.parts if part.kind == kind)
        return own / self.seconds if self.seconds else 0.0


class Times:
    """Mean seconds of each `Timing/…` over the last iterations, by its bare name."""

    def __init__(self, window: Sequence[IterationMetrics]) -> None:
        """Average the last `AVERAGED` of `window`, those alone that learned as the newest did."""
        found: dict[str, list[float]] = {}
        self.taught = bool(window) and window[-1].is_taught
        """Whether a teacher was learned from; then nothing is played beside the update."""
        for iteration in window[-AVERAGED:]:
            if iteration.is_taught != self.taught:
                continue
            for metric, value in iteration.values.items():
                group, _, name = metric.partition("/")
                if group == "Timing" and math.isfinite(value):
                    found.setdefault(name.removesuffix("_s"), []).append(value)
        self._means: Mapping[str, float] = {
            name: sum(values) / len(values) for name, values in found.items()
        }

    def __getitem__(self, name: str) -> float:
        """Seconds of the phase called `name`, 0 when nobody measured it."""
        return self._means.get(name, 0.0)

    @property
    def save(self) -> float:
        """Everything that is written."""
        return self["save"] + self["publish"]

    @property
    def reading(self) -> float:
        """What numpy does in a rollout beside physics and decisions."""
        return self["rollout"] - self["physics"] - self["decisions"] - self["waiting"]


def bars(times: Times, *, overlap: bool) -> tuple[Bar, ...]:
    """An iteration as one bar, and with `overlap` what is played beside it as a second."""
    played = [Part(name, "playing", times[name]) for name in _PLAYED]
    played.append(Part("waiting for each other", "waiting", times["waiting"]))
    if overlap and not times.taught:
        rest = Part("waiting for the rollout", "waiting", times["collect"])
        return (
            _bar("an iteration", [rest, *_learning(times), *_saving(times)]),
            _bar("the rollout, played beside it", played),
        )
    known = sum(part.seconds for part in played)
    # An older trainer's metrics know no phases of the rollout: then this is all of it.
    rest = Part("edits, copies" if known else "playing", "playing", times["collect"] - known)
    return (_bar("an iteration", [*played, rest, *_learning(times), *_saving(times)]),)


def _learning(times: Times) -> list[Part]:
    parts = [Part(words, "learning", times[name]) for name, words in _LEARNED.items()]
    known = sum(part.seconds for part in parts)
    rest = "learning" if not known else "other learning"
    return [*parts, Part(rest, "learning", times["update"] - known)]


def _saving(times: Times) -> list[Part]:
    return [
        Part("saving", "saving", times["save"]),
        Part("publishing", "saving", times["publish"]),
    ]


def _bar(title: str, parts: Sequence[Part]) -> Bar:
    return Bar(title, tuple(part for part in parts if part.seconds > 0))
