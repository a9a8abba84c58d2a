"""The environment on the real simulator, with two arenas of 1v1: agents 0, 1 and 2, 3."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import RocketSim

from rlbot_agent.actions import ACTION_TABLE, action_masks
from tests.trainer.tiny import tiny_config
from trainer.env import Env, EnvError, Step
from trainer.resets import Starts, kickoff_starts

KICKOFFS = ("resets.random=0", "episodes.no_touch_s=0", "episodes.time_limit_s=0")
ROW = {tuple(row): index for index, row in enumerate(ACTION_TABLE.astype(int).tolist())}
REST = np.full(4, ROW[0, 0, 0, 0, 0, 0, 0, 0])
BOOST = np.full(4, ROW[1, 0, 0, 0, 0, 0, 1, 0])
DECISION_S = 8 / 120


def make_env(*settings: str, seed: int = 0, folder: Path = Path()) -> Env:
    """Kickoffs without limits, but for `settings`."""
    return Env(tiny_config(*KICKOFFS, *settings), folder, np.random.default_rng(seed))


def only(**weights: float) -> tuple[str, ...]:
    """Settings that pay nothing but `weights`."""
    names = tuple(tiny_config().rewards.model_dump(exclude={"custom"}))
    return tuple(f"rewards.{name}={weights.get(name, 0)}" for name in names)


def custom(folder: Path, body: str) -> tuple[str, ...]:
    """Settings that pay nothing but the user's own `body`."""
    (folder / "mine.py").write_text(
        f"import numpy as np\n\ndef own(state, previous, events):\n    {body}\n"
    )
    return (*only(), 'rewards.custom={"mine:own"=2.0}')


def put_ball(env: Env, arena: int, position: Sequence[float], velocity: Sequence[float]) -> None:
    ball = RocketSim.BallState()
    ball.pos, ball.vel = RocketSim.Vec(*position), RocketSim.Vec(*velocity)
    env.simulator.arenas[arena].ball.set_state(ball)


def shoot(env: Env, arena: int, side: int) -> None:
    """The ball crosses the goal line of orange (`side` 1) or blue (-1) in the next decision."""
    put_ball(env, arena, (0, side * 5150, 300), (0, side * 2000, 0))


def play(env: Env, decisions: int, actions: np.ndarray = REST) -> Step:
    for _ in range(decisions):
        step = env.step(actions)
    return step


def test_it_says_its_sizes_and_shows_kickoffs_at_once() -> None:
    env = make_env()
    assert (env.num_agents, env.obs_width, env.num_actions) == (4, 92, 90)
    assert env.obs.shape == (4, 92)
    assert env.masks.shape == (4, 90)
    # Ball at rest in the middle, 93.15 uu high, seen at a scale of 1/2300.
    np.testing.assert_allclose(env.obs[:, :6], [[0, 0, 93.15 / 2300, 0, 0, 0]] * 4, atol=1e-6)


def test_larger_teams_have_more_agents_and_padding_widens_what_they_see() -> None:
    # 52 + 20 * 4 cars; padded to 3v3, 52 + 20 * 6.
    assert make_env("sim.modes.2v2=1").obs.shape == (8, 132)
    env = make_env("sim.modes.2v2=1", "sim.max_team_size=3", *only(goal=10, concede=-7))
    assert env.obs.shape == (8, 172)
    shoot(env, 1, 1)
    assert env.step(np.tile(REST, 2)).rewards.tolist() == [0, 0, 0, 0, 10, 10, -7, -7]


def test_the_agents_of_an_arena_stand_side_by_side() -> None:
    env = make_env()
    actions = REST.copy()
    actions[2] = BOOST[2]
    env.step(actions)
    burnt = env.simulator.state.boost < 33
    assert burnt.tolist() == [[False, False], [True, False]]


@pytest.mark.parametrize(("side", "rewards"), [(1, [0, 0, 10, -7]), (-1, [0, 0, -7, 10])])
def test_a_goal_terminates_pays_both_sides_and_leads_to_a_new_kickoff(
    side: int, rewards: list[float]
) -> None:
    env = make_env(*only(goal=10, concede=-7))
    play(env, 3)
    shoot(env, 1, side)
    step = env.step(REST)
    assert step.rewards.tolist() == rewards
    assert step.terminated.tolist() == [False, False, True, True]
    assert not step.truncated.any()
    np.testing.assert_allclose(env.obs[:, :3], [[0, 0, 93.15 / 2300]] * 4, atol=1e-3)
    assert not env.step(REST).terminated.any()


def test_without_a_touch_the_episode_is_truncated_at_the_limit() -> None:
    # 0.4 s are 48 ticks, 6 decisions; arena 0 is touched in the third: 3 more.
    env = make_env("episodes.no_touch_s=0.4")
    play(env, 2)
    x, y, z = env.simulator.state.position[0, 0].tolist()
    put_ball(env, 0, (x, y, z + 120), (0, 0, -1000))
    cut = [env.step(REST).truncated.tolist() for _ in range(7)]
    assert cut[:3] == [[False] * 4] * 3
    assert cut[3] == [False, False, True, True]
    assert cut[4:6] == [[False] * 4] * 2
    assert cut[6] == [True, True, False, False]


def test_the_final_observation_is_the_one_before_the_reset() -> None:
    # The same game without a limit shows what a cut one would have seen.
    env, endless = make_env("episodes.time_limit_s=0.4"), make_env()
    steps = [env.step(BOOST) for _ in range(6)]
    play(endless, 6, BOOST)
    assert [step.truncated.any() for step in steps] == [False] * 5 + [True]
    assert steps[5].truncated.all()
    np.testing.assert_array_equal(steps[5].final_obs, endless.obs)
    assert (np.abs(env.obs - endless.obs).max(axis=1) > 0.1).all()


def test_touches_do_not_stop_the_time_limit() -> None:
    env = make_env(f"episodes.time_limit_s={2 * DECISION_S}", "episodes.no_touch_s=60")
    assert not env.step(REST).truncated.any()
    x, y, z = env.simulator.state.position[0, 0].tolist()
    put_ball(env, 0, (x, y, z + 120), (0, 0, -1000))
    assert env.step(REST).truncated.all()
    assert env.metrics.cut().measure()["Game/touches_per_minute"] > 0


def test_a_goal_in_the_decision_of_a_limit_is_only_terminated() -> None:
    env = make_env(f"episodes.no_touch_s={DECISION_S}")
    shoot(env, 1, 1)
    step = env.step(REST)
    assert step.terminated.tolist() == [False, False, True, True]
    assert step.truncated.tolist() == [True, True, False, False]


def test_the_controls_of_the_last_episode_do_not_reach_into_the_next() -> None:
    # All but the last tick of a decision play what was held before: boost, if it leaked.
    env = make_env("sim.action_delay=7", f"episodes.time_limit_s={3 * DECISION_S}")
    assert play(env, 3, BOOST).truncated.all()
    env.step(REST)
    state = env.simulator.state
    np.testing.assert_allclose(state.boost, 100 / 3, atol=1e-3)
    assert (np.linalg.norm(state.velocity[..., :2], axis=-1) < 5).all()


def test_the_state_before_the_first_decision_is_the_start_of_the_episode(tmp_path: Path) -> None:
    moved = "return (state.ball_position - previous.ball_position)[:, 1:2] + 0 * state.boost"
    env = make_env(
        *custom(tmp_path, moved), f"episodes.time_limit_s={3 * DECISION_S}", folder=tmp_path
    )
    play(env, 1)
    put_ball(env, 1, (0, 1000, 1000), (0, 1200, 0))
    play(env, 1)
    # 1200 uu/s for 1/15 s are 80 uu, less a little drag, paid twice.
    np.testing.assert_allclose(env.step(REST).rewards, [0, 0, 160, 160], atol=2)
    np.testing.assert_allclose(env.step(REST).rewards, 0, atol=0.1)


def test_impossible_actions_are_masked_only_when_asked_to() -> None:
    masked, free = make_env(), make_env("sim.action_masks=false")
    play(masked, 2, BOOST)
    play(free, 2, BOOST)
    expected = action_masks(masked.simulator.state).reshape(4, 90)
    assert not expected.all()
    np.testing.assert_array_equal(masked.masks, expected)
    assert free.masks.all()


def trajectory(seed: int) -> list[bytes]:
    """Everything that 60 random decisions show, with goals, cuts and mixed starts."""
    env = make_env("resets.random=1", "episodes.no_touch_s=0.5", seed=seed)
    actions = np.random.default_rng(5)
    seen = [env.obs.tobytes()]
    for decision in range(60):
        if decision % 20 == 7:
            shoot(env, 0, 1)
        step = env.step(actions.integers(0, 90, 4))
        seen += [env.obs.tobytes(), env.masks.tobytes(), *(part.tobytes() for part in step)]
    return seen


def test_the_same_seed_gives_the_same_games_and_another_seed_others() -> None:
    assert trajectory(seed=3) == trajectory(seed=3)
    assert trajectory(seed=3)[0] != trajectory(seed=4)[0]


@pytest.mark.parametrize("x", [np.nan, 9000.0])
def test_an_arena_whose_physics_broke_is_truncated_unpaid_at_its_last_sound_state(x: float) -> None:
    env = make_env()
    play(env, 2, BOOST)
    before = env.obs.copy()
    put_ball(env, 1, (x, 0, 500), (0, 0, 0))
    step = env.step(BOOST)
    assert step.truncated.tolist() == [False, False, True, True]
    assert not step.terminated.any()
    assert (step.rewards[:2] != 0).all()
    assert step.rewards[2:].tolist() == [0, 0]
    np.testing.assert_array_equal(step.final_obs[2:], before[2:])
    assert np.isfinite(step.final_obs).all()
    assert np.isfinite(env.obs).all()
    np.testing.assert_allclose(env.obs[2:, :3], [[0, 0, 93.15 / 2300]] * 2, atol=1e-3)
    assert not env.step(BOOST).truncated.any()
    assert env.metrics.cut().measure()["Game/ended_by_broken"] == 1


def break_after_resets(env: Env, arena: int, resets: int) -> None:
    """The next `resets` resets of `arena` leave a ball behind that the physics cannot move."""
    reset, left = env.simulator.reset, [resets]

    def plant(arenas: np.ndarray, starts: Starts) -> None:
        reset(arenas, starts)
        if arena in arenas and left[0]:
            left[0] -= 1
            put_ball(env, arena, (np.nan, 0, 500), (0, 0, 0))

    env.simulator.reset = plant  # type: ignore[method-assign]


def test_an_arena_that_breaks_in_three_decisions_in_a_row_is_refused_by_its_number() -> None:
    env = make_env()
    break_after_resets(env, 1, 2)
    put_ball(env, 1, (np.nan, 0, 500), (0, 0, 0))
    for _ in range(2):
        assert env.step(REST).truncated.tolist() == [False, False, True, True]
        assert np.isfinite(env.obs).all()
    with pytest.raises(EnvError, match="arena 1 of 1v1 broke in 3 decisions in a row"):
        env.step(REST)


def test_breaks_of_two_arenas_or_with_a_sound_decision_between_do_not_add_up() -> None:
    env = make_env()
    for arena in (0, 0, 1, 1, 0, 0):
        put_ball(env, arena, (np.nan, 0, 500), (0, 0, 0))
        env.step(REST)
    assert env.metrics.cut().measure()["Game/ended_by_broken"] == 6


def test_every_end_has_one_cause() -> None:
    # Nobody touches anything. Arena 0 scores in decision 1 and breaks in decision 4.
    env = make_env(
        f"episodes.no_touch_s={3 * DECISION_S}", f"episodes.time_limit_s={5 * DECISION_S}"
    )
    shoot(env, 0, 1)
    play(env, 3)
    put_ball(env, 0, (np.nan, 0, 500), (0, 0, 0))
    play(env, 4)
    metrics = env.metrics.cut().measure()
    # Neglected: arena 1 in decisions 3 and 6, arena 0 in 7. What broke was at its limit, too.
    ends = {name: metrics[f"Game/ended_by_{name}"] for name in ("goal", "no_touch", "broken")}
    assert ends == {"goal": 1, "no_touch": 3, "broken": 1}
    assert metrics["Game/ended_by_goal_length_s"] == pytest.approx(DECISION_S)
    assert metrics["Game/ended_by_broken_length_s"] == pytest.approx(3 * DECISION_S)
    every = [value for name, value in metrics.items() if re.match(r"Game/ended_by_(?!.*_s$)", name)]
    assert len(every) == 4
    assert sum(every) == metrics["Collect/episodes"] == 5


def test_a_reward_that_is_not_finite_is_refused_with_its_name_arena_and_car(
    tmp_path: Path,
) -> None:
    # It is tried with 3 arenas and plays with 2.
    late = "x = state.boost * 0; x[1, 0] = np.nan if len(x) == 2 else 0; return x"
    env = make_env(*custom(tmp_path, late), "rewards.goal=1", folder=tmp_path)
    with pytest.raises(EnvError, match="the reward mine:own is nan for car 0 of arena 1 of 1v1"):
        env.step(REST)


def test_all_weights_zero_pay_nothing() -> None:
    env = make_env(*only())
    assert env.step(BOOST).rewards.tolist() == [0, 0, 0, 0]
    assert env.metrics.cut().measure()["Reward/total"] == 0


@pytest.mark.parametrize("tick_skip", [4, 8, 24])
def test_a_second_is_worth_the_same_whatever_the_tick_skip(tick_skip: int) -> None:
    env = make_env(f"sim.tick_skip={tick_skip}", *only(save_boost=2, goal=10, demoed=-3))
    env.simulator.cars[1][1].demolish()
    # 120 ticks at rest with 33.3 boost, at the price of 8: 15 * 2 * sqrt(1/3) = 17.32; waiting for
    # the respawn costs its 3 once, and saves no boost.
    paid = np.sum([env.step(REST).rewards for _ in range(120 // tick_skip)], axis=0)
    np.testing.assert_allclose(paid, [17.3205, 17.3205, 17.3205, -3], atol=1e-3)
    shoot(env, 0, 1)
    last = env.step(REST).rewards
    assert last[0] - last[1] == pytest.approx(10)


@pytest.mark.parametrize("tick_skip", [4, 8])
def test_a_real_wavedash_is_paid_once(tick_skip: int) -> None:
    env = make_env(f"sim.tick_skip={tick_skip}", *only(wavedash=2))
    starts = kickoff_starts(1, (0, 1), np.random.default_rng(0))
    # Falling, nose up, wheels just above the ground: a forward flip presses them onto it.
    starts.car_position[0, 0] = (0, -2000, 45)
    starts.car_velocity[0, 0] = (0, 500, -300)
    starts.car_rotation[0, 0, 0] = 0.3
    env.simulator.reset(np.array([0]), starts)
    flip = REST.copy()
    flip[0] = ROW[0, 0, -1, 0, 0, 1, 0, 1]
    paid = [env.step(flip).rewards, *(env.step(REST).rewards for _ in range(80 // tick_skip))]
    assert sorted(row[0] for row in paid) == [*[0] * (80 // tick_skip), 2]
    assert not np.array(paid)[:, 1:].any()


def test_a_car_demolished_in_a_flip_is_not_paid_a_wavedash_when_it_comes_back() -> None:
    # 360 ticks to the respawn are 7.2 decisions of 50: in the eighth it returns, falls and lands.
    env = make_env("sim.tick_skip=50", *only(wavedash=1))
    starts = kickoff_starts(1, (0, 1), np.random.default_rng(0))
    starts.car_position[0, 0, 2] = 900
    env.simulator.reset(np.array([0]), starts)
    flip = REST.copy()
    flip[0] = ROW[0, 0, -1, 0, 0, 1, 0, 1]
    env.step(flip)
    env.simulator.cars[0][0].demolish()
    paid, state = 0.0, env.simulator.state
    for _ in range(7):
        paid += env.step(REST).rewards[0]
    assert state.is_flipping[0, 0] == 1
    paid += env.step(REST).rewards[0]
    assert state.on_ground[0, 0] == 1
    assert paid == 0


def test_the_cars_of_an_arena_share_what_they_earn_and_others_do_not() -> None:
    earned = only(goal=10, concede=-2)
    env = make_env(
        "sim.modes.2v2=1", *earned, "rewards.team_spirit=0.5", "rewards.opponent_scale=1"
    )
    shoot(env, 1, 1)
    # Blue: 10 * 0.5 + 10 * 0.5 - (-2) = 12, orange: -2 - 10 = -12.
    assert env.step(np.tile(REST, 2)).rewards.tolist() == [0] * 4 + [12, 12, -12, -12]
    # What the game was worth before it was shared: (2 * 10 - 2 * 2) / 8 cars.
    assert env.metrics.cut().measure()["Reward/total"] == 2


def test_metrics_tell_what_was_played_and_start_anew() -> None:
    env = make_env(*only(goal=10, save_boost=1), f"episodes.time_limit_s={5 * DECISION_S}")
    play(env, 2)
    shoot(env, 1, 1)
    rewards = [env.step(REST).rewards for _ in range(3)]
    metrics = env.metrics.cut().measure()
    # 5 decisions of 4 agents; blue's one car scored once; nobody burnt any of the 33.3 boost.
    assert metrics["Reward/goal"] == pytest.approx(1 / 20)
    assert metrics["Reward/save_boost"] == pytest.approx(np.sqrt(1 / 3), abs=1e-4)
    assert metrics["Reward/total"] == pytest.approx(10 / 20 + np.sqrt(1 / 3), abs=1e-4)
    # 10 of 10 + 20 * sqrt(1/3) = 21.547
    assert metrics["Reward/goal_share"] == pytest.approx(10 / 21.547, abs=1e-4)
    assert metrics["Reward/save_boost_share"] == pytest.approx(11.547 / 21.547, abs=1e-4)
    assert rewards[0][2] == pytest.approx(10 + np.sqrt(1 / 3), abs=1e-4)
    # Arena 1 ended by the goal after 3 decisions, arena 0 by the limit after 5.
    assert metrics["Collect/episodes"] == 2
    assert metrics["Game/truncated_share"] == 0.5
    assert metrics["Game/episode_length_s"] == pytest.approx(4 * DECISION_S)
    assert metrics["Game/goals_per_minute"] == pytest.approx(60 / (10 * DECISION_S))
    play(env, 1)
    assert env.metrics.cut().measure()["Collect/episodes"] == 0


def test_players_are_shuffled_only_when_asked() -> None:
    doubles = ("sim.modes.2v2=1", "sim.observation=rlgymppo_default")
    plain, shuffled = make_env(*doubles), make_env(*doubles, "sim.shuffle_players=true")
    swaps = 0
    for _ in range(20):
        # Ball 9, own car 22, mate 22, opponents 22 each.
        ours, theirs = plain.obs[:, 53:], shuffled.obs[:, 53:]
        np.testing.assert_array_equal(shuffled.obs[:, :53], plain.obs[:, :53])
        swapped = np.concatenate((ours[:, 22:], ours[:, :22]), axis=1)
        is_swapped = (theirs == swapped).all(axis=1)
        assert (is_swapped | (theirs == ours).all(axis=1)).all()
        swaps += int(is_swapped.sum())
        for env in (plain, shuffled):
            env.step(np.full(8, REST[0]))
    # One half of 160; 5 standard deviations are 32.
    assert 48 < swaps < 112
