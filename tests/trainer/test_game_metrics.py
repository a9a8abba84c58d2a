import math

import numpy as np
import pytest

from rlbot_agent.state import GameState
from trainer.episodes import Cause
from trainer.events import Events
from trainer.game_metrics import GameMetrics

TEAMS = (0, 1)


def causes(*found: Cause) -> np.ndarray:
    return np.array(found, np.int8)


def play(metrics: GameMetrics, state: GameState, events: Events, times: int) -> None:
    for _ in range(times):
        metrics.add_play(state, events)


def test_rewards_are_means_over_cars_and_decisions_and_only_the_total_is_weighted() -> None:
    metrics = GameMetrics(("touch", "mine:spin"), np.ones(2, np.float32), 8)
    state, events = GameState(2, TEAMS), Events.none(2, 2)
    values = np.array([[[1, 0], [0, 1]], [[2, 2], [2, 4]]], np.float32)
    for total in (6.0, 2.0):
        metrics.add_rewards(values, np.full(4, total, np.float32))
        metrics.add_play(state, events)
    taken = metrics.cut().measure()
    assert taken["Reward/touch"] == 0.5
    assert taken["Reward/mine:spin"] == 2.5
    assert taken["Reward/total"] == 4


def test_a_share_is_the_size_of_what_a_reward_moved_among_all_rewards() -> None:
    metrics = GameMetrics(("touch", "concede", "mine:spin"), np.array([1, -6, 0.5], np.float32), 8)
    # One arena, two decisions. Sizes: touch 1 * 2, concede 6 * 1, spin 0.5 * (1 + 1 + 1 + 1) = 2,
    # although its mean is 0; together 10.
    metrics.add_rewards(
        np.array([[[1, 0]], [[0, 0]], [[1, -1]]], np.float32), np.zeros(2, np.float32)
    )
    metrics.add_rewards(
        np.array([[[1, 0]], [[0, 1]], [[-1, 1]]], np.float32), np.zeros(2, np.float32)
    )
    metrics.add_rewards(np.zeros((3, 1, 2), np.float32), np.zeros(2, np.float32))
    taken = metrics.cut().measure()
    assert taken["Reward/touch_share"] == pytest.approx(0.2)
    assert taken["Reward/concede_share"] == pytest.approx(0.6)
    assert taken["Reward/mine:spin_share"] == pytest.approx(0.2)


def test_rewards_that_paid_nothing_have_no_share() -> None:
    metrics = GameMetrics(("touch",), np.ones(1, np.float32), 8)
    metrics.add_rewards(np.zeros((1, 1, 2), np.float32), np.zeros(2, np.float32))
    assert math.isnan(metrics.cut().measure()["Reward/touch_share"])


def test_touches_are_per_car_and_goals_per_arena_by_the_clock_of_the_game() -> None:
    metrics = GameMetrics((), np.zeros(0, np.float32), 8)
    quiet, loud = Events.none(2, 2), Events.none(2, 2)
    loud.touched[0, 1] = loud.touched[1, 0] = loud.touched[1, 1] = True
    loud.goal[1] = -1
    # 450 decisions of 1/15 s are half a minute: 2 car minutes, 1 arena minute.
    play(metrics, GameState(2, TEAMS), quiet, 448)
    play(metrics, GameState(2, TEAMS), loud, 2)
    taken = metrics.cut().measure()
    assert taken["Game/touches_per_minute"] == pytest.approx(6 / 2)
    assert taken["Game/goals_per_minute"] == pytest.approx(2 / 1)


def test_speed_air_and_boost_are_means_over_all_cars() -> None:
    metrics = GameMetrics((), np.zeros(0, np.float32), 8)
    state = GameState(1, TEAMS)
    state.velocity[:] = [[[300, 0, -400], [0, 2000, 0]]]
    state.on_ground[:] = [[1, 0]]
    state.boost[:] = [[30, 60]]
    metrics.add_play(state, Events.none(1, 2))
    state.on_ground[:] = 0
    metrics.add_play(state, Events.none(1, 2))
    taken = metrics.cut().measure()
    assert taken["Game/speed"] == 1250
    assert taken["Game/in_air"] == 0.75
    assert taken["Game/boost"] == 45


def test_episodes_are_counted_with_their_length_and_how_they_ended() -> None:
    metrics = GameMetrics((), np.zeros(0, np.float32), 12)
    metrics.add_ends(np.array([10, 20, 40]), causes(Cause.NO_TOUCH, Cause.GOAL, Cause.GOAL))
    metrics.add_ends(np.array([50]), causes(Cause.BROKEN))
    taken = metrics.cut().measure()
    assert taken["Collect/episodes"] == 4
    # 120 decisions of 0.1 s in four episodes.
    assert taken["Game/episode_length_s"] == pytest.approx(3)
    assert taken["Game/truncated_share"] == pytest.approx(2 / 4)
    assert taken["Game/ended_by_goal"] == 2
    assert taken["Game/ended_by_goal_length_s"] == pytest.approx(3)
    assert taken["Game/ended_by_no_touch"] == 1
    assert taken["Game/ended_by_no_touch_length_s"] == pytest.approx(1)
    assert taken["Game/ended_by_broken"] == 1
    assert taken["Game/ended_by_broken_length_s"] == pytest.approx(5)
    assert taken["Game/ended_by_time_limit"] == 0
    assert math.isnan(taken["Game/ended_by_time_limit_length_s"])


def test_what_was_taken_is_gone_and_what_was_not_measured_is_nan() -> None:
    metrics = GameMetrics(("touch",), np.ones(1, np.float32), 8)
    metrics.add_rewards(np.ones((1, 1, 2), np.float32), np.ones(2, np.float32))
    metrics.add_ends(np.array([10, 10, 10, 10]), causes(*list(Cause)[1:]))
    play(metrics, GameState(1, TEAMS), Events.none(1, 2), 3)
    first, second = metrics.cut().measure(), metrics.cut().measure()
    assert first.keys() == second.keys()
    ends = {"Game/ended_by_" + why for why in ("goal", "no_touch", "time_limit", "broken")}
    counts = {"Collect/episodes", *ends}
    assert not any(math.isnan(value) for value in first.values())
    assert all(second[name] == 0 for name in counts)
    assert all(math.isnan(second[name]) for name in second.keys() - counts)


def test_what_another_counted_is_absorbed_as_if_counted_here_and_gone_there() -> None:
    """Against one that counted it all, of two games with teams of other sizes."""
    weights = np.array([2], np.float32)
    both, first, second = (GameMetrics(("touch",), weights, 8) for _ in range(3))
    for metrics, teams in ((first, TEAMS), (second, (0, 0, 1))):
        state, events = GameState(2, teams), Events.none(2, len(teams))
        state.velocity[:], state.boost[:] = len(teams), 10 * len(teams)
        events.touched[0], events.goal[1] = True, 1
        values = np.full((1, 2, len(teams)), len(teams), np.float32)
        ends = np.array([len(teams)]), causes(Cause.GOAL if metrics is first else Cause.NO_TOUCH)
        for counted in (metrics, both):
            counted.add_play(state, events)
            counted.add_rewards(values, 2 * values)
            counted.add_ends(*ends)
    first.absorb(second)
    np.testing.assert_equal(first.cut().measure(), both.cut().measure())
    assert second.cut().measure()["Collect/episodes"] == 0
    # By hand: (2 decisions + 3) / 2 episodes, of 1/15 s.
    first.add_ends(np.array([2]), causes(Cause.GOAL))
    second.add_ends(np.array([3]), causes(Cause.GOAL))
    first.absorb(second)
    assert first.measure()["Game/episode_length_s"] == pytest.approx(2.5 / 15)
    assert first.cut().measure()["Collect/episodes"] == 2
