"""Everybody against everybody: what `rlppo ladder` plays, and what it comes to.

The games of a pair do not depend on who else plays: the chance of a game is seeded by its mode and
start alone, each is played in an arena of its own, everybody decides by its own row, and the ticks
are those of the run whoever meets in a batch. In 1v1 that holds bit for bit, as `engine.py` says.

Games are written as they are played, under a hash of all that they depend on, so that an
interrupted ladder goes on where it was; when it is done, they are removed. Nothing is trained.
Tested by `tests/trainer/ratings/test_ladder.py`.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from trainer.config_file import load_config
from trainer.episodes import decisions
from trainer.evaluation.binding import bind
from trainer.evaluation.candidates import Entrant, tickets_of
from trainer.evaluation.contestants import EvaluationError
from trainer.evaluation.engine import Table, shared_ticks
from trainer.evaluation.frozen_starts import make_starts, starts_text
from trainer.evaluation.game_log import GameLog
from trainer.evaluation.parallel import load_again, play_batches
from trainer.evaluation.protocol import GamesConfig, SelectionProtocol, StartsConfig
from trainer.evaluation.schedule import Batch, make_batches
from trainer.evaluation.standings import Played, Record, ranked, record_of
from trainer.meshes import find_meshes
from trainer.modes import Mode
from trainer.ratings.ladder_players import Wishes, able, invite
from trainer.ratings.ladder_table import Ladder, Meeting, Round, Rung, write_ladder
from trainer.run_dir import RunDir

Say = Callable[[str], None]


class Terms(NamedTuple):
    """What is played."""

    modes: tuple[Mode, ...] = ()
    """Blue v orange cars; empty takes those that the newest of the run was trained in."""
    starts: int = 16
    """Start states of each mode, half of them kickoffs; every pair plays each from both sides."""
    seconds: float = 60.0
    """Length of a game in game time."""
    sampled: bool = False
    """Draw actions instead of taking the likeliest."""
    seed: int = 0
    """Of start states and all chance."""

    @property
    def protocol(self) -> SelectionProtocol:
        """The same in the words of a selection; it names no players."""
        kickoffs = -(-self.starts // 2)
        return SelectionProtocol(
            starts=StartsConfig(kickoffs=kickoffs, random=self.starts // 2, seed=self.seed),
            games=GamesConfig(modes=self.modes, seconds=self.seconds, sampled=self.sampled),
        )


def climb(run: RunDir, wishes: Wishes, terms: Terms, workers: int, say: Say) -> Ladder:
    """Play the ladder and leave it in the run folder.

    Args:
        run: The run folder.
        wishes: Who plays.
        terms: What.
        workers: Processes that play.
        say: Is told how far it is, and who is left out.

    Raises:
        EvaluationError, CheckpointError: When somebody who was asked for cannot play, or there are
            not two.
        ConfigError, MeshError: When something else that is needed is unusable.
        OSError: When the disk refuses.
    """
    config = load_config(run.config)
    invited = invite(run, config.ratings, wishes, say, sampled=terms.sampled)
    entrants = [each.entrant for each in invited]
    modes: tuple[str, ...] = terms.modes or _modes_of(entrants)
    able_in = {mode: able(invited, mode, say) for mode in modes}
    protocol, meshes = terms.protocol, find_meshes(config.sim.meshes)
    starts = make_starts(protocol.starts, Path(), modes)
    contestants = [entrant.contestant for entrant in entrants]
    ticks = shared_ticks(contestants)
    no_touch = decisions(protocol.games.no_touch_s, ticks[0])
    tables = {mode: Table(mode, starts[mode], no_touch, meshes, ticks) for mode in modes}
    batches = _batches(able_in, terms, decisions(terms.seconds, ticks[0]))

    binding = bind(protocol, modes, starts_text(starts), meshes, entrants)
    run.ladder_games.mkdir(exist_ok=True)
    log = GameLog(run.ladder_games / f"{binding.sha256[:16]}.jsonl")
    left = [batch for batch in batches if not log.holds(batch)]
    total = sum(len(batch.games) for batch in batches)
    say(f"ladder of {', '.join(each.name for each in contestants)}: {total:,} games")
    assemble = partial(load_again, tickets_of(entrants), sampled=terms.sampled)
    for batch, results in play_batches(left, tables, contestants, assemble, workers):
        log.add(batch.first, results)
        say(f"{len(log.results):,} of {total:,} games")

    played = log.played(batches)
    rounds = tuple(_round(played, mode, who, entrants) for mode, who in able_in.items())
    ladder = Ladder(time.time(), terms.seconds, terms.sampled, rounds)
    write_ladder(run.ladder, ladder)
    log.remove()
    with suppress(OSError):  # others may be interrupted
        run.ladder_games.rmdir()
    return ladder


def _modes_of(entrants: Sequence[Entrant]) -> tuple[str, ...]:
    """The modes of the newest of the run."""
    own = [each for each in entrants if each.role == "candidate"]
    if not own:
        raise EvaluationError("nobody of the run can play, and no --mode says what the others do")
    contract = max(own, key=lambda each: each.steps).contestant.contract
    assert contract is not None
    return contract.modes


def _batches(able_in: Mapping[str, Sequence[int]], terms: Terms, length: int) -> list[Batch]:
    """All games of all modes, numbered on."""
    found: list[Batch] = []
    for mode, who in able_in.items():
        first = found[-1].first + len(found[-1].games) if found else 0
        batches = make_batches(list(combinations(who, 2)), {mode: terms.starts}, length, terms.seed)
        found += [batch._replace(first=first + batch.first) for batch in batches]
    return found


def _round(
    played: Sequence[Played], mode: str, who: Sequence[int], entrants: Sequence[Entrant]
) -> Round:
    """What the games of `mode` come to."""
    games = [each for each in played if each.mode == mode]
    totals = {number: record_of(games, number) for number in who}
    steps = {number: entrants[number].steps for number in who}
    order = ranked(totals, steps, ("points", "goal_difference", "earliest"))
    return Round(
        mode=mode,
        rungs=tuple(_rung(entrants[number], totals[number]) for number in order),
        meetings=tuple(
            _meeting(a, b, record_of(games, order[a], order[b]))
            for a, b in combinations(range(len(order)), 2)
        ),
    )


def _rung(entrant: Entrant, total: Record) -> Rung:
    return Rung(
        name=entrant.contestant.name,
        steps=entrant.steps,
        sha256=entrant.contestant.sha256,
        wins=total.wins,
        draws=total.draws,
        losses=total.losses,
        scored=total.scored,
        conceded=total.conceded,
        points=total.points,
    )


def _meeting(a: int, b: int, met: Record) -> Meeting:
    return Meeting(a, b, met.wins, met.draws, met.losses, met.points, met.goal_difference)
