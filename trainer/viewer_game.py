"""One arena played for somebody to watch: kickoffs, score, and its pictures.

Senses, masks and delay are those of training; only the starts are always kickoffs. Knows no policy
and no clock on the wall. Tested by `tests/trainer/test_viewer_game.py`.
"""

import math

import numpy as np
import numpy.typing as npt

from rlbot_agent.actions import NUM_ACTIONS, action_masks
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.observation import make_observation
from trainer.config import RunConfig
from trainer.frames import Frame
from trainer.meshes import find_meshes
from trainer.pictures import Caption, picture
from trainer.resets import kickoff_starts
from trainer.sim import Simulator


class Game:
    """A match without an end."""

    def __init__(self, config: RunConfig, rng: np.random.Generator) -> None:
        """Make the arena; it is played from `kickoff` on.

        Args:
            config: The run's; one arena of its first mode is played.
            rng: Draws the kickoffs.

        Raises:
            MeshError: When the arena's meshes are not found.
        """
        sim = config.sim
        self._masks = sim.action_masks
        self._teams = sim.teams
        self._tick_skip = sim.tick_skip
        self._no_touch_ticks = config.episodes.no_touch_s * TICKS_PER_SECOND or math.inf
        self._rng = rng
        self._obs = make_observation(sim.observation, sim.teams, sim.padding)
        self.simulator = Simulator(
            1, sim.teams, sim.tick_skip, sim.action_delay, find_meshes(sim.meshes), rng
        )
        """The one arena."""
        self.ticks = 0
        """Game played so far, in ticks of 1/120 s."""
        self.score = [0, 0]
        """Goals of blue and of orange."""
        self.rally = 0
        """Kickoffs so far."""
        self._untouched_ticks = 0
        self._touched = np.zeros(len(sim.teams), np.bool_)

    def kickoff(self) -> None:
        """Put ball and cars to a kickoff."""
        self.rally += 1
        self.forget_touches()
        starts = kickoff_starts(1, self._teams, self._rng)
        self.simulator.reset(np.zeros(1, np.int64), starts)
        self._untouched_ticks = 0

    def see(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
        """(P, D) observations and (P, A) masks of every car, as in training."""
        state = self.simulator.state
        masks = (
            action_masks(state)
            if self._masks
            else np.ones((1, len(self._teams), NUM_ACTIONS), np.bool_)
        )
        return self._obs.build(state)[0], masks[0]

    def play(self, actions: npt.NDArray[np.int64]) -> str:
        """Play one decision of (P,) actions and count the score.

        Returns:
            What ended the rally, for a person; empty when it goes on. Then call `kickoff`.
        """
        self.simulator.step(actions[None])
        self.ticks += self._tick_skip
        events = self.simulator.events
        self._untouched_ticks += self._tick_skip
        self._touched |= events.touched[0]
        if events.touched.any():
            self._untouched_ticks = 0
        if goal := int(events.goal[0]):
            self.score[goal < 0] += 1
            return "Blue scores" if goal > 0 else "Orange scores"
        if self._untouched_ticks >= self._no_touch_ticks:
            return "Nobody touched the ball"
        if self.simulator.broken[0]:
            return "The physics broke"
        return ""

    def forget_touches(self) -> None:
        """The touches until now were shown."""
        self._touched[:] = False

    def picture(self, steps: int, deterministic: bool, note: str = "") -> Frame:
        """What it looks like now, rounded to what a screen can show."""
        return picture(
            self.simulator.state,
            Caption(
                ticks=self.ticks,
                score=(self.score[0], self.score[1]),
                rally=self.rally,
                touched=self._touched,
                steps=steps,
                deterministic=deterministic,
                note=note,
            ),
        )
