"""The settings of old versions: kept, played against while training, and rated.

Loads pydantic only. Tested by `tests/trainer/test_config.py`.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from trainer.config_section import (
    Fraction,
    Live,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    Section,
)

RatingSystem = Literal["bradley_terry", "openskill", "elo"]
VersionDraw = Literal["uniform", "recent", "rating"]


class VersionsConfig(Section):
    """Which actors of the past are kept in `policy_versions/`, beside the checkpoints."""

    every_steps: Live[NonNegativeInt] = 5_000_000
    """Agent steps between two versions. 0 keeps none."""
    keep: Live[NonNegativeInt] = 64
    """Newest versions that stay on disk. 0 keeps all."""


class SelfPlayConfig(Section):
    """Old versions as opponents in training. Nothing is learned from what they do."""

    chance: Live[Fraction] = 0.0
    """Chance that a group of arenas plays an iteration against an old version. 0 never does."""
    groups: PositiveInt = 4
    """Groups of arenas in each process that plays. The first of all meet one version, and so on."""
    draw: Live[VersionDraw] = "uniform"
    """uniform: all alike; recent: newer ones more often; rating: those of a similar rating."""
    in_memory: Live[PositiveInt] = 32
    """Newest versions that are drawn from. Only those that play and just played are in memory."""


class RatingsConfig(Section):
    """How strong each version is, by games against others, in a process of its own."""

    enabled: bool = True
    """Rate every new version while the run trains. `rlppo rate` does the same without it."""
    system: RatingSystem = "bradley_terry"
    """bradley_terry: all games at once; openskill: one after another; elo: by goals, no sigma."""
    rating_per_goal: PositiveFloat = 5.0
    """Elo's K: most points that a goal moves."""
    anchors: dict[str, Annotated[float, Field(ge=-10_000, le=10_000)]] = Field(
        default_factory=lambda: {"random": 0.0, "chaser": 300.0}
    )
    """Opponents of a fixed rating: "random", "chaser", "nexto", or bundles by their folders."""
    nexto: str = ""
    """Your nexto-model.pt, if you have one. As of bundles, paths begin at the run's folder."""
    versions: NonNegativeInt = 3
    """Earlier versions that each new one plays."""
    starts: PositiveInt = 8
    """Start states of games with each opponent, every other a kickoff; each from both sides."""
    seconds: PositiveFloat = 60.0
    """Length of a game in game time."""
    sampled: bool = False
    """Draw actions as in training, instead of taking the likeliest as the bot does."""
    min_games: PositiveInt = 30
    """Games below which a rating is shown as not yet sure."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if "nexto" in self.anchors and not self.nexto:
            raise ValueError(
                "ratings.anchors has nexto, but ratings.nexto does not say where nexto-model.pt is"
            )
        if self.nexto and "nexto" not in self.anchors:
            raise ValueError(
                "ratings.nexto does nothing before ratings.anchors gives nexto a rating"
            )
        if self.enabled and not self.anchors and not self.versions:
            raise ValueError("ratings.anchors is empty and ratings.versions 0: nobody is played")
        return self
