"""The user's own rewards: Python functions in a file beside the config, named "module:function".

They are loaded and called once on example states before anything starts, so that a mistake is a
sentence about file and key instead of a crash hours later. `sys.path` and `sys.modules` stay as
they are, so a file may import what is installed but not its neighbours. Knows no simulator. Tested
by `tests/trainer/test_custom_rewards.py`.
"""

import inspect
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt

from rlbot_agent.field import CAR_RESTING_Z
from rlbot_agent.rotation import axes_from_angles
from rlbot_agent.state import GameState
from trainer.events import Events
from trainer.resets import random_starts

Reward = Callable[[GameState, GameState, Events], npt.NDArray[np.float32]]
"""(state, previous, events) to (B, P); `previous` is the state one decision before."""


class RewardError(Exception):
    """A reward that the config names is missing or unusable; the message says which and why."""


def load_rewards(
    names: Iterable[str], config_folder: Path, teams: tuple[int, ...]
) -> dict[str, Reward]:
    """The functions that `names` mean, each tried once.

    Args:
        names: Keys of `rewards.custom`, "module:function". A module is run once.
        config_folder: Holds module.py.
        teams: Team of each car of the states that they are tried on.

    Raises:
        RewardError: At the first one that is missing or unusable.
    """
    modules: dict[Path, ModuleType] = {}
    rewards = {}
    for name in names:
        module_name, _, function_name = name.partition(":")
        key = f'rewards.custom."{name}"'
        if not (module_name.isidentifier() and function_name.isidentifier()):
            raise RewardError(f'{key} must read "module:function", for example "my_rewards:spin"')
        path = config_folder / f"{module_name}.py"
        if path not in modules:
            modules[path] = _load_module(path, key)
        rewards[name] = _find_function(modules[path], function_name, path, key)
        _try(rewards[name], teams, f"{key}: {function_name} in {path}")
    return rewards


def _load_module(path: Path, key: str) -> ModuleType:
    if not path.is_file():
        near = _nearest(path.stem, (file.stem for file in path.parent.glob("*.py")))
        raise RewardError(f"{key}: {path} does not exist{near}")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise RewardError(f"{key}: {path} cannot be loaded: {_words(error)}") from error
    return module


def _find_function(module: ModuleType, name: str, path: Path, key: str) -> Reward:
    functions = {found: value for found, value in vars(module).items() if callable(value)}
    if name not in functions:
        raise RewardError(f"{key}: {path} has no function {name}{_nearest(name, functions)}")
    reward: Reward = functions[name]
    return reward


def _try(reward: Reward, teams: tuple[int, ...], subject: str) -> None:
    """Call `reward` on example states; refuse all that the environment could not use."""
    state, previous, events = _example(teams, seed=0), _example(teams, seed=1), _events(teams)
    try:
        inspect.signature(reward).bind(state, previous, events)
    except (TypeError, ValueError):
        raise RewardError(f"{subject} must take (state, previous, events)") from None
    untouched = state.raw.copy(), previous.raw.copy()
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(reward(state, previous, events))
    except Exception as error:
        raise RewardError(f"{subject} failed when it was tried: {_words(error)}") from error
    expected = (state.num_arenas, state.num_cars)
    if values.shape != expected or values.dtype.kind not in "biuf":
        raise RewardError(
            f"{subject} must return one number for each car of each arena, shape {expected} "
            f"when it was tried, not {values.dtype} of shape {values.shape}"
        )
    if not np.isfinite(values).all():
        raise RewardError(f"{subject} returned {values[~np.isfinite(values)][0]} when it was tried")
    if not all(map(np.array_equal, (state.raw, previous.raw), untouched)):
        raise RewardError(f"{subject} changes the state in place: it may only read it")


def _example(teams: tuple[int, ...], seed: int) -> GameState:
    """Moving cars and balls. One arena more than cars, so that swapped axes show."""
    num_arenas = len(teams) + 1
    starts = random_starts(num_arenas, teams, 0.5, np.random.default_rng(seed))
    state = GameState(num_arenas, teams)
    state.ball_position[:] = starts.ball_position
    state.ball_velocity[:] = starts.ball_velocity
    state.ball_angular_velocity[:] = starts.ball_angular_velocity
    state.position[:] = starts.car_position
    state.velocity[:] = starts.car_velocity
    state.angular_velocity[:] = starts.car_angular_velocity
    state.forward[:], _, state.up[:] = axes_from_angles(starts.car_rotation)
    state.boost[:] = starts.car_boost
    state.on_ground[:] = state.position[..., 2] <= CAR_RESTING_Z
    return state


def _events(teams: tuple[int, ...]) -> Events:
    """Everything happens to the first arena, nothing to the others."""
    events = Events.none(len(teams) + 1, len(teams))
    for happened in vars(events).values():
        happened[0] = 1
    return events


def _nearest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known)
    return f"; nearest: {', '.join(near)}" if near else ""


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
