"""PPO's lesson: what is rewarded becomes likelier. Tested by `tests/trainer/test_learner.py`."""

from collections.abc import Callable
from typing import Final

from trainer import learner
from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.rollout_tensors import RolloutTensors
from trainer.stopwatch import UPDATE_PHASES, Stopwatch


class RewardLesson:
    """Advantages and PPO's update; a `Lesson`."""

    phases: Final = UPDATE_PHASES
    """Of `learn`."""
    is_taught: Final = False
    """The environment pays."""

    def learn(
        self,
        config: RunConfig,
        state: TrainingState,
        rollout: RolloutTensors,
        on_batch: Callable[[], None],
        watch: Stopwatch,
    ) -> dict[str, float]:
        """As `Lesson` says."""
        return learner.learn(config.ppo, state, rollout, on_batch, watch)
