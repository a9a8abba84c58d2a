"""Processes that fill a rollout together, each the columns of its own agents, by its own decisions.

One synchronisation an iteration: parameters are published once, every worker plays its columns with
them, and only counts and random states come back. The same number of workers draws the same
numbers. The processes are those of `crew.py`. Tested by `tests/trainer/test_workers.py`.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from torch import nn

from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.crew import Crew, share_rollout
from trainer.crew_players import CrewPlayers
from trainer.game import Counts
from trainer.networks import ActorCritic, parameter_count, parameter_vector
from trainer.numpy_policy import NumpyPolicy, Shapes
from trainer.numpy_versions import NumpyVersions
from trainer.opponents import Opponents
from trainer.precision import Precisions
from trainer.rollout import Rollout
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.rounding_policy import rounding_policy
from trainer.second_look import SecondLook
from trainer.shared_weights import SharedWeights, weights_plans
from trainer.start_file import StoredStarts
from trainer.worker import MakePolicy, Rngs


class Workers(CrewPlayers):
    """K processes and the rollout that they fill; they are `Players`."""

    def __init__(
        self,
        config: RunConfig,
        config_folder: Path,
        state: TrainingState,
        rngs: Sequence[Rngs],
        steps: int,
        stored: StoredStarts,
        opponents: Opponents | None = None,
        second: SecondLook | None = None,
    ) -> None:
        """Start all of them and wait until their arenas stand.

        Args:
            config: The run's settings.
            config_folder: Where the user's own rewards are.
            state: Its networks' weights at the start of a rollout play it.
            rngs: The generators of each of K workers; they follow what the workers draw.
            steps: Agent steps of the run so far.
            stored: The user's own start states.
            opponents: Say which old versions play; None for nobody, ever.
            second: What else is to be seen of the games, if anything.

        Raises:
            MeshError, RewardError: As `make_game`.
            WorkerError: When one cannot start for another reason.
        """
        model = state.model
        # Whatever `selfplay.chance` is, which may change while the run trains.
        old = (config.selfplay.groups, parameter_count(model.playing)) if opponents else None
        plans = weights_plans(parameter_count(model), old)
        shared = share_rollout(config, model, lambda steps, agents: plans)
        self.arrays = Rollout(shared.__getitem__)
        """What `collect` fills."""
        self.rollout: RolloutTensors = tensors_of(self.arrays)
        """The same memory."""
        self._weights = SharedWeights(shared)
        decides = [who_decides(config, model)] * len(rngs)
        versions = partial(
            NumpyVersions,
            shapes=_shapes(model.playing),
            activation=config.networks.activation,
        )
        crew = Crew(config, config_folder, shared, decides, rngs, steps, stored, versions, second)
        super().__init__(crew, state, opponents)

    def collect(self, steps: int, meanwhile: Callable[[], None]) -> list[Counts]:
        """Play one rollout with the model's weights of now, calling `meanwhile` every `POLL_S`.

        Raises:
            EnvError, RewardError, WorkerError: When a worker failed or died, or found other
                weights than those.
        """
        started = time.perf_counter()
        line_up = self._line_up(steps)
        self.iteration = self._state.counters.iteration
        with self._weights.publishing() as shared:
            shared["parameters"][:] = parameter_vector(self._state.model).cpu().numpy()
            if line_up is not None:
                for group, vector in line_up.vectors.items():
                    shared["versions"][group] = vector
        found = self._crew.play(steps, meanwhile, teams=line_up.teams if line_up else ())
        self.rollout_s = time.perf_counter() - started
        return [answer.counts for answer in found]


def who_decides(config: RunConfig, model: ActorCritic) -> MakePolicy:
    """Numpy, which is as fast as PyTorch in float32 and small; PyTorch where that is to round."""
    if "bf16" in Precisions.of(config.ppo):
        return partial(rounding_policy, obs_width=model.obs_width, config=config)
    return partial(NumpyPolicy, shapes=_shapes(model), activation=config.networks.activation)


def _shapes(network: nn.Module) -> Shapes:
    return [(name, tuple(values.shape)) for name, values in network.named_parameters()]
