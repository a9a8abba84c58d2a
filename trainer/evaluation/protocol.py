"""On what terms a checkpoint is chosen: every setting of `rlppo select`, once.

A field is its TOML key; its docstring is its comment in a written file. The defaults are the
protocol that holds without a file. Loads pydantic only. Tested by
`tests/trainer/evaluation/test_protocol.py`.
"""

import hashlib
import json
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from trainer.config_file import checked, config_text, read_toml
from trainer.config_section import (
    Fraction,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    Section,
)
from trainer.modes import Mode

Criterion = Literal["points", "goal_difference", "earliest"]


class CandidatesConfig(Section):
    """Which checkpoints of the run are compared: all that one of the rules names."""

    newest: NonNegativeInt = 8
    """So many of the newest whole ones. 0 takes only what the other rules name."""
    pinned: bool = True
    """Those that somebody pinned."""
    steps: tuple[NonNegativeInt, ...] = ()
    """Those after so many agent steps."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not self.newest and not self.pinned and not self.steps:
            raise ValueError("candidates.newest, pinned and steps name nobody: nobody plays")
        return self


class OpponentsConfig(Section):
    """Whom every candidate plays."""

    each_other: bool = True
    """Every other candidate."""
    anchors: tuple[str, ...] = ("random",)
    """"random", "chaser", "nexto:PATH" of nexto-model.pt, or folders to play a policy from."""


class StartsConfig(Section):
    """The states that games begin in; every pairing plays each of them from both sides.

    The chance in a game, of draws, kickoffs and respawns, is seeded by seed, mode and start.
    """

    kickoffs: NonNegativeInt = 8
    """Kickoffs of each mode."""
    random: NonNegativeInt = 8
    """Random states of each mode."""
    air_chance: Fraction = 0.3
    """Chance that a car, and that the ball, starts in the air in a random state."""
    seed: NonNegativeInt = 0
    """Of the states and of all chance in the games."""
    file: str = ""
    """Take the states of this file instead, such as the starts.jsonl of an earlier selection."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not self.file and not self.kickoffs + self.random:
            raise ValueError("starts.kickoffs and starts.random are both 0: no game can begin")
        return self


class GamesConfig(Section):
    """What is played."""

    modes: tuple[Mode, ...] = ()
    """Blue v orange cars. Empty takes the modes that the newest candidate was trained in."""
    seconds: PositiveFloat = 60.0
    """Length of a game in game time; after a goal there is a kickoff."""
    no_touch_s: NonNegativeFloat = 30.0
    """Seconds without a touch after which there is a kickoff. 0 never."""
    sampled: bool = False
    """Draw actions as in training, instead of taking the likeliest as the bot does."""


class RankingConfig(Section):
    """Who is best."""

    order: Annotated[tuple[Criterion, ...], Field(min_length=1)] = (
        "points",
        "goal_difference",
        "earliest",
    )
    """What counts, first to last: points (1 for a win, 0.5 for a draw), goals, fewest steps."""


class GateConfig(Section):
    """What the winner must show."""

    random_margin: Annotated[float, Field(ge=0, lt=0.5)] = 0.1
    """Its points a game against random, at the lower end of the interval, are 0.5 and this more."""
    incumbent: str = ""
    """The bundle it would replace, to which it must not lose in points. Empty has none."""


class SelectionProtocol(Section):
    """All terms of a selection."""

    candidates: CandidatesConfig = CandidatesConfig()
    """Which checkpoints of the run are compared: all that one of the rules names."""
    opponents: OpponentsConfig = OpponentsConfig()
    """Whom every candidate plays."""
    starts: StartsConfig = StartsConfig()
    """The states that games begin in; every pairing plays each of them from both sides."""
    games: GamesConfig = GamesConfig()
    """What is played."""
    ranking: RankingConfig = RankingConfig()
    """Who is best."""
    gate: GateConfig = GateConfig()
    """What the winner must show."""

    @model_validator(mode="after")
    def _measurable(self) -> Self:
        if "random" not in self.opponents.anchors:
            raise ValueError('opponents.anchors lacks "random", by which gate.random_margin goes')
        return self


def load_protocol(path: Path | None) -> SelectionProtocol:
    """The protocol of a TOML file; None has the default one.

    Raises:
        ConfigError: When the file is missing, is not TOML, or says something impossible.
    """
    if path is None:
        return SelectionProtocol()
    return checked(SelectionProtocol, read_toml(path), str(path))


def protocol_text(protocol: SelectionProtocol) -> str:
    """It as TOML, each key under its explanation; `load_protocol` reads it back."""
    return config_text(protocol)


def hash_of(record: object) -> str:
    """SHA-256, in hex, of the canonical JSON of `record`: sorted keys, no blanks, UTF-8."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def protocol_hash(protocol: SelectionProtocol) -> str:
    """SHA-256 of all terms, whether they were written in a file or are defaults."""
    return hash_of(protocol.model_dump(mode="json"))
