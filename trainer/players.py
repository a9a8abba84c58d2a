"""Who plays a rollout: what the learner asks of them, and the simplest, the trainer's own process.

`workers.py` and `central.py` are the others, and `overlap.py` lets those play while the learner
learns. Tested by `tests/trainer/test_learner.py`.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from trainer.blame import naming_agents
from trainer.checkpoint import TrainingState
from trainer.collector import Policy, collect
from trainer.config import RunConfig
from trainer.game import Counts, make_game, take_counts
from trainer.line_up import old_columns, old_rows, sides_of
from trainer.opponents import Opponents, next_line_up
from trainer.policy import TorchPolicy
from trainer.rollout import Rollout
from trainer.rollout_tensors import RolloutTensors, tensors_of
from trainer.second_look import Onlooker, SecondLook
from trainer.self_play import SelfPlay, learned
from trainer.start_file import StoredStarts
from trainer.stopwatch import Stopwatch
from trainer.torch_threads import one_torch_thread
from trainer.torch_versions import TorchVersions


class Players(Protocol):
    """Fill a rollout, with the newest weights unless they overlap."""

    @property
    def rollout(self) -> RolloutTensors:
        """What `collect` fills, wherever it lies."""
        ...

    @property
    def rollout_s(self) -> float:
        """Seconds that playing it took."""
        ...

    @property
    def iteration(self) -> int:
        """Finished iterations behind the weights that played it."""
        ...

    @property
    def warnings(self) -> list[str]:
        """What a person should know and was not told yet, one sentence each; cleared once told."""
        ...

    @property
    def pids(self) -> list[int]:
        """Process numbers of those who are processes of their own."""
        ...

    def collect(self, steps: int, meanwhile: Callable[[], None]) -> list[Counts]:
        """Play one rollout.

        Args:
            steps: Agent steps of the run so far.
            meanwhile: Called again and again. What it raises abandons the rollout.

        Returns:
            What happened, by process.
        """
        ...

    def change(self, config: RunConfig) -> None:
        """Take what may change while a run trains from `config`; episodes go on.

        Raises:
            RewardError: When it weighs a reward of the user's that was not loaded; nothing changes.
        """
        ...

    def close(self) -> None:
        """End all processes."""
        ...


class OneProcess:
    """Plays here, by the very networks that learn."""

    def __init__(
        self,
        config: RunConfig,
        config_folder: Path,
        state: TrainingState,
        steps: int,
        stored: StoredStarts,
        opponents: Opponents | None = None,
        second: SecondLook | None = None,
    ) -> None:
        """Start an episode in every arena.

        Args:
            config: The run's settings.
            config_folder: Where the user's own rewards are.
            state: Its networks decide, by its generators "env" and "policy".
            steps: Agent steps of the run so far.
            stored: The user's own start states.
            opponents: Say which old versions play; None for nobody, ever.
            second: What else is to be seen of the game, if anything.

        Raises:
            MeshError, RewardError: As `make_game`.
        """
        self._watch = Stopwatch()
        self.game = make_game(config, config_folder, state.rngs["env"], steps, stored, self._watch)
        """All arenas."""
        game = self.game
        self.arrays = Rollout.allocate(
            config.rollout_length, game.num_agents, game.obs_width, game.num_actions
        )
        """What `collect` fills."""
        self.rollout: RolloutTensors = tensors_of(self.arrays)
        """The same memory."""
        self.rollout_s = 0.0
        """Seconds that playing it took."""
        self.warnings: list[str] = game.warnings + stored.warnings
        """What a person should know and was not told yet, one sentence each."""
        self.pids: list[int] = []
        """Of no other process."""
        self.iteration = state.counters.iteration
        """Finished iterations behind the weights that played."""
        self._state, self._rng = state, state.rngs["policy"]
        self._policy = TorchPolicy(state.model, next(state.model.parameters()).device)
        self._opponents = opponents
        self._onlooker = Onlooker(second, game, (0, game.num_agents)) if second else None
        self._sides = sides_of(config.sim, config.selfplay.groups)

    def collect(self, steps: int, meanwhile: Callable[[], None]) -> list[Counts]:
        """Play one rollout, calling `meanwhile` before each decision."""
        started = time.perf_counter()
        self.iteration = self._state.counters.iteration
        self.game.begin_iteration(steps)
        policy = self._line_up(steps)
        look = self._onlooker.beside(meanwhile) if self._onlooker else meanwhile
        with one_torch_thread(), naming_agents(self.game.whose):
            collect(self.game, policy, self.arrays, self._rng, look, self._watch)
        self.rollout_s = time.perf_counter() - started
        return [take_counts(self.game, self._watch)]

    def change(self, config: RunConfig) -> None:
        """Take what may change while a run trains from `config`; episodes go on."""
        self.game.change(config)
        if self._opponents is not None:
            self._opponents.change(config)

    def close(self) -> None:
        """Nothing to end."""

    def _line_up(self, steps: int) -> Policy:
        """Who decides in the next rollout, whose rows say which of them to learn from."""
        line_up = next_line_up(self._opponents, steps, self.warnings)
        rows = old_rows(old_columns(self._sides, line_up.teams[0]) if line_up else [])
        self.arrays.valid[:] = learned(rows, self.game.num_agents)
        if line_up is None:
            return self._policy
        vectors = [line_up.vectors[group] for group in rows.groups]
        versions = TorchVersions(vectors, model=self._policy.model)
        return SelfPlay(self._policy, versions, rows, self.game.num_agents)
