"""From games to ratings.json: which of them count, by which system, and everybody's record.

Pure: games in, ratings out. Tested by `tests/trainer/ratings/test_ratings_of.py`.
"""

from collections.abc import Sequence

from trainer.config import RunConfig
from trainer.config_league import RatingsConfig
from trainer.episodes import decisions
from trainer.ratings import bradley_terry, openskill_system
from trainer.ratings.elo import elo_system
from trainer.ratings.played import PlayedGame, countable
from trainer.ratings.scores import Score, Strength, System, Who
from trainer.ratings.table import Rated, Ratings, version_name


def ratings_of(played: Sequence[PlayedGame], run: RunConfig, now: float) -> Ratings:
    """What all games on the terms of a run come to.

    Args:
        played: In the order in which they were played.
        run: Its settings.
        now: Seconds since the epoch.
    """
    config = run.ratings
    length = decisions(config.seconds, run.sim.tick_skip)
    games = countable(played, config.anchors, sampled=config.sampled, decisions=length)
    modes = dict.fromkeys(game.mode for game in games)
    return Ratings(
        config.system,
        config.min_games,
        now,
        {
            mode: _rated([game.score for game in games if game.mode == mode], config)
            for mode in modes
        },
    )


def system_of(config: RatingsConfig) -> System:
    """The system that the run is rated by."""
    match config.system:
        case "bradley_terry":
            return bradley_terry.rate
        case "openskill":
            return openskill_system.rate
        case "elo":
            return elo_system(config.rating_per_goal)


def _rated(scores: Sequence[Score], config: RatingsConfig) -> tuple[Rated, ...]:
    """Versions by steps, then anchors by rating."""
    strengths = system_of(config)(scores, config.anchors)
    everybody = [_row(who, strength, scores) for who, strength in strengths.items()]
    return tuple(sorted(everybody, key=_place))


def _place(rated: Rated) -> tuple[object, ...]:
    return (rated.kind == "anchor", rated.steps, rated.rating, rated.name)


def _row(who: Who, strength: Strength, scores: Sequence[Score]) -> Rated:
    own = [score.points for score in scores if score.blue == who]
    own += [1 - score.points for score in scores if score.orange == who]
    version = isinstance(who, int)
    return Rated(
        name=version_name(who) if isinstance(who, int) else who,
        kind="version" if version else "anchor",
        steps=who if isinstance(who, int) else 0,
        rating=strength.rating,
        sigma=strength.sigma,
        wins=own.count(1.0),
        draws=own.count(0.5),
        losses=own.count(0.0),
    )
