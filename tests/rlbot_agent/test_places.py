import pytest

from rlbot_agent.places import largest_team, others_of, padded


def test_others_are_mates_and_opponents_by_index() -> None:
    assert others_of((0, 1, 0, 1, 1), 2) == ([0], [1, 3, 4])
    assert others_of((0, 1, 0, 1, 1), 3) == ([1, 4], [0, 2])
    assert others_of((1,), 0) == ([], [])


def test_there_are_places_for_the_larger_team_or_for_as_many_as_asked() -> None:
    assert largest_team((0, 1, 1), 0) == 2
    assert largest_team((0, 1, 1), 3) == 3
    with pytest.raises(ValueError, match="2 cars does not fit max_team_size 1"):
        largest_team((0, 1, 1), 1)


def test_empty_places_come_last() -> None:
    assert padded([4, 2], 3) == [4, 2, None]
    assert padded([], 0) == []
