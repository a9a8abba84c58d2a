"""The game as the learner plays it: every mode of a run, side by side, as one row of agents.

Each mode has its own `Env`; all write into one set of arrays. Agents stand in the order of
`sim.modes`, within a mode arena by arena, within an arena car by car, and keep their places for as
long as the environment lives. All modes draw from one generator, in that order. Knows no policy and
no learning. Tested by `tests/trainer/test_mixed_env.py`.
"""

from pathlib import Path

import numpy as np

from rlbot_agent.actions import NUM_ACTIONS
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.observation import make_observation
from trainer.blame import agent_words
from trainer.config import RunConfig
from trainer.env import Array, Env, Flags, Indices, Step, make_room
from trainer.game_metrics import GameMetrics
from trainer.start_file import NO_STARTS, StoredStarts
from trainer.stopwatch import Stopwatch


class MixedEnv:
    """N agents of one or more modes. Build it in the process that steps it."""

    def __init__(
        self,
        config: RunConfig,
        config_folder: Path,
        rng: np.random.Generator,
        steps: int = 0,
        physics_hz: int = TICKS_PER_SECOND,
        stored: StoredStarts = NO_STARTS,
        watch: Stopwatch | None = None,
    ) -> None:
        """Make all arenas and start an episode in each.

        Args:
            config: The run's settings.
            config_folder: Where the user's own rewards are.
            rng: Draws starts and respawns; the only randomness in here.
            steps: Agent steps of the run so far.
            physics_hz: Rate of the physics. Nothing but the physics knows it.
            stored: The user's own start states, of some of the modes.
            watch: Is told which phase has ended.

        Raises:
            RewardError: When one of the user's own rewards is missing or unusable.
            MeshError: When the arena's meshes are not found.
        """
        sim = config.sim
        self.num_agents: int = sim.agents
        """N, cars of all arenas of all modes."""
        self.obs_width: int = make_observation(sim.observation, sim.teams, sim.padding).width
        """D, numbers an agent sees."""
        self.num_actions: int = NUM_ACTIONS
        """A, rows of the action table."""
        self._room = make_room(self.num_agents, self.obs_width)
        self.parts: list[Env] = []
        """One for each mode."""
        self._shares = sim.shares
        start = 0
        for mode in sim.played:
            alone = config.model_copy(update={"sim": sim.only(mode)})
            stop = start + alone.sim.agents
            room, starts = self._room.rows(start, stop), stored.starts.get(mode)
            self.parts.append(
                Env(alone, config_folder, rng, steps, physics_hz, starts, room, watch)
            )
            start = stop
        self._bounds = np.cumsum([part.num_agents for part in self.parts])[:-1]
        self.warnings: list[str] = self.parts[0].simulator.warnings
        """What a person should know about the simulation, one sentence each."""

    @property
    def obs(self) -> Array:
        """(N, D) what the agents see now; overwritten by each step."""
        return self._room.obs

    @property
    def masks(self) -> Flags:
        """(N, A) the actions they can choose now; overwritten by each step."""
        return self._room.masks

    def step(self, actions: Indices) -> Step:
        """Play one decision of `actions` (N,), and start anew where an episode ended.

        Raises:
            EnvError: When a reward is not finite, or an arena keeps breaking.
        """
        shares = zip(self.parts, np.split(actions, self._bounds), strict=True)
        steps = [part.step(share) for part, share in shares]
        return Step(
            np.concatenate([step.rewards for step in steps]),
            np.concatenate([step.terminated for step in steps]),
            np.concatenate([step.truncated for step in steps]),
            self._room.final_obs,
        )

    def whose(self, agent: int) -> str:
        """Which car agent number `agent` is, in words."""
        return agent_words(agent, self._shares)

    def change(self, config: RunConfig) -> None:
        """Take rewards, mixes of starts and limits of episodes from `config`; episodes go on.

        Only between `take_counts` and the next step.

        Raises:
            RewardError: When it weighs a reward of the user's that was not loaded; nothing changes.
        """
        for part in self.parts:
            part.change(config.model_copy(update={"sim": config.sim.only(part.mode)}))

    def note_steps(self, steps: int) -> None:
        """The run has come to `steps` agent steps, by which the next starts are weighed."""
        for part in self.parts:
            part.note_steps(steps)

    def take_counts(self) -> dict[str, GameMetrics]:
        """What was counted since the last call, by mode."""
        return {part.mode: part.metrics.cut() for part in self.parts}
