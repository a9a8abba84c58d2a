from pathlib import Path

import numpy as np
import pytest

from trainer import reward_terms as terms
from trainer.config import RewardsConfig
from trainer.rewards import REWARDS, NamedReward, build_rewards, mixing_matrix

TEAMS = (0, 1)
NONE = RewardsConfig(**dict.fromkeys(REWARDS, 0.0))


def built(folder: Path, tick_skip: int, **weights: object) -> tuple[NamedReward, ...]:
    """What is paid when the config pays nothing but `weights`."""
    return build_rewards(NONE.model_copy(update=weights), folder, TEAMS, tick_skip)


def own_reward(folder: Path) -> str:
    (folder / "mine.py").write_text(
        "def constant(state, previous, events):\n    return state.boost * 0 + 7\n"
    )
    return "mine:constant"


def test_every_weight_of_the_config_has_its_reward() -> None:
    sharing = ["team_spirit", "opponent_scale"]
    assert [*REWARDS, *sharing, "custom"] == list(RewardsConfig.model_fields)
    assert [function.__name__ for function in REWARDS.values()] == list(REWARDS)


def test_rewards_without_weight_are_left_out_and_the_users_own_come_last(tmp_path: Path) -> None:
    custom = {own_reward(tmp_path): -0.5, "absent:ignored": 0.0}
    touch, concede = {"touch": 2.0}, {"concede": -3.0}
    first, second, own = built(tmp_path, 8, **touch, **concede, custom=custom)
    assert first == ("concede", -3, terms.concede)
    assert second == ("touch", 2, terms.touch)
    assert own[:2] == ("mine:constant", -0.5)


def test_by_default_a_goal_is_paid_and_one_conceded_is_fined() -> None:
    config = RewardsConfig()
    assert config.goal > 0 > config.concede


@pytest.mark.parametrize(("tick_skip", "lasting"), [(4, 0.5), (8, 1), (12, 1.5)])
def test_what_lasts_is_paid_by_the_tick_and_what_happens_by_the_event(
    tmp_path: Path, tick_skip: int, lasting: float
) -> None:
    weights = dict.fromkeys(REWARDS, 1.0)
    rewards = built(tmp_path, tick_skip, **weights, custom={own_reward(tmp_path): 1.0})
    by_the_tick = {
        *("velocity_player_to_ball", "velocity_ball_to_goal", "face_ball", "in_air", "save_boost"),
        *("velocity", "mine:constant"),
    }
    assert {reward.name: reward.weight for reward in rewards} == {
        name: lasting if name in by_the_tick else 1 for name in (*REWARDS, "mine:constant")
    }


def shared(
    teams: tuple[int, ...], own: list[float], team_spirit: float, opponent_scale: float
) -> list[float]:
    paid = mixing_matrix(teams, team_spirit, opponent_scale) @ np.array(own, np.float32)
    assert paid.dtype == np.float32
    return [pytest.approx(value, abs=1e-6) for value in paid.tolist()]


def test_by_default_each_car_keeps_exactly_what_it_earned() -> None:
    config = RewardsConfig()
    matrix = mixing_matrix((0, 0, 1, 1), config.team_spirit, config.opponent_scale)
    assert matrix.tolist() == np.eye(4).tolist()


def test_in_1v1_the_opponents_reward_is_taken_off_and_spirit_has_no_team_to_share_with() -> None:
    # 10 - 0.5 * 4 = 8, 4 - 0.5 * 10 = -1.
    assert shared((0, 1), [10, 4], 0, 0.5) == [8, -1]
    assert shared((0, 1), [10, 4], 0.7, 0.5) == [8, -1]


def test_in_2v2_mates_share_by_their_spirit_and_the_opponents_mean_is_taken_off() -> None:
    # Means: blue (8 + 0) / 2 = 4, orange (2 + 4) / 2 = 3. Spirit 0.25, scale 1:
    # 8 * 0.75 + 4 * 0.25 - 3 = 4, 0 + 1 - 3 = -2, 1.5 + 0.75 - 4 = -1.75, 3 + 0.75 - 4 = -0.25.
    # Together 0.
    assert shared((0, 0, 1, 1), [8, 0, 2, 4], 0.25, 1) == [4, -2, -1.75, -0.25]
    # The same cars in another order.
    assert shared((1, 0, 1, 0), [2, 8, 4, 0], 0.25, 1) == [-1.75, 4, -0.25, -2]


def test_with_full_spirit_a_team_is_paid_as_one() -> None:
    assert shared((0, 0, 1, 1), [8, 0, 2, 4], 1, 0) == [4, 4, 3, 3]


def test_uneven_teams_are_compared_by_their_means() -> None:
    # Means: blue (9 + 0 + 3) / 3 = 4, orange 6. Spirit 0.5, scale 0.5:
    # 4.5 + 2 - 3 = 3.5, 0 + 2 - 3 = -1, 1.5 + 2 - 3 = 0.5; 6 - 2 = 4.
    assert shared((0, 0, 0, 1), [9, 0, 3, 6], 0.5, 0.5) == [3.5, -1, 0.5, 4]


def test_a_team_without_cars_takes_nothing_off() -> None:
    assert shared((1, 1), [6, 2], 0.5, 1) == [5, 3]
