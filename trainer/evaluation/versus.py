"""Two policies play each other for once, and what each of them does; `rlppo evaluate`.

Tested by `tests/trainer/evaluation/test_versus.py`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from rlbot_agent.field import TICKS_PER_SECOND
from trainer.episodes import decisions
from trainer.evaluation.contestants import Contestant, load_contestant
from trainer.evaluation.engine import Table, play, shared_ticks
from trainer.evaluation.frozen_starts import make_starts
from trainer.evaluation.protocol import GamesConfig, StartsConfig
from trainer.evaluation.report import finite
from trainer.evaluation.schedule import make_batches
from trainer.evaluation.standings import Played, habits_of, record_of
from trainer.evaluation.tables import RECORD_HEADS, habit_rows, record_cells, reward_rows, table
from trainer.files import write_atomic
from trainer.meshes import find_meshes


class Terms(NamedTuple):
    """What is played."""

    games: int = 32
    """At least so many; every start state is played from both sides."""
    seconds: float = 60.0
    """Of game time, each."""
    mode: str | None = None
    """Blue v orange cars; None takes the first that anybody was trained in."""
    sampled: bool = False
    """Draw actions instead of taking the likeliest."""
    seed: int = 0
    """Of all chance."""


def evaluate(a: str, b: str, terms: Terms, out: Path | None) -> Iterator[str]:
    """Play `a` against `b` and tell what came of it, line by line.

    Args:
        a: "random", "chaser", "nexto:PATH", or the folder of a checkpoint, a run or a bundle.
        b: Likewise; may be the same.
        terms: What is played.
        out: File for the numbers, as JSON.

    Raises:
        EvaluationError, CheckpointError: When one of them cannot play.
        MeshError: When the arena's meshes are not found.
        OSError: When the disk refuses.
    """
    names = (a, b if b != a else f"{b} (again)")
    contestants = [
        load_contestant(word, name, sampled=terms.sampled)
        for word, name in zip((a, b), names, strict=True)
    ]
    skip, _ = shared_ticks(contestants)
    mode = terms.mode or _first_mode(contestants)
    played = play_all(contestants, mode, terms)
    record = record_of(played, 0, 1)
    habits = {name: habits_of(played, number, skip) for number, name in enumerate(names)}
    minutes = played[0].result.decisions * skip / TICKS_PER_SECOND / 60
    yield f"{len(played)} games of {mode}, {minutes:.2g} minutes each"
    yield from table(["", *RECORD_HEADS], [[names[0], *record_cells(record)]])
    yield ""
    yield from table(["", *names], habit_rows(habits))
    yield ""
    yield from table(["reward a decision, unweighted", *names], reward_rows(habits))
    if out:
        found = {
            "mode": mode,
            "terms": terms._asdict(),
            "weights_sha256": {each.name: each.sha256 for each in contestants},
            "record": asdict(record),
            "habits": {name: asdict(each) for name, each in habits.items()},
        }
        text = json.dumps(finite(found), indent=2, ensure_ascii=False, allow_nan=False)
        write_atomic(out, f"{text}\n".encode())


def play_all(contestants: Sequence[Contestant], mode: str, terms: Terms) -> list[Played]:
    """All games of the first two of `contestants`."""
    skip, _ = shared_ticks(contestants)
    half = -(-terms.games // 4)
    starts = make_starts(
        StartsConfig(kickoffs=half, random=half, seed=terms.seed), Path(), (mode,)
    )[mode]
    no_touch = decisions(GamesConfig().no_touch_s, skip)
    arena = Table(mode, starts, no_touch, find_meshes(""))
    length = decisions(terms.seconds, skip)
    return [
        Played(mode, game, result)
        for batch in make_batches([(0, 1)], {mode: 2 * half}, length, terms.seed)
        for game, result in zip(batch.games, play(batch.games, arena, contestants), strict=True)
    ]


def _first_mode(contestants: Sequence[Contestant]) -> str:
    contracts = (contestant.contract for contestant in contestants)
    return next((contract.modes[0] for contract in contracts if contract is not None), "1v1")
