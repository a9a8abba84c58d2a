"""What somebody else would see in each agent's place, beside what the agents see.

A teacher has an observation of its own: other terms, another size, another padding. It is built
from the very states that the agents decide by, also the first after a reset, into rows that stand
beside those of the rollout. Players keep their order: only what the agents see is shuffled. Loads
no PyTorch. Tested by `tests/trainer/test_second_look.py`.
"""

from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

import numpy as np
import numpy.typing as npt

from rlbot_agent.modes import teams_of
from rlbot_agent.observation import Observation, make_observation
from trainer.config import RunConfig
from trainer.game import Game
from trainer.shared_arrays import Plan, SharedArrays


class SecondLook:
    """An observation, and room for one rollout of it that several processes can write into."""

    def __init__(self, config: RunConfig, obs_name: str, max_team_size: int) -> None:
        """Make room for the rollouts of `config`.

        Args:
            config: The run's settings.
            obs_name: One of `rlbot_agent.observation`.
            max_team_size: Team size that it is padded to; 0 when it is not.

        Raises:
            ValueError: When a team of `config` is larger than that.
        """
        self._name, self._max_team_size = obs_name, max_team_size
        width = self.observation(config.sim.played[0]).width
        plan = Plan((config.rollout_length, config.sim.agents, width), "float32")
        self._arrays = SharedArrays({"seen": plan}, get_context("spawn"))

    @property
    def seen(self) -> npt.NDArray[Any]:
        """(T, N, D') float32: row (t, n) is of the state in which agent n made decision t."""
        return self._arrays["seen"]

    def observation(self, mode: str) -> Observation:
        """Builds it in `mode`."""
        return make_observation(self._name, teams_of(mode), self._max_team_size)


class Onlooker:
    """Looks at one process's game."""

    def __init__(self, look: SecondLook, game: Game, agents: tuple[int, int]) -> None:
        """Nothing is seen yet.

        Args:
            look: Is written into.
            game: Is looked at.
            agents: Its first agent of the rollout, and the first after them.
        """
        self._game, self._seen = game, look.seen[:, slice(*agents)]
        self._builders = {part.mode: look.observation(part.mode) for part in game.fine.parts}

    def beside(self, on_decision: Callable[[], None]) -> Callable[[], None]:
        """For one rollout: `on_decision`, then a look. To be called before each decision."""
        rows = iter(self._seen)

        def look() -> None:
            on_decision()
            self._look(next(rows))

        return look

    def _look(self, row: npt.NDArray[np.float32]) -> None:
        """Fill `row` (n, D') with what is to be seen now."""
        start = 0
        for part in self._game.playing.parts:
            state, builder = part.simulator.state, self._builders[part.mode]
            stop = start + part.num_agents
            out = row[start:stop].reshape(state.num_arenas, state.num_cars, builder.width)
            builder.build(state, out)
            start = stop
