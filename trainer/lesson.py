"""What a learner does with each rollout: PPO's update, or another.

Knows neither. Tested with what there is: `tests/trainer/test_learner.py`,
`tests/trainer/test_distillation.py`.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.rollout_tensors import RolloutTensors
from trainer.stopwatch import Stopwatch


class Lesson(Protocol):
    """Changes what learns, by a rollout."""

    @property
    def phases(self) -> Sequence[str]:
        """What it spends its time with, for a `Stopwatch`."""
        ...

    @property
    def is_taught(self) -> bool:
        """Whether it comes from a teacher, up to whose end `Counters.taught` counts."""
        ...

    def learn(
        self,
        config: RunConfig,
        state: TrainingState,
        rollout: RolloutTensors,
        on_batch: Callable[[], None],
        watch: Stopwatch,
    ) -> dict[str, float]:
        """Learn from `rollout`.

        Args:
            config: The settings in force.
            state: Is changed in place; its counters still are those before the rollout.
            rollout: By the weights of `state`, on any device.
            on_batch: Called after each optimizer step.
            watch: Is told which of `phases` has ended.

        Returns:
            What was measured, by metric name; `Update/optimizer_steps` is among it.
        """
        ...
