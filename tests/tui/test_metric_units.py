from tui.metric_units import by_unit, unit_of


def test_what_counts_the_same_thing_shares_a_unit_and_all_else_stands_alone() -> None:
    assert by_unit(
        [
            "Reward/total",
            "Loss/entropy",
            "Timing/update_s",
            "Reward/touch",
            "Reward/touch_share",
            "Loss/clipfrac",
            "Timing/save_s",
            "Loss/approx_kl",
        ]
    ) == {
        "reward per decision": ["Reward/total", "Reward/touch"],
        "Loss/entropy": ["Loss/entropy"],
        "seconds": ["Timing/update_s", "Timing/save_s"],
        "share, 0 to 1": ["Reward/touch_share", "Loss/clipfrac"],
        "Loss/approx_kl": ["Loss/approx_kl"],
    }


def test_a_name_is_read_without_its_group() -> None:
    assert unit_of("Update/learning_rate_actor") == unit_of("Update/learning_rate_critic")
    assert unit_of("Game/ended_by_goal") == "episodes"
    assert unit_of("Game/ended_by_goal_length_s") == "seconds"
    assert unit_of("Rating/1v1") == unit_of("Rating/1v1_sigma") == "points"
    assert unit_of("Rating/1v1_games") == "games"
    assert unit_of("Collect/old_opponent_share") == "share, 0 to 1"
    assert unit_of("bare") == "bare"
