from typing import NamedTuple

import numpy as np
import pytest

from trainer.coarse_to_fine import CoarseToFine, coarse_chance
from trainer.collector import Flags, Floats, Indices
from trainer.config import RunConfig


class Told(NamedTuple):
    rewards: Floats
    terminated: Flags
    truncated: Flags
    final_obs: Floats


class Counting:
    """Two agents who see the Hz of their physics and how many decisions they played in it."""

    def __init__(self, hz: int) -> None:
        self.hz, self.played, self.noted = hz, 0, [-1]
        self.num_agents, self.obs_width, self.num_actions = 2, 3, 4
        self.warnings = [f"{hz} Hz"]
        self.settings = RunConfig()

    @property
    def obs(self) -> Floats:
        return np.array([[self.hz, self.played, agent] for agent in range(2)], np.float32)

    @property
    def masks(self) -> Flags:
        return np.full((2, 4), self.hz == 60)

    def step(self, actions: Indices) -> Told:
        self.played += 1
        no = np.zeros(2, np.bool_)
        return Told(np.float32(self.hz) + actions.astype(np.float32), no, no, self.obs)

    def whose(self, agent: int) -> str:
        return f"{agent} at {self.hz} Hz"

    def change(self, config: RunConfig) -> None:
        self.settings = config

    def note_steps(self, steps: int) -> None:
        self.noted.append(steps)


def build(
    chance: float, until: int = 1000, steps: int = 0, seed: int = 0
) -> CoarseToFine[Counting]:
    return CoarseToFine(Counting, chance, until, seed, steps)


def rates(game: CoarseToFine[Counting], steps: list[int]) -> list[float]:
    found = []
    for count in steps:
        game.begin_iteration(count)
        found.append(game.physics_hz)
    return found


def test_both_games_take_a_change_and_the_one_that_plays_names_its_cars() -> None:
    game = build(chance=1.0)
    game.change(RunConfig(seed=7))
    assert game.coarse is not None
    assert game.fine.settings.seed == game.coarse.settings.seed == 7
    game.begin_iteration(0)
    assert game.whose(1) == "1 at 60 Hz"


def test_the_chance_falls_evenly_from_the_first_step_to_the_last() -> None:
    chances = [coarse_chance(0.8, 1000, steps) for steps in (0, 250, 500, 1000, 5000)]
    assert chances == pytest.approx([0.8, 0.6, 0.4, 0, 0])
    assert coarse_chance(0, 0, 0) == 0


@pytest.mark.parametrize(("steps", "share"), [(0, 0.8), (500, 0.4), (900, 0.08)])
def test_iterations_are_coarse_as_often_as_the_chance_says(steps: int, share: float) -> None:
    # Of the same step in as many runs.
    found = [rate for seed in range(2000) for rate in rates(build(0.8, seed=seed), [steps])]
    # Five standard deviations of a share of 2000 draws are at most 0.056.
    assert found.count(60) / 2000 == pytest.approx(share, abs=0.056)
    assert set(found) == {60, 120}


def test_everything_is_that_of_the_game_that_plays_and_each_keeps_its_place() -> None:
    game = build(1.0)
    assert (game.num_agents, game.obs_width, game.num_actions) == (2, 3, 4)
    assert game.warnings == ["120 Hz"]

    game.begin_iteration(0)  # coarse for sure
    assert game.step(np.array([1, 2])).rewards.tolist() == [61, 62]
    assert game.obs.tolist() == [[60, 1, 0], [60, 1, 1]]
    assert game.masks.all()
    assert game.physics_hz == 60
    game.begin_iteration(999)  # fine, but for one in a thousand
    game.step(np.array([0, 0]))
    assert game.step(np.array([1, 2])).rewards.tolist() == [121, 122]
    assert game.obs.tolist() == [[120, 2, 0], [120, 2, 1]]
    assert not game.masks.any()
    assert game.physics_hz == 120
    game.begin_iteration(0)
    assert game.obs.tolist() == [[60, 1, 0], [60, 1, 1]]


def test_the_game_that_plays_hears_how_far_the_run_is() -> None:
    game = build(1.0)
    coarse = game.coarse
    assert coarse is not None
    game.begin_iteration(0)
    game.begin_iteration(1200)
    assert (coarse.noted, game.fine.noted) == ([-1, 0], [-1, 1200])


def test_past_the_last_step_the_coarse_game_is_gone_and_a_resume_makes_none() -> None:
    game = build(1.0)
    game.begin_iteration(0)
    assert game.playing is game.coarse
    game.begin_iteration(1000)
    assert game.coarse is None
    assert game.playing is game.fine
    assert build(1.0, steps=1000).coarse is None
    assert build(1.0, steps=999).coarse is not None


def test_off_it_makes_one_game() -> None:
    game = CoarseToFine(Counting, 0.0, 0, seed=0)
    assert game.coarse is None
    assert rates(game, [0] * 20) == [120] * 20


def test_the_same_seed_draws_the_same_physics_wherever_a_run_is_resumed() -> None:
    steps = list(range(0, 1000, 20))
    first, again, other = (rates(build(0.9, seed=seed), steps) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert rates(build(0.9, steps=steps[30], seed=1), steps[30:]) == first[30:]
