"""The games of a player with others: from the same start states always, and from both sides.

What was played before is not played again. Tested by `tests/trainer/ratings/test_rater.py`.
"""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from trainer.config import RunConfig
from trainer.episodes import decisions
from trainer.evaluation.contestants import Contestant, senses_of
from trainer.evaluation.engine import Game, Result, Table, play, shared_ticks
from trainer.evaluation.frozen_starts import make_starts
from trainer.evaluation.protocol import GamesConfig, StartsConfig
from trainer.evaluation.schedule import make_batches
from trainer.meshes import find_meshes
from trainer.ratings.played import GameKey, PlayedGame, Player
from trainer.ratings.today import PHYSICS
from trainer.resets import Starts, join_starts

SEED: Final = 0
"""Of all chance in the games: the same in every run, so that runs can be compared."""


class Entrant(NamedTuple):
    """Somebody who plays, and as whom its games are kept."""

    contestant: Contestant
    player: Player


class Bouts:
    """Plays them on the terms of one run."""

    def __init__(self, config: RunConfig) -> None:
        """Draw the start states.

        Raises:
            MeshError: When the arena's meshes are not found.
        """
        self._terms = config.ratings
        self._meshes = find_meshes(config.sim.meshes)
        skip = config.sim.tick_skip
        self._length = decisions(self._terms.seconds, skip)
        self._no_touch = decisions(GamesConfig().no_touch_s, skip)
        self._starts = _starts(self._terms.starts, config.sim.played)

    def play(
        self, one: Entrant, others: Sequence[Entrant], mode: str, known: Collection[GameKey]
    ) -> Iterator[list[PlayedGame]]:
        """The games of `one` with each of `others` in `mode` that are not among `known`.

        Many at once, which costs half as much a game as those of one pair do. All of them decide
        as often as the run does.

        Raises:
            EvaluationError: When two of them cannot play each other, or one cannot play at all.
        """
        players = (one, *others)
        contestants = [each.contestant for each in players]
        shared_ticks(contestants)
        for each in contestants:
            senses_of(each, mode)
        pairs = [(0, number) for number in range(1, len(players))]
        table = Table(mode, self._starts[mode], self._no_touch, self._meshes)
        for batch in make_batches(pairs, {mode: self._terms.starts}, self._length, SEED):
            games = [game for game in batch.games if self._key(game, players, mode) not in known]
            if games:
                results = play(games, table, contestants)
                yield [
                    self._record(game, result, players, mode)
                    for game, result in zip(games, results, strict=True)
                ]

    def _key(self, game: Game, players: Sequence[Entrant], mode: str) -> GameKey:
        blue, orange = players[game.blue].player, players[game.orange].player
        return GameKey(mode, blue, orange, game.start, game.decisions, self._terms.sampled)

    def _record(
        self, game: Game, result: Result, players: Sequence[Entrant], mode: str
    ) -> PlayedGame:
        return PlayedGame(
            mode=mode,
            blue=players[game.blue].player,
            orange=players[game.orange].player,
            blue_goals=result.blue.goals,
            orange_goals=result.orange.goals,
            start=game.start,
            seed=game.seed,
            decisions=game.decisions,
            sampled=self._terms.sampled,
            physics=PHYSICS,
        )


def _starts(number: int, modes: Sequence[str]) -> dict[str, Starts]:
    """By mode: kickoffs and random states by turns.

    Each has a seed of its own, so that a start is the same however many there are.
    """
    terms = (StartsConfig(kickoffs=1 - i % 2, random=i % 2, seed=i) for i in range(number))
    drawn = [make_starts(each, Path(), modes) for each in terms]
    return {mode: join_starts([each[mode] for each in drawn]) for mode in modes}
