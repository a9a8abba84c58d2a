"""What a machine could do at most, from what physics, inference and the update take alone.

Arithmetic that measures nothing. Of work that goes on at once, nobody is done before the longest
is, nor before the cores have computed all of it: nothing that a run adds can make it faster than
that, so it is a limit from above. Tested by `tests/trainer/test_bench_limit.py`.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Load(NamedTuple):
    """What an agent step takes of one kind of work, or of several."""

    wall_s: float
    """Seconds, of the wall's clock; while nothing else goes on, where it was measured."""
    cores_s: float
    """Seconds that cores computed, added up; 0 where a GPU did it."""

    @property
    def sps(self) -> float:
        """Steps a second."""
        return 1 / self.wall_s


class Alone(NamedTuple):
    """Each kind of work by itself."""

    physics: Load
    inference: Load
    update: Load


def in_turn(*loads: Load) -> Load:
    """One after the other."""
    return Load(sum(load.wall_s for load in loads), sum(load.cores_s for load in loads))


def at_once(cores: int, *loads: Load) -> Load:
    """At once, on `cores` and a GPU: at least as long as the longest, and as all cores need."""
    cores_s = sum(load.cores_s for load in loads)
    return Load(max(cores_s / cores, *(load.wall_s for load in loads)), cores_s)


def together(loads: Sequence[Load]) -> Load:
    """The same work in processes beside each other, of which each was measured beside the rest."""
    sps = sum(load.sps for load in loads)
    return Load(1 / sps, sum(load.cores_s * load.sps for load in loads) / sps)


def limit_sps(alone: Alone, *, hides: bool, overlaps: bool, cores: int) -> float:
    """Agent steps a second if nothing but `alone` took time.

    Args:
        alone: What was measured.
        hides: Whether agents are decided for in two groups: then physics of one goes on beside
            decisions of the other, and all physics beside all decisions at best.
        overlaps: Whether a rollout is played while the one before is learned from. On cores that
            both keep busy they still add up; where a GPU learns, the longer one counts. It may
            decide and learn at once, so those do not add up there.
        cores: That this process may use.
    """
    physics, inference, update = alone
    play = at_once(cores, physics, inference) if hides else in_turn(physics, inference)
    return (at_once(cores, play, update) if overlaps else in_turn(play, update)).sps
