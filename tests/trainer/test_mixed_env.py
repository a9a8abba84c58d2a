"""Two arenas each of 1v1 (agents 0 to 3), 2v2 (4 to 11) and 1v2 (12 to 17), unless said otherwise.

The oracle is an `Env` for each mode, built and stepped in that order with the same generator.
"""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from rlbot_agent.actions import NUM_ACTIONS
from tests.trainer.test_env import DECISION_S, KICKOFFS, REST, ROW, custom, only, put_ball, shoot
from tests.trainer.tiny import tiny_config
from trainer.collector import Decision, collect
from trainer.config import RunConfig
from trainer.env import Env, EnvError, Step
from trainer.gae import compute_gae
from trainer.game import Counts, measure
from trainer.mixed_env import MixedEnv
from trainer.rollout import Rollout
from trainer.rollout_tensors import tensors_of
from trainer.start_file import StartFileError, starts_of
from trainer.stopwatch import PHASES

MIX = ("sim.arenas=6", "sim.modes.1v1=1", "sim.modes.2v2=1", "sim.modes.1v2=1")
BOUNDS = (0, 4, 12, 18)
RESTING, BOOSTING = REST[0], ROW[1, 0, 0, 0, 0, 0, 1, 0]


def config_of(*settings: str, modes: tuple[str, ...] = MIX) -> RunConfig:
    """Kickoffs without limits, but for `settings`."""
    return tiny_config(*KICKOFFS, *modes, *settings)


def make_env(
    *settings: str, modes: tuple[str, ...] = MIX, folder: Path = Path(), steps: int = 0
) -> MixedEnv:
    config = config_of(*settings, modes=modes)
    stored = starts_of(config.resets, folder, config.sim.played)
    return MixedEnv(config, folder, np.random.default_rng(0), steps, stored=stored)


def each_alone(config: RunConfig) -> list[Env]:
    """An environment of its own for each mode, all drawing from one generator."""
    rng = np.random.default_rng(0)
    alone = [config.model_copy(update={"sim": config.sim.only(mode)}) for mode in config.sim.played]
    return [Env(one, Path(), rng) for one in alone]


def idle(env: MixedEnv, decisions: int = 1) -> Step:
    for _ in range(decisions):
        step = env.step(np.full(env.num_agents, RESTING))
    return step


def test_agents_stand_by_mode_then_arena_then_car() -> None:
    env = make_env()
    assert [part.mode for part in env.parts] == ["1v1", "2v2", "1v2"]
    # 52 + 20 for each place of a padded 2v2.
    assert (env.num_agents, env.obs_width, env.obs.shape) == (18, 132, (18, 132))
    assert env.masks.shape == (18, NUM_ACTIONS)
    actions = np.full(18, RESTING)
    # Car 2 of arena 1 of the 2v2 is agent 4 + 4 + 2, car 1 of arena 0 of the 1v2 agent 12 + 1.
    actions[[10, 13]] = BOOSTING
    env.step(actions)
    burnt = [np.argwhere(part.simulator.state.boost < 33).tolist() for part in env.parts]
    assert burnt == [[], [[1, 2]], [[0, 1]]]


def test_absent_mates_and_opponents_are_zeros() -> None:
    env = make_env()
    # Of each row: own car from 52 on, then the places of a mate and of two opponents.
    places = env.obs[:, 52:].reshape(18, 4, 20).any(axis=2)
    alone, pair, single = [1, 0, 1, 0], [1, 1, 1, 1], [1, 0, 1, 1]
    assert places[:4].astype(int).tolist() == [alone] * 4
    assert places[4:12].astype(int).tolist() == [pair] * 8
    assert places[12:].astype(int).tolist() == [single, [1, 1, 1, 0], [1, 1, 1, 0]] * 2


def test_every_mode_plays_as_it_would_alone() -> None:
    limit = f"episodes.time_limit_s={3 * DECISION_S}"
    env, parts = make_env(limit), each_alone(config_of(limit))
    choice = np.random.default_rng(9)
    for decision in range(8):
        np.testing.assert_array_equal(env.obs, np.concatenate([part.obs for part in parts]))
        np.testing.assert_array_equal(env.masks, np.concatenate([part.masks for part in parts]))
        actions = choice.integers(NUM_ACTIONS, size=18)
        step = env.step(actions)
        assert step.truncated.all() == (decision % 3 == 2)
        for index, part in enumerate(parts):
            rows = slice(BOUNDS[index], BOUNDS[index + 1])
            expected = part.step(actions[rows])
            np.testing.assert_array_equal(step.rewards[rows], expected.rewards)
            np.testing.assert_array_equal(step.terminated[rows], expected.terminated)
            np.testing.assert_array_equal(step.truncated[rows], expected.truncated)
            if expected.truncated.any():
                np.testing.assert_array_equal(step.final_obs[rows], expected.final_obs)
    assert env.obs.any(axis=1).all()


def measured(env: MixedEnv) -> dict[str, float]:
    return measure([Counts(120, env.take_counts(), dict.fromkeys(PHASES, 0.0))])


def measured_alone(env: Env) -> dict[str, float]:
    timing = {f"Timing/{phase}_s": 0.0 for phase in PHASES}
    return env.metrics.cut().measure() | timing | {"Collect/physics_hz": 120}


def test_one_mode_is_what_its_env_is_number_for_number() -> None:
    random, modes = "resets.random=1", ("sim.modes.1v1=1",)
    env, (alone,) = make_env(random, modes=modes), each_alone(config_of(random, modes=modes))
    choice = np.random.default_rng(9)
    for _ in range(20):
        actions = choice.integers(NUM_ACTIONS, size=4)
        np.testing.assert_array_equal(env.step(actions).rewards, alone.step(actions).rewards)
        np.testing.assert_array_equal(env.obs, alone.obs)
    np.testing.assert_equal(measured(env), measured_alone(alone))


def test_all_modes_write_into_one_array_and_go_on_doing_so() -> None:
    env = make_env()
    obs, masks = env.obs, env.masks
    idle(env)
    assert env.obs is obs
    assert env.masks is masks
    assert all(np.shares_memory(part.obs, obs) for part in env.parts)


def test_metrics_are_of_all_modes_together_and_tell_how_long_each_ones_episodes_are() -> None:
    env = make_env(*only(goal=10, save_boost=1))
    idle(env, 2)
    shoot(env.parts[0], 1, 1)
    idle(env, 2)
    shoot(env.parts[1], 0, 1)
    idle(env)
    metrics = measured(env)
    # 1v1 ended after 3 decisions, 2v2 after 5; 1v2 goes on.
    assert metrics["Collect/episodes"] == metrics["Game/ended_by_goal"] == 2
    assert metrics["Game/episode_length_s"] == pytest.approx(4 * DECISION_S)
    assert metrics["Game/1v1_episode_length_s"] == pytest.approx(3 * DECISION_S)
    assert metrics["Game/2v2_episode_length_s"] == pytest.approx(5 * DECISION_S)
    assert np.isnan(metrics["Game/1v2_episode_length_s"])
    assert [metrics[f"Game/{mode}_touches_per_minute"] for mode in ("1v1", "2v2", "1v2")] == [0] * 3
    # 5 decisions of 18 cars; one car scored in the first goal, two in the second.
    assert metrics["Reward/goal"] == pytest.approx(3 / 90)
    assert metrics["Reward/save_boost"] == pytest.approx(np.sqrt(1 / 3), abs=1e-4)
    # Two goals in 5 decisions of 6 arenas.
    assert metrics["Game/goals_per_minute"] == pytest.approx(2 * 60 / (30 * DECISION_S))
    idle(env)
    assert measured(env)["Collect/episodes"] == 0
    assert not any("1v1" in name for name in measured(make_env(modes=("sim.modes.1v1=1",))))


def test_an_arena_that_always_breaks_is_named_with_its_mode() -> None:
    env = make_env()
    lose = partial(put_ball, env.parts[1], 1, (np.nan, 0, 500), (0, 0, 0))
    for _ in range(2):
        lose()
        idle(env)
    lose()
    with pytest.raises(EnvError, match="arena 1 of 2v2 broke in 3 decisions in a row"):
        idle(env)


def test_a_reward_that_is_not_finite_is_named_with_its_mode(tmp_path: Path) -> None:
    # It is tried with an arena more than cars; 1v2 plays in 2.
    late = "x = state.boost * 0; x[1, -1] = np.nan if x.shape == (2, 3) else 0; return x"
    env = make_env(*custom(tmp_path, late), folder=tmp_path)
    with pytest.raises(EnvError, match="mine:own is nan for car 2 of arena 1 of 1v2"):
        idle(env)


def write_states(folder: Path, *sizes: tuple[int, int]) -> str:
    """A file with a state of each size, whose cars have 5 boost; the setting that names it."""
    lines = []
    for blue, orange in sizes:
        cars = [
            {"team": team, "position": [400 * car, 900, 17], "rotation": [0, 0, 0], "boost": 5}
            for car, team in enumerate([0] * blue + [1] * orange)
        ]
        lines.append(json.dumps({"ball": {"position": [100, 2000, 800]}, "cars": cars}))
    (folder / "mine.jsonl").write_text("\n".join(lines))
    return "resets.file=mine.jsonl"


def starts_stored(env: MixedEnv) -> dict[str, bool]:
    return {part.mode: bool((part.simulator.state.boost == 5).all()) for part in env.parts}


def test_stored_starts_and_later_weights_reach_the_arenas_whose_teams_they_fit(
    tmp_path: Path,
) -> None:
    settings = (
        *(write_states(tmp_path, (1, 1), (1, 2)), "resets.later_at_steps=100"),
        *("resets.later.kickoff=1e-9", "resets.later.random=0", "resets.later.from_file=1"),
        f"episodes.time_limit_s={DECISION_S}",
    )
    env = make_env(*settings, folder=tmp_path)
    path = tmp_path / "mine.jsonl"
    words = "none of its 2 start states is a 2v2, which starts by the other weights"
    config = config_of(*settings)
    found = starts_of(config.resets, tmp_path, config.sim.played)
    assert found.warnings == [f"{path}: {words}"]
    idle(env)
    assert starts_stored(env) == {"1v1": False, "2v2": False, "1v2": False}
    env.note_steps(100)
    idle(env)
    assert starts_stored(env) == {"1v1": True, "2v2": False, "1v2": True}
    # What 2v2 starts from is a kickoff, whose weight is all that is left to it.
    assert not env.parts[1].simulator.state.ball_position[:, :2].any()
    assert starts_stored(make_env(*settings, folder=tmp_path, steps=100))["1v2"]


@pytest.mark.parametrize(
    "weights",
    [
        ("resets.kickoff=0", "resets.from_file=1"),
        ("resets.later_at_steps=9", "resets.later={kickoff=0, random=0, from_file=1}"),
    ],
)
def test_a_mode_that_could_not_start_is_refused(tmp_path: Path, weights: tuple[str, ...]) -> None:
    settings = (write_states(tmp_path, (1, 1), (2, 1), (1, 2)), *weights)
    with pytest.raises(StartFileError, match="is a 2v2, and without weight for kickoffs"):
        make_env(*settings, folder=tmp_path)
    with pytest.raises(StartFileError, match=r"none of its 3 start states is a 3v3$"):
        make_env(*settings, modes=("sim.modes.3v3=1",), folder=tmp_path)


class Linear:
    """Values are a sum over the observation; actions are drawn anew from its own seed."""

    def __init__(self) -> None:
        self._choice = np.random.default_rng(3)

    def act(self, obs: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> Decision:
        actions = self._choice.integers(NUM_ACTIONS, size=len(obs))
        return Decision(actions, np.zeros(len(obs), np.float32), self.values(obs))

    @staticmethod
    def values(obs: np.ndarray) -> np.ndarray:
        return obs[:, :60].sum(axis=1, dtype=np.float32)


def test_advantages_never_splice_two_arenas() -> None:
    """Against a slow loop over each agent of environments of their own."""
    gamma, decay, num_steps = 0.9, 0.8, 7
    limit = f"episodes.time_limit_s={4 * DECISION_S}"
    env, parts = make_env(limit), each_alone(config_of(limit))
    for one in (env.parts[1], parts[1]):
        shoot(one, 1, 1)
    rollout = Rollout.allocate(num_steps, 18, 132, NUM_ACTIONS)
    collect(env, Linear(), rollout, np.random.default_rng(0), lambda: None)
    tensors = tensors_of(rollout)
    found, _ = compute_gae(
        tensors.rewards,
        tensors.values,
        tensors.next_values,
        tensors.terminated,
        tensors.truncated,
        gamma,
        decay,
    )
    value = Linear.values
    # (T, N): what each decision was worth beyond the value before it, and whether it ended.
    deltas, ended = np.zeros((2, num_steps, 18))
    for t in range(num_steps):
        for index, part in enumerate(parts):
            rows = slice(BOUNDS[index], BOUNDS[index + 1])
            before = value(part.obs)
            step = part.step(rollout.actions[t, rows])
            after = np.where(step.truncated, value(step.final_obs), value(part.obs))
            deltas[t, rows] = step.rewards + gamma * after * ~step.terminated - before
            ended[t, rows] = step.terminated | step.truncated
    # The arena that scored in the first decision is cut one later than the others.
    assert ended.sum(axis=0).tolist() == [1] * 8 + [2] * 4 + [1] * 6
    for agent in range(18):
        for t in range(num_steps):
            end = next((u for u in range(t, num_steps) if ended[u, agent]), num_steps - 1)
            advantage = sum(
                (gamma * decay) ** (u - t) * deltas[u, agent] for u in range(t, end + 1)
            )
            assert found[t, agent] == pytest.approx(advantage, abs=1e-4)
