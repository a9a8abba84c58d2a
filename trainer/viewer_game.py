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
from rlbot_agent.rotation import angles_from_axes
from trainer.config import RunConfig
from trainer.frames import CarFrame, Frame
from trainer.meshes import find_meshes
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
        x, y, z = (round(float(value), 1) for value in self.simulator.state.ball_position[0])
        timers = self.simulator.state.pad_timers[0]
        return Frame(
            time_s=round(self.ticks / TICKS_PER_SECOND, 3),
            blue=self.score[0],
            orange=self.score[1],
            ball_x=x,
            ball_y=y,
            ball_z=z,
            cars=tuple(self._car(car) for car in range(len(self._teams))),
            steps=steps,
            deterministic=deterministic,
            note=note,
            pads=sum(1 << int(pad) for pad in np.flatnonzero(timers == 0)),
            rally=self.rally,
        )

    def _car(self, car: int) -> CarFrame:
        state = self.simulator.state
        x, y, z = (round(float(value), 1) for value in state.position[0, car])
        angles = angles_from_axes(state.forward[0, car], state.up[0, car])
        pitch, yaw, roll = (round(float(angle), 3) for angle in angles)
        return CarFrame(
            team=self._teams[car],
            x=x,
            y=y,
            z=z,
            yaw=yaw,
            boost=round(float(state.boost[0, car]), 1),
            on_ground=bool(state.on_ground[0, car]),
            boosting=bool(state.is_boosting[0, car]),
            demolished=bool(state.demo_timer[0, car] > 0),
            pitch=pitch,
            roll=roll,
            touched=bool(self._touched[car]),
        )
