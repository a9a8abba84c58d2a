"""Who plays blue and who orange: the newest policy, or a checkpoint, each for its own cars.

Knows no game and no screen. Tested by `tests/trainer/test_viewer_teams.py`.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rlbot_agent.contract import ContractError
from trainer.brain import Brain
from trainer.checkpoint import CheckpointError
from trainer.config import RunConfig
from trainer.frames import Mind
from trainer.policy import Flags, Floats
from trainer.run_dir import RunDir
from trainer.viewer_mind import Seats, Thought, mind_of, think
from trainer.viewer_policy import NewestPolicy
from trainer.viewer_wishes import NEWEST


class Teams:
    """Two policies that play each other; the same one for both at first."""

    def __init__(self, run: RunDir, config: RunConfig, rng: np.random.Generator) -> None:
        """Nobody is loaded before `refresh`.

        Args:
            run: Whose policies play.
            config: The run's.
            rng: Draws the actions.
        """
        self.newest = NewestPolicy(run, config)
        """Plays wherever no checkpoint was chosen."""
        self.deterministic = False
        """Choose the likeliest actions instead of drawing them; may be changed at any time."""
        self._sides = np.array(config.sim.teams)
        self._rng = rng
        self._chosen: list[Brain | None] = [None, None]
        self._thoughts: Sequence[Thought] = ()
        self._mind: Mind | None = None

    @property
    def ready(self) -> bool:
        """Whether both teams have a trained policy."""
        return all(brain is not None for brain in self._brains)

    @property
    def steps(self) -> int:
        """Agent steps of training behind the one that trained longer."""
        return max(brain.steps if brain else 0 for brain in self._brains)

    @property
    def names(self) -> tuple[str, str]:
        """Who plays blue and who orange, such as "newest, 1.2M steps" and "5.0M steps"."""
        blue, orange = map(self._name, range(2))
        return blue, orange

    def refresh(self) -> None:
        """Look whether there is a newer policy than the newest; once a second at most."""
        self.newest.refresh()

    def choose(self, team: int, name: str) -> str:
        """Let a policy play for `team` from the next decision on.

        Returns:
            Why it cannot be, for a person, and then who played before goes on; empty when it can.
        """
        try:
            self._chosen[team] = None if name == NEWEST else self.newest.named(name)
        except (CheckpointError, ContractError, OSError) as error:
            return str(error)
        return ""

    def act(self, obs: Floats, masks: Flags) -> npt.NDArray[np.int64]:
        """Decide for every car; only while `ready`.

        Args:
            obs: (P, D).
            masks: (P, A) True where the car may choose the action.

        Returns:
            (P,) actions.

        Raises:
            PolicyError: When a number is not finite.
        """
        self._thoughts, self._mind = (
            [
                think(seats, obs, masks, self._rng, deterministic=self.deterministic)
                for seats in self._seats()
            ],
            None,
        )
        actions = np.empty(len(obs), np.int64)
        for thought in self._thoughts:
            actions[thought.seats.cars] = thought.actions
        return actions

    def mind(self, car: int | None) -> Mind | None:
        """What `car` thought at the last decision; None when there was none, or no such car."""
        if self._mind is None or self._mind.car != car:
            thought = next((found for found in self._thoughts if car in found.seats.cars), None)
            self._mind = mind_of(thought, car) if thought and car is not None else None
        return self._mind

    def forget(self) -> None:
        """There was no decision yet: a kickoff."""
        self._thoughts, self._mind = (), None

    @property
    def _brains(self) -> tuple[Brain | None, Brain | None]:
        blue, orange = (chosen or self.newest.brain for chosen in self._chosen)
        return blue, orange

    def _seats(self) -> list[Seats]:
        """One policy for all when both teams have the same: one pass of it is cheaper than two."""
        blue, orange = self._brains
        assert blue is not None
        assert orange is not None
        if blue is orange:
            return [Seats(blue, np.arange(len(self._sides)))]
        return [
            Seats(brain, np.flatnonzero(self._sides == team))
            for team, brain in ((0, blue), (1, orange))
        ]

    def _name(self, team: int) -> str:
        brain = self._brains[team]
        if brain is None:
            return ""
        words = steps_words(brain.steps)
        return words if self._chosen[team] else f"newest, {words}"


def steps_words(steps: int) -> str:
    """Such as "950 steps", "12.3k steps", "401k steps", "1.2M steps", "3.0B steps"."""
    for unit, sign in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if round(steps / unit, 1) >= 1:
            # With a fourth digit "newest, …" would not fit into the column beside the pitch.
            digits = 1 if round(steps / unit, 1) < 100 else 0
            return f"{steps / unit:.{digits}f}{sign} steps"
    return f"{steps} steps"
