"""The arenas of one mode: actions in, observations, rewards and ends out, all at once.

Joins simulator, observations, masks, rewards and episodes; `mixed_env.py` joins several modes.
Arenas whose episode ended start anew within the same step. Agent number arena · P + car is that car
of that arena. Knows no policy and no learning. Tested by `tests/trainer/test_env.py`, on the real
simulator.

An arena whose physics broke (a number that is not finite, a ball outside the field) is truncated
like one that ran out of time: its agents earn 0 in that decision, their final observation is that
of the last sound state, and `Game/ended_by_broken` counts it. An arena that breaks again in each of
the first decisions of its next two episodes will not mend by itself: it ends the training.
"""

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rlbot_agent.actions import NUM_ACTIONS, action_masks
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.observation import make_observation
from rlbot_agent.state import GameState
from trainer.blame import car_words, spoiled_observation
from trainer.config import RunConfig
from trainer.episodes import (
    Cause,
    Causes,
    Clocks,
    end_causes,
    is_terminated,
    is_truncated,
    make_limits,
)
from trainer.game_metrics import GameMetrics
from trainer.meshes import find_meshes
from trainer.resets import Starts, draw_starts
from trainer.rewards import NamedReward, build_rewards, mixing_matrix, weigh_rewards
from trainer.shuffling import shuffle_players
from trainer.sim import Simulator
from trainer.stopwatch import Stopwatch

Array = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.integer[Any]]

MOST_BREAKS: Final = 3
"""Decisions in a row in which one arena may not break."""


class EnvError(Exception):
    """What must not reach the learner: a number, or an arena; the message says whose and which."""


class Step(NamedTuple):
    """What one decision of N agents led to."""

    rewards: Array
    """(N,) weighted sum of all rewards, shared among the cars as the config says."""
    terminated: Flags
    """(N,) a goal ended the episode."""
    truncated: Flags
    """(N,) the episode was cut; never together with `terminated`."""
    final_obs: Array
    """(N, D) what was seen before the reset. Only truncated rows mean anything, until the next
    step."""


class Room(NamedTuple):
    """Arrays for what N agents see, which an environment writes and never replaces."""

    obs: Array
    """(N, D) now."""
    final_obs: Array
    """(N, D) before the last reset."""
    masks: Flags
    """(N, A) the actions they can choose now."""

    def rows(self, start: int, stop: int) -> "Room":
        """The part of the agents from `start` up to `stop`, in the same memory."""
        agents = slice(start, stop)
        return Room(self.obs[agents], self.final_obs[agents], self.masks[agents])


def make_room(num_agents: int, obs_width: int) -> Room:
    """Room for `num_agents` that see nothing yet and may do anything."""
    obs, final_obs = np.zeros((2, num_agents, obs_width), np.float32)
    return Room(obs, final_obs, np.ones((num_agents, NUM_ACTIONS), np.bool_))


class Env:
    """B arenas of one mode that never stop. Build it in the process that steps it."""

    def __init__(
        self,
        config: RunConfig,
        config_folder: Path,
        rng: np.random.Generator,
        steps: int = 0,
        physics_hz: int = TICKS_PER_SECOND,
        stored: Starts | None = None,
        room: Room | None = None,
        watch: Stopwatch | None = None,
    ) -> None:
        """Make the arenas and start an episode in each.

        Args:
            config: Settings with one mode, see `SimConfig.only`.
            config_folder: Where the user's own rewards are.
            rng: Draws starts, respawns and shuffles; the only randomness in here.
            steps: Agent steps of the run so far.
            physics_hz: Rate of the physics. Nothing but the physics knows it.
            stored: The user's own start states of this mode, when there are any.
            room: What to write into; its own when absent.
            watch: Is told which phase has ended.

        Raises:
            RewardError: When one of the user's own rewards is missing or unusable.
            MeshError: When the arena's meshes are not found.
        """
        sim = config.sim
        (self.mode,) = sim.played
        """Blue v orange cars of each arena."""
        self._rng, self._resets, self._steps, self._stored = rng, config.resets, steps, stored
        self._tick_skip, self._watch = sim.tick_skip, watch or Stopwatch()
        rewards = build_rewards(config.rewards, config_folder, sim.teams, sim.tick_skip)
        self._own = {reward.name: reward.function for reward in rewards}
        self._price(config, rewards)

        meshes, timetable = find_meshes(sim.meshes), (sim.tick_skip, sim.action_delay)
        self.simulator = Simulator(sim.arenas, sim.teams, *timetable, meshes, rng, physics_hz)
        """The B arenas."""
        self._previous = GameState(sim.arenas, sim.teams)
        self._clocks = Clocks(sim.arenas)
        self._limits = make_limits(config.episodes, sim.tick_skip)
        self._breaks = np.zeros(sim.arenas, np.int64)

        self._obs = make_observation(sim.observation, sim.teams, sim.padding)
        self._shuffles = sim.shuffle_players
        self.num_agents: int = sim.agents
        """N, cars of all arenas."""
        self.obs_width: int = self._obs.width
        """D, numbers an agent sees."""
        self.num_actions: int = NUM_ACTIONS
        """A, rows of the action table."""
        room = room or make_room(self.num_agents, self.obs_width)
        self.obs: Array = room.obs
        """(N, D) what the agents see now; overwritten by each step."""
        self._final_obs = room.final_obs
        self._masked = sim.action_masks
        self.masks: Flags = room.masks
        """(N, A) the actions they can choose now; overwritten by each step."""

        self._restart(np.arange(sim.arenas))
        self._look()

    def step(self, actions: Indices) -> Step:
        """Play one decision of `actions` (N,), and start anew where an episode ended.

        Raises:
            EnvError: When a reward or an observation is not finite, or an arena broke
                `MOST_BREAKS` times in a row.
        """
        self._previous.raw[:] = self.simulator.state.raw
        chosen = actions.reshape(self._values.shape[1:])
        self._watch.lap("storing")
        self.simulator.play(chosen)
        self._watch.lap("physics")
        self.simulator.read(chosen)
        self._watch.lap("state")
        self._count_breaks()
        self._clocks.advance(self.simulator.events.touched)
        rewards = self._pay()
        goal = self.simulator.events.goal != 0
        causes = end_causes(self._clocks, self._limits, goal, self.simulator.broken)
        terminated, truncated = is_terminated(causes), is_truncated(causes)
        self.metrics.add_play(self.simulator.state, self.simulator.events)
        self._watch.lap("rewards")
        self._begin_anew(causes)
        self._watch.lap("resets")
        self._look()
        self._watch.lap("observations")
        num_cars = self._values.shape[2]
        return Step(
            rewards, terminated.repeat(num_cars), truncated.repeat(num_cars), self._final_obs
        )

    def whose(self, agent: int) -> str:
        """Which car agent number `agent` is, in words."""
        return car_words(agent, self._values.shape[2], self.mode)

    def note_steps(self, steps: int) -> None:
        """The run has come to `steps` agent steps, by which the next starts are weighed."""
        self._steps = steps

    def change(self, config: RunConfig) -> None:
        """Take rewards, mixes of starts and limits of episodes from `config`; episodes go on.

        Only between a cut of `metrics` and the next step.

        Raises:
            RewardError: When it weighs a reward of the user's that was not loaded; nothing changes.
        """
        self._price(config, weigh_rewards(config.rewards, self._own, self._tick_skip))
        self._resets = config.resets
        self._limits = make_limits(config.episodes, self._tick_skip)

    def _price(self, config: RunConfig, rewards: tuple[NamedReward, ...]) -> None:
        """Pay `rewards` from now on, shared as `config` says."""
        sim, pay = config.sim, config.rewards
        self._rewards = rewards
        self._weights = np.array([reward.weight for reward in rewards], np.float32)
        self._values = np.zeros((len(rewards), sim.arenas, len(sim.teams)), np.float32)
        self._mixing = mixing_matrix(sim.teams, pay.team_spirit, pay.opponent_scale)
        names = tuple(reward.name for reward in rewards)
        self.metrics = GameMetrics(names, self._weights, sim.tick_skip)
        """Of all decisions, until somebody cuts it."""

    def _pay(self) -> Array:
        """(N,) what the last decision is worth to each agent."""
        state, events = self.simulator.state, self.simulator.events
        for values, reward in zip(self._values, self._rewards, strict=True):
            values[:] = reward.function(state, self._previous, events)
        self._values[:, self.simulator.broken] = 0
        # total = sum over the rewards of weight · value
        total: Array = self._weights @ self._values.reshape(len(self._rewards), self.num_agents)
        if not np.isfinite(total).all():
            raise EnvError(self._blame(total))
        self.metrics.add_rewards(self._values, total)
        num_cars = self._values.shape[2]
        # paid to car p = sum over the cars q of its arena of mixing[p, q] · total of q
        paid: Array = total.reshape(-1, num_cars) @ self._mixing.T
        return paid.ravel()

    def _blame(self, total: Array) -> str:
        """The first agent whose `total` (N,) is not finite, and the first reward to be so."""
        agent = int(np.isfinite(total).argmin())
        values = self._values.reshape(len(self._rewards), -1)[:, agent]
        first = int(np.isfinite(values * self._weights).argmin())
        return (
            f"the reward {self._rewards[first].name} is {values[first]} "
            f"for {self.whose(agent)}: rewards must be finite"
        )

    def _count_breaks(self) -> None:
        """Refuse to go on with an arena that always breaks."""
        broken = self.simulator.broken
        self._breaks = np.where(broken, self._breaks + 1, 0)
        if (self._breaks >= MOST_BREAKS).any():
            arena = int(self._breaks.argmax())
            raise EnvError(
                f"the physics of arena {arena} of {self.mode} broke in {MOST_BREAKS} decisions "
                "in a row, though it was reset after each: train again from the newest checkpoint"
            )

    def _begin_anew(self, causes: Causes) -> None:
        """Show the ends of episodes to whom it concerns, then reset their arenas."""
        if is_truncated(causes).any():
            self._build_obs(self._final_obs)
        ended = np.flatnonzero(causes != Cause.NONE)
        if len(ended):
            self.metrics.add_ends(self._clocks.age[ended], causes[ended])
            self._restart(ended)

    def _restart(self, arenas: Indices) -> None:
        """Start an episode in `arenas` (M,)."""
        teams = self._previous.teams
        starts = draw_starts(len(arenas), teams, self._resets, self._rng, self._steps, self._stored)
        self.simulator.reset(arenas, starts)
        self._clocks.restart(arenas)

    def _look(self) -> None:
        """Bring `obs` and `masks` up to date."""
        self._build_obs(self.obs)
        if self._masked:
            self.masks[:] = action_masks(self.simulator.state).reshape(self.masks.shape)

    def _build_obs(self, out: Array) -> None:
        state = self.simulator.state
        seen = out.reshape(state.num_arenas, state.num_cars, self.obs_width)
        self._obs.build(state, seen)
        if self._shuffles:
            shuffle_players(seen, self._obs.places, self._rng)
        spoiled = spoiled_observation(out, self._obs.terms, self.whose)
        if spoiled:
            raise EnvError(f"{spoiled}: observations must be finite")
