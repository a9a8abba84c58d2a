"""Who plays whom, from which start, on which side: the whole list of games, before any is played.

Games are cut into batches that are played at once. The list and its cuts depend on nothing but the
arguments, so an interrupted list goes on where it was, and a batch that is played again is the same
batch. Knows no simulator. Tested by `tests/trainer/evaluation/test_schedule.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from trainer.evaluation.engine import Game
from trainer.evaluation.frozen_starts import mode_seed

AT_ONCE: Final = 64
"""Games of a batch: more are no faster on one core, and an interruption loses more of them."""


class Batch(NamedTuple):
    """Games of one mode that are played at once."""

    mode: str
    first: int
    """Number of its first game in the whole list."""
    games: tuple[Game, ...]


def pairings(candidates: int, others: int, *, each_other: bool) -> list[tuple[int, int]]:
    """Who meets: every candidate every other one, where wanted, and every other contestant.

    Candidates are numbered from 0, the others from there on.
    """
    among = [(a, b) for a in range(candidates) for b in range(a + 1, candidates)]
    with_others = [(a, candidates + b) for a in range(candidates) for b in range(others)]
    return [*(among if each_other else ()), *with_others]


def make_batches(
    pairs: Sequence[tuple[int, int]], starts: Mapping[str, int], decisions: int, seed: int
) -> list[Batch]:
    """All games: each pair from each start, first as named and then with sides swapped.

    Args:
        pairs: Who meets.
        starts: How many start states each mode has.
        decisions: Length of every game.
        seed: Of all chance; games of one mode and start share theirs, whoever plays.
    """
    batches: list[Batch] = []
    first = 0
    for mode, num_starts in starts.items():
        games = [
            Game(blue, orange, start, (*mode_seed(seed, mode), start), decisions)
            for pair in pairs
            for start in range(num_starts)
            for blue, orange in (pair, pair[::-1])
        ]
        batches += [
            Batch(mode, first + cut, tuple(games[cut : cut + AT_ONCE]))
            for cut in range(0, len(games), AT_ONCE)
        ]
        first += len(games)
    return batches
