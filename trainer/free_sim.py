"""A simulator whose cars take any controls, as other people's bots send them.

For one game that is shown to bots tick by tick; training needs nothing but the action table. Tested
by `tests/trainer/test_free_sim.py`, against the simulator of training.
"""

import numpy as np

from rlbot_agent.state import Array
from trainer.sim import Simulator, make_controls


class FreeSimulator(Simulator):
    """One arena; `step_freely` instead of `step`."""

    def step_freely(self, controls: Array) -> None:
        """Play one decision and read what it did.

        Args:
            controls: (P, 8) of each car, in the columns of the action table; the first five -1 to
                1, and a button is pressed above 0.
        """
        # A table of actions with one row for each car, of which each car plays its own.
        self._controls = [make_controls(row) for row in controls.tolist()]
        self.step(np.arange(len(controls))[None])
        self.state.controls[0] = controls
