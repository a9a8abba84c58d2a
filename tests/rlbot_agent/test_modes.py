from rlbot_agent.modes import mode_of, teams_of


def test_blue_comes_first_in_name_and_cars() -> None:
    assert teams_of("1v3") == (0, 1, 1, 1)
    assert teams_of("2v1") == (0, 0, 1)


def test_a_match_is_named_whatever_the_order_of_its_cars() -> None:
    assert mode_of((1, 0, 1)) == "1v2"
    assert mode_of((0, 0)) == "2v0"
