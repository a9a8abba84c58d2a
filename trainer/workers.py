"""Processes that fill a rollout together, each the columns of its own agents, by its own decisions.

One synchronisation an iteration: parameters are written once, every worker plays its columns with
them, and only counts and random states come back. The same number of workers draws the same
numbers. The processes are those of `crew.py`. Tested by `tests/trainer/test_workers.py`.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy.typing as npt

from trainer.config import RunConfig
from trainer.crew import Crew, CrewPlayers, share_rollout
from trainer.game import Counts
from trainer.networks import ActorCritic, parameter_count, parameter_vector
from trainer.numpy_policy import NumpyPolicy
from trainer.precision import Precisions
from trainer.rollout import Rollout
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.rounding_policy import rounding_policy
from trainer.second_look import SecondLook
from trainer.shared_arrays import Plan
from trainer.start_file import StoredStarts
from trainer.worker import MakePolicy, Rngs


class Workers(CrewPlayers):
    """K processes and the rollout that they fill; they are `Players`."""

    def __init__(
        self,
        config: RunConfig,
        config_folder: Path,
        model: ActorCritic,
        rngs: Sequence[Rngs],
        steps: int,
        stored: StoredStarts,
        second: SecondLook | None = None,
    ) -> None:
        """Start all of them and wait until their arenas stand.

        Args:
            config: The run's settings.
            config_folder: Where the user's own rewards are.
            model: Its weights at the start of a rollout play it.
            rngs: The generators of each of K workers; they follow what the workers draw.
            steps: Agent steps of the run so far.
            stored: The user's own start states.
            second: What else is to be seen of the games, if anything.

        Raises:
            MeshError, RewardError: As `make_game`.
            WorkerError: When one cannot start for another reason.
        """
        self._model = model
        parameters = {"parameters": Plan((parameter_count(model),), "float32")}
        shared = share_rollout(config, model, lambda steps, agents: parameters)
        self.arrays = Rollout(shared.__getitem__)
        """What `collect` fills."""
        self.rollout: RolloutTensors = tensors_of(self.arrays)
        """The same memory."""
        self._parameters: npt.NDArray[Any] = shared["parameters"]
        decides = [who_decides(config, model)] * len(rngs)
        super().__init__(Crew(config, config_folder, shared, decides, rngs, steps, stored, second))

    def collect(self, steps: int, meanwhile: Callable[[], None]) -> list[Counts]:
        """Play one rollout with the model's weights of now, calling `meanwhile` every `POLL_S`.

        Raises:
            EnvError, RewardError, WorkerError: When a worker failed or died.
        """
        started = time.perf_counter()
        self._parameters[:] = parameter_vector(self._model).cpu().numpy()
        found = self._crew.play(steps, meanwhile)
        self.rollout_s = time.perf_counter() - started
        return [answer.counts for answer in found]


def who_decides(config: RunConfig, model: ActorCritic) -> MakePolicy:
    """Numpy, which is as fast as PyTorch in float32 and small; PyTorch where that is to round."""
    if "bf16" in Precisions.of(config.ppo):
        return partial(rounding_policy, obs_width=model.obs_width, config=config)
    shapes = [(name, tuple(values.shape)) for name, values in model.named_parameters()]
    return partial(NumpyPolicy, shapes=shapes, activation=config.networks.activation)
