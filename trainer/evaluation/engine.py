"""Plays many games at once: one simulator, one forward pass of each policy a decision.

Every game is played in an arena made for it, because the simulator keeps hidden state through a
reset, and draws from its own generators: what happens in it does not depend on the games beside it.
That holds bit for bit with two cars; more meet in an order that the simulator takes from memory
addresses (`sim.py`), and part by rounding. Chance belongs to the seat, not to who sits in it: the
same policy on both sides plays the same game when it changes sides.

The kickoff after a goal, a ball that was neglected or broken physics begins at once. Knows no
protocol and no ranking. Tested by `tests/trainer/evaluation/test_engine.py`. Axes: B games, P cars
of a game, T decisions.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.actions import action_masks
from rlbot_agent.field import BLUE, ORANGE
from rlbot_agent.modes import teams_of
from rlbot_agent.state import GameState
from trainer.episodes import Cause, Clocks, Limits, end_causes
from trainer.evaluation.contestants import Contestant, EvaluationError, Senses, senses_of
from trainer.evaluation.tally import Side, Tally
from trainer.resets import Starts, kickoff_starts, take_starts
from trainer.sim import Simulator
from trainer.torch_threads import one_torch_thread

USUAL_TICKS: Final = (8, 1)
"""Tick skip and action delay where nobody has a contract."""


class Game(NamedTuple):
    """A game that is to be played."""

    blue: int
    """Number of the contestant that plays blue."""
    orange: int
    """Number of the other one."""
    start: int
    """Number of the start state."""
    seed: tuple[int, ...]
    """Of its chance: of draws of actions, kickoffs and respawns."""
    decisions: int
    """How long it lasts."""


class Table(NamedTuple):
    """What games are played on."""

    mode: str
    """Blue v orange cars, such as "2v2"."""
    starts: Starts
    """The start states that games begin in."""
    no_touch: int
    """Decisions without a touch after which there is a kickoff."""
    meshes: Path
    """Folder of the arena's meshes."""
    ticks: tuple[int, int] | None = None
    """Tick skip and action delay; None has those of whoever plays in a batch."""


@dataclass(frozen=True)
class Result:
    """How a game went."""

    blue: Side
    orange: Side
    decisions: int
    """How long it lasted."""
    ends: dict[str, int]
    """How often a rally ended by "goal", "no_touch" or "broken"."""


class Seats(NamedTuple):
    """What one contestant controls in these games."""

    contestant: Contestant
    senses: Senses | None
    games: npt.NDArray[np.int64]
    """(M,)."""
    cars: npt.NDArray[np.int64]
    """(M,) number of the car in each of them."""


def shared_ticks(contestants: Sequence[Contestant]) -> tuple[int, int]:
    """Tick skip and action delay of all `contestants`.

    Raises:
        EvaluationError: When they differ: one simulator cannot play both.
    """
    bound = [(each.name, each.contract) for each in contestants if each.contract is not None]
    found = [(contract.tick_skip, contract.action_delay) for _, contract in bound]
    for (name, _), (skip, delay) in zip(bound, found, strict=True):
        if (skip, delay) != found[0]:
            raise EvaluationError(
                f"{bound[0][0]} decides every {found[0][0]} ticks with a delay of {found[0][1]}, "
                f"{name} every {skip} with {delay}: they cannot play each other"
            )
    skips = [(name, contract.tick_skip) for name, contract in bound]
    skips += [(each.name, each.tick_skip) for each in contestants if each.tick_skip is not None]
    for name, skip in skips:
        if skip != skips[0][1]:
            raise EvaluationError(
                f"{skips[0][0]} decides every {skips[0][1]} ticks, {name} every {skip}: they "
                "cannot play each other"
            )
    if found:
        return found[0]
    return (skips[0][1] if skips else USUAL_TICKS[0]), USUAL_TICKS[1]


@one_torch_thread()
def play(games: Sequence[Game], table: Table, contestants: Sequence[Contestant]) -> list[Result]:
    """Play `games` side by side, each to its end.

    Raises:
        EvaluationError: When a contestant cannot play them.
    """
    teams = teams_of(table.mode)
    seats = _seats(games, table.mode, contestants)
    chances = [_Chance.of(game, len(teams)) for game in games]
    skip, delay = table.ticks or shared_ticks([seat.contestant for seat in seats])
    respawns = [chance.respawns for chance in chances]
    simulator = Simulator(len(games), teams, skip, delay, table.meshes, respawns)
    simulator.reset(
        np.arange(len(games)), take_starts(table.starts, np.array([game.start for game in games]))
    )
    lengths = np.array([game.decisions for game in games])
    rallies = _Rallies(simulator, table.no_touch, chances)
    tally, before = Tally(len(games), teams), GameState(len(games), teams)
    for decision in range(lengths.max()):
        uniforms = np.array([chance.uniforms(decision) for chance in chances])
        before.raw[:] = simulator.state.raw
        simulator.step(_decide(simulator.state, seats, uniforms))
        playing = decision < lengths
        tally.add(before, simulator.state, simulator.events, playing)
        tally.kick_off(rallies.go_on(playing))
    return [
        Result(
            tally.side(number, BLUE, game.decisions),
            tally.side(number, ORANGE, game.decisions),
            game.decisions,
            rallies.ends_of(number),
        )
        for number, game in enumerate(games)
    ]


class _Chance(NamedTuple):
    """The generators of one game."""

    drawn: npt.NDArray[np.float64]
    """(T, P) a number for each decision of each car."""
    kickoffs: np.random.Generator
    respawns: np.random.Generator

    @classmethod
    def of(cls, game: Game, num_cars: int) -> "_Chance":
        children = np.random.SeedSequence(game.seed).spawn(3)
        acts, kickoffs, respawns = (np.random.Generator(np.random.PCG64(c)) for c in children)
        return cls(acts.random((game.decisions, num_cars)), kickoffs, respawns)

    def uniforms(self, decision: int) -> npt.NDArray[np.float64]:
        """(P,) of a decision; of the last one when the game is over."""
        drawn: npt.NDArray[np.float64] = self.drawn[min(decision, len(self.drawn) - 1)]
        return drawn


class _Rallies:
    """Ends what must end, and kicks off again."""

    def __init__(self, simulator: Simulator, no_touch: int, chances: Sequence[_Chance]) -> None:
        num = simulator.state.num_arenas
        self._simulator, self._chances = simulator, chances
        self._clocks, self._limits = Clocks(num), Limits(no_touch, np.iinfo(np.int64).max)
        self._ends = np.zeros((num, len(Cause)), np.int64)

    def go_on(self, playing: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Kick off in the games whose rally ended in this decision; their numbers (M,)."""
        events = self._simulator.events
        self._clocks.advance(events.touched)
        broken = self._simulator.broken
        causes = end_causes(self._clocks, self._limits, events.goal != 0, broken)
        ended = np.flatnonzero(causes != Cause.NONE)
        self._ends[ended, causes[ended]] += playing[ended]
        teams = self._simulator.state.teams
        for game in ended:
            starts = kickoff_starts(1, teams, self._chances[game].kickoffs)
            self._simulator.reset(np.array([game]), starts)
        self._clocks.restart(ended)
        return ended

    def ends_of(self, game: int) -> dict[str, int]:
        """How often each cause ended a rally of `game`."""
        causes = (Cause.GOAL, Cause.NO_TOUCH, Cause.BROKEN)
        return {cause.name.lower(): int(self._ends[game, cause]) for cause in causes}


def _seats(
    games: Sequence[Game], mode: str, contestants: Sequence[Contestant]
) -> tuple[Seats, ...]:
    """Who controls which cars, of all that play."""
    teams = np.array(teams_of(mode))
    sides = np.array([(game.blue, game.orange) for game in games])
    who = sides[:, teams]  # (B, P)
    return tuple(
        Seats(
            contestants[number],
            senses_of(contestants[number], mode),
            *np.nonzero(who == number),
        )
        for number in np.unique(who).tolist()
    )


def _decide(
    state: GameState, seats: Sequence[Seats], uniforms: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """(B, P) what everybody does; equal observations are built once."""
    actions = np.zeros((state.num_arenas, state.num_cars), np.int64)
    possible = action_masks(state)
    built: dict[Hashable, npt.NDArray[np.float32]] = {}
    nothing = np.zeros((*actions.shape, 0), np.float32)
    for contestant, senses, games, cars in seats:
        seen, masks, contract = nothing, possible, contestant.contract
        if senses is not None:
            if senses.key not in built:
                built[senses.key] = senses.builder.build(state)
            seen = built[senses.key]
        if contract is not None and not contract.action_masks:
            masks = np.ones_like(possible)
        chosen = contestant.chooser.choose(
            seen[games, cars], masks[games, cars], uniforms[games, cars]
        )
        actions[games, cars] = chosen
    return actions
