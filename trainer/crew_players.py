"""What all `Players` who have a crew do alike.

`workers.py` and `central.py` are those. Tested by `tests/trainer/test_workers.py`.
"""

from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.crew import Crew
from trainer.opponents import LineUp, Opponents, next_line_up


class CrewPlayers:
    """Players in processes of their own."""

    def __init__(self, crew: Crew, state: TrainingState, opponents: Opponents | None) -> None:
        """Take the crew, whose arenas stand, what plays, and who says which old versions do."""
        self._crew, self._state, self._opponents = crew, state, opponents
        self.iteration = state.counters.iteration
        """Finished iterations behind the weights that played."""
        self.rollout_s = 0.0
        """Seconds that playing the rollout took."""
        self.warnings = crew.warnings
        """What a person should know and was not told yet, one sentence each."""

    @property
    def pids(self) -> list[int]:
        """Process numbers of the workers."""
        return self._crew.pids

    def change(self, config: RunConfig) -> None:
        """Take what may change while a run trains from `config`; episodes go on.

        Raises:
            RewardError: When it weighs a reward of the user's that was not loaded; nothing changes.
            WorkerError: When a worker failed or died.
        """
        self._crew.change(config)
        if self._opponents is not None:
            self._opponents.change(config)

    def close(self) -> None:
        """End all of them, in the middle of a rollout too."""
        self._crew.close()

    def _line_up(self, steps: int) -> LineUp | None:
        """Who plays the next rollout beside today's policy; None for nobody."""
        return next_line_up(self._opponents, steps, self.warnings)
