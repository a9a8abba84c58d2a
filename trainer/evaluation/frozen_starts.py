"""The start states of a selection: drawn once from a seed, or read, and written so that they stay.

The file is one of `start_file.py`, which a config's `resets.file` and another protocol's
`starts.file` can name. Knows no simulator. Tested by
`tests/trainer/evaluation/test_frozen_starts.py`.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from rlbot_agent.modes import teams_of
from trainer.evaluation.contestants import EvaluationError
from trainer.evaluation.protocol import StartsConfig
from trainer.resets import Starts, join_starts, kickoff_starts, random_starts
from trainer.start_file import load_starts


def make_starts(config: StartsConfig, folder: Path, modes: Sequence[str]) -> dict[str, Starts]:
    """The start states of each of `modes`: kickoffs first, then random ones; or those of the file.

    Args:
        config: Which.
        folder: Where its file is.
        modes: Each has states of its own, whatever the others are.

    Raises:
        StartFileError: When the file is unusable.
        EvaluationError: When it has no state of one of the modes.
    """
    if not config.file:
        return {mode: _drawn(config, mode) for mode in modes}
    found = load_starts(folder / config.file, modes).starts
    for mode in modes:
        if mode not in found:
            raise EvaluationError(f"starts.file: {folder / config.file} has no state of {mode}")
    return found


def starts_text(starts: dict[str, Starts]) -> str:
    """All states of all modes as JSON lines; reading them gives the same numbers."""
    return "".join(
        json.dumps(state) + "\n" for mode, found in starts.items() for state in _states(mode, found)
    )


def mode_seed(seed: int, mode: str) -> tuple[int, int, int]:
    """What the chance of a mode's games is seeded by, before the number of the start."""
    blue, orange = mode.split("v")
    return seed, int(blue), int(orange)


def _drawn(config: StartsConfig, mode: str) -> Starts:
    teams, rng = teams_of(mode), np.random.default_rng(mode_seed(config.seed, mode))
    kickoffs = kickoff_starts(config.kickoffs, teams, rng)
    others = random_starts(config.random, teams, config.air_chance, rng)
    return join_starts([kickoffs, others])


def _states(mode: str, starts: Starts) -> Iterator[dict[str, object]]:
    """Each state as `start_file.py` reads it."""
    for index in range(len(starts.ball_position)):
        yield {
            "ball": {
                "position": starts.ball_position[index].tolist(),
                "velocity": starts.ball_velocity[index].tolist(),
                "angular_velocity": starts.ball_angular_velocity[index].tolist(),
            },
            "cars": [
                {
                    "team": team,
                    "position": starts.car_position[index, car].tolist(),
                    "velocity": starts.car_velocity[index, car].tolist(),
                    "angular_velocity": starts.car_angular_velocity[index, car].tolist(),
                    "rotation": starts.car_rotation[index, car].tolist(),
                    "boost": float(starts.car_boost[index, car]),
                }
                for car, team in enumerate(teams_of(mode))
            ],
        }
