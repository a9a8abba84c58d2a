"""Words for a number that is not finite: which car saw it, and what it was to mean.

Knows no simulator and no network. Tested by `tests/trainer/test_blame.py`. Axes: B arenas, P cars
of an arena, N = B·P agents, D numbers of an observation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from rlbot_agent.obs import Term
from trainer.collector import AgentError
from trainer.modes import Mode, team_sizes

Array = npt.NDArray[np.float32]


def car_words(agent: int, num_cars: int, mode: str) -> str:
    """Such as "car 1 of arena 0 of 2v2", for arenas of `num_cars` cars."""
    arena, car = divmod(agent, num_cars)
    return f"car {car} of arena {arena} of {mode}"


def agent_words(agent: int, shares: Mapping[Mode, int]) -> str:
    """The same of an agent of several modes, side by side, of which each has so many arenas.

    Raises:
        IndexError: When they have fewer agents.
    """
    first = 0
    for mode, arenas in shares.items():
        num_cars = sum(team_sizes(mode))
        if agent < first + arenas * num_cars:
            return car_words(agent - first, num_cars, mode)
        first += arenas * num_cars
    raise IndexError(f"there are only {first} agents")


def spoiled_observation(obs: Array, terms: Sequence[Term], whose: Callable[[int], str]) -> str:
    """What is not finite in the observations (N, D) of cars that `whose` names; empty when none."""
    with np.errstate(over="ignore", invalid="ignore"):
        # One pass without a mask: a sum is as finite as its parts, or it overflows.
        if np.isfinite(obs.sum()):
            return ""
    wrong = np.argwhere(~np.isfinite(obs))
    if not len(wrong):
        return ""
    agent, column = map(int, wrong[0])
    return (
        f"the observation of {whose(agent)} is {obs[agent, column]} in {term_words(column, terms)}"
    )


def term_words(column: int, terms: Sequence[Term]) -> str:
    """Such as "own.velocity (column 3 of 3, 67 of all)", counted from 1."""
    start = 0
    for term in terms:
        if column < start + term.width:
            place = column - start + 1
            return f"{term.name} (column {place} of {term.width}, {column + 1} of all)"
        start += term.width
    raise IndexError(f"column {column} of {start}")


@contextmanager
def naming_agents(words: Callable[[int], str]) -> Iterator[None]:
    """Add to an error that knows an agent's number only which car that is, by `words`."""
    try:
        yield
    except AgentError as error:
        error.add_note(f"agent {error.agent} is {words(error.agent)}")
        raise
