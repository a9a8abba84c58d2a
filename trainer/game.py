"""A run's game: all its modes, in the game's own physics and in cheaper one.

Built by whoever plays it, the trainer's process or a worker. Loads no PyTorch. Tested by
`tests/trainer/test_mixed_env.py` and `test_workers.py`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from trainer.coarse_to_fine import CoarseToFine
from trainer.config import RunConfig
from trainer.game_metrics import GameMetrics
from trainer.mixed_env import MixedEnv
from trainer.start_file import NO_STARTS, StoredStarts
from trainer.stopwatch import PHASES, Stopwatch

Game: TypeAlias = CoarseToFine[MixedEnv]

OF_EACH_MODE: Final = ("episode_length_s", "touches_per_minute")
"""What `Game/` measures of each mode too, where there are several."""


class Counts(NamedTuple):
    """What happened in a rollout, or in the part of it that one process played."""

    physics_hz: int
    """Steps of the physics in a second."""
    modes: dict[str, GameMetrics]
    """What was counted, by mode."""
    seconds: dict[str, float]
    """What it took, by phase."""


def make_game(
    config: RunConfig,
    config_folder: Path,
    rng: np.random.Generator,
    steps: int,
    stored: StoredStarts = NO_STARTS,
    watch: Stopwatch | None = None,
) -> Game:
    """All arenas of `config`, with an episode begun in each.

    Args:
        config: The run's settings.
        config_folder: Where the user's own rewards are.
        rng: Draws starts, respawns and shuffles.
        steps: Agent steps of the run so far.
        stored: The user's own start states.
        watch: Is told which phase has ended.

    Raises:
        MeshError, RewardError: When something it names is missing or unusable.
    """

    def make(physics_hz: int) -> MixedEnv:
        return MixedEnv(config, config_folder, rng, steps, physics_hz, stored, watch)

    sim = config.sim
    return CoarseToFine(make, sim.coarse_chance, sim.coarse_until_steps, config.seed, steps)


def take_counts(game: Game, watch: Stopwatch) -> Counts:
    """What happened since the last call, and what it took."""
    return Counts(game.physics_hz, game.playing.take_counts(), watch.cut())


def measure(counts: Sequence[Counts]) -> dict[str, float]:
    """The metrics of all that was counted, by whomever; `OF_EACH_MODE` where there are several."""
    by_mode: dict[str, GameMetrics] = {}
    for mode, found in ((mode, found) for part in counts for mode, found in part.modes.items()):
        if mode in by_mode:
            by_mode[mode].absorb(found)
        else:
            by_mode[mode] = found
    several = {
        f"Game/{mode}_{name}": found.measure()[f"Game/{name}"]
        for mode, found in by_mode.items()
        for name in OF_EACH_MODE
        if len(by_mode) > 1
    }
    total, *others = by_mode.values()
    for other in others:
        total.absorb(other)
    # Processes play at the same time: their mean is what a phase takes of the rollout's time.
    phases = {
        f"Timing/{phase}_s": sum(part.seconds[phase] for part in counts) / len(counts)
        for phase in PHASES
    }
    physics = {"Collect/physics_hz": counts[0].physics_hz}
    return total.measure() | several | phases | physics
