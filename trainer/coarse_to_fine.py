"""Plays some of a run's early iterations in cheaper physics, and the rest in the game's own.

Holds one environment for each and looks like the one that plays. Each keeps its episodes while the
other plays: a rollout is cut and bootstrapped at an iteration's end anyway, so nothing is torn
apart. Knows what it needs of an environment as a Protocol: no simulator, no rewards. Tested by
`tests/trainer/test_coarse_to_fine.py`, on environments that only say which of them was asked.
"""

from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

import numpy as np

from rlbot_agent.field import TICKS_PER_SECOND
from trainer.collector import Environment, Flags, Floats, Indices, Outcome
from trainer.config import RunConfig

COARSE_HZ: Final = 60
"""Half the steps of the physics. After a second a car is 10 uu (median) from where 120 Hz have it;
at 30 Hz jumps come out too high, and at 15 Hz flips go nowhere."""


class Game(Environment, Protocol):
    """An environment that a run can be built around."""

    @property
    def num_agents(self) -> int:
        """N."""
        ...

    @property
    def obs_width(self) -> int:
        """D."""
        ...

    @property
    def num_actions(self) -> int:
        """A."""
        ...

    @property
    def warnings(self) -> list[str]:
        """What a person should know about it, one sentence each."""
        ...

    def whose(self, agent: int, /) -> str:
        """Which car an agent is, in words."""
        ...

    def change(self, config: RunConfig, /) -> None:
        """Take what may change while a run trains from `config`; all or nothing."""
        ...

    def note_steps(self, steps: int, /) -> None:
        """The run has come to `steps` agent steps."""
        ...


GameT = TypeVar("GameT", bound=Game)


class CoarseToFine(Generic[GameT]):
    """Two games, one of which plays the iteration."""

    def __init__(
        self,
        make: Callable[[int], GameT],
        chance: float,
        until_steps: int,
        seed: int,
        steps: int = 0,
    ) -> None:
        """Make the fine game, and the coarse one where it can still be drawn.

        Args:
            make: Builds the game with physics of that many Hz.
            chance: Of the coarse game in an iteration at step 0; 0 never draws.
            until_steps: Agent steps by which the chance has fallen to 0.
            seed: Of the run; with an iteration's steps it says which game plays that.
            steps: Agent steps of the run so far.
        """
        self.fine: GameT = make(TICKS_PER_SECOND)
        """The game in its own physics."""
        self.coarse: GameT | None = None
        """The game in cheaper physics, while it can still be drawn."""
        if coarse_chance(chance, until_steps, steps) > 0:
            self.coarse = make(COARSE_HZ)
        self.playing: GameT = self.fine
        """The one of the two that plays."""
        self._chance, self._until_steps, self._seed = chance, until_steps, seed
        self.num_agents: int = self.fine.num_agents
        """N."""
        self.obs_width: int = self.fine.obs_width
        """D."""
        self.num_actions: int = self.fine.num_actions
        """A."""
        self.warnings: list[str] = self.fine.warnings
        """What a person should know about either, one sentence each."""

    @property
    def obs(self) -> Floats:
        """(N, D) what the agents of the game that plays see now."""
        return self.playing.obs

    @property
    def masks(self) -> Flags:
        """(N, A) what they can choose now."""
        return self.playing.masks

    @property
    def physics_hz(self) -> int:
        """Steps of the physics in a second of the game that plays."""
        return TICKS_PER_SECOND if self.playing is self.fine else COARSE_HZ

    def begin_iteration(self, steps: int) -> None:
        """Choose the physics of the iteration that starts at `steps` agent steps of the run."""
        self.playing = self.fine
        chance = coarse_chance(self._chance, self._until_steps, steps)
        # A draw of its own for each iteration: all processes of a run come to the same.
        drawn = np.random.default_rng((self._seed, steps)).random()
        if chance == 0:
            self.coarse = None
        elif self.coarse is not None and drawn < chance:
            self.playing = self.coarse
        self.playing.note_steps(steps)

    def whose(self, agent: int) -> str:
        """Which car of the game that plays an agent is, in words."""
        return self.playing.whose(agent)

    def change(self, config: RunConfig) -> None:
        """Take what may change while a run trains from `config`, in both games; all or nothing."""
        self.fine.change(config)
        if self.coarse is not None:
            self.coarse.change(config)

    def step(self, actions: Indices) -> Outcome:
        """Play one decision of (N,) actions."""
        return self.playing.step(actions)


def coarse_chance(chance: float, until_steps: int, steps: int) -> float:
    """The chance of coarse physics at `steps` agent steps, falling evenly from `chance` to 0."""
    if steps >= until_steps:
        return 0.0
    # p(s) = p0 · (1 - s / until)
    return chance * (1 - steps / until_steps)
