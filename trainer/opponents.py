"""The line-up of each rollout: which old versions play, in which groups, on which teams.

Drawn by the trainer for all processes that play, from one generator, so that a resume draws as the
run would have gone on. Tested by `tests/trainer/test_opponents.py`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trainer.config import RunConfig
from trainer.line_up import NOBODY, Teams, draw_teams
from trainer.version_draw import Weights, rating_weights, recent_weights, uniform_weights
from trainer.version_pool import Floats, VersionPool

NOT_RATED = (
    "selfplay.draw is rating, but nobody has rated a version yet: all are drawn alike until then"
)


class LineUp(NamedTuple):
    """Who plays one rollout beside today's policy."""

    teams: tuple[Teams, ...]
    """By process that plays."""
    versions: tuple[int, ...]
    """By group: the steps of the version that plays that group of each process, where one does."""
    vectors: dict[int, Floats]
    """By group that an old version plays in some process: its parameters."""


class Opponents:
    """Draws line-ups."""

    def __init__(
        self, config: RunConfig, pool: VersionPool, rng: np.random.Generator, workers: int
    ) -> None:
        """Draw nothing yet.

        Args:
            config: The run's settings.
            pool: The versions.
            rng: The generator "opponents" of the run.
            workers: Processes that play.
        """
        self._config, self._pool, self._rng = config, pool, rng
        shares = (config.sim.worker_share(rank, workers).arenas for rank in range(workers))
        self._groups = [min(config.selfplay.groups, arenas) for arenas in shares]
        self._told = False

    def change(self, config: RunConfig) -> None:
        """Take what may change while a run trains from `config`, from the next rollout on."""
        self._config = config

    def draw(self, steps: int) -> LineUp | None:
        """Who plays the rollout that begins after `steps` agent steps; None for nobody.

        Where `selfplay.chance` is above 0, as many numbers are drawn whoever comes of it.
        """
        selfplay = self._config.selfplay
        if not selfplay.chance:
            return None
        numbers = self._rng.random(selfplay.groups)
        teams = tuple(draw_teams(selfplay.chance, groups, self._rng) for groups in self._groups)
        playing = [group for group in range(selfplay.groups) if _plays(group, teams)]
        if not playing:
            return None
        while versions := self._pool.refresh(steps, selfplay.in_memory):
            # The first version up to which the share of all weight is above the number.
            shares = self._weights(versions).cumsum()
            places = np.searchsorted(shares, numbers * shares[-1], side="right").tolist()
            drawn = tuple(versions[min(place, len(versions) - 1)] for place in places)
            vectors = self._pool.take({drawn[group] for group in playing})
            if vectors is not None:
                return LineUp(teams, drawn, {group: vectors[drawn[group]] for group in playing})
        return None

    def take_warnings(self) -> list[str]:
        """What a person should know and was not told yet."""
        found, self._pool.warnings = self._pool.warnings, []
        return found

    def _weights(self, versions: Sequence[int]) -> Weights:
        match self._config.selfplay.draw:
            case "recent":
                return recent_weights(versions)
            case "rating":
                ratings = self._pool.ratings()
                if ratings is not None:
                    return rating_weights(versions, ratings, self._config.sim.played)
                if not self._told:
                    self._told = True
                    self._pool.warnings.append(NOT_RATED)
        return uniform_weights(versions)


def _plays(group: int, teams: Sequence[Teams]) -> bool:
    """Whether an old version plays `group` in some process."""
    return any(group < len(own) and own[group] != NOBODY for own in teams)


def next_line_up(opponents: Opponents | None, steps: int, warnings: list[str]) -> LineUp | None:
    """What `opponents` draw, if anybody does; what a person should know joins `warnings`."""
    if opponents is None:
        return None
    found = opponents.draw(steps)
    warnings += opponents.take_warnings()
    return found
