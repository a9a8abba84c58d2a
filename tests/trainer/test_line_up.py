import numpy as np
import pytest

from trainer.config_sim import SimConfig
from trainer.line_up import NOBODY, Sides, draw_teams, old_columns, old_rows, sides_of
from trainer.self_play import learned


def sim(modes: dict[str, float], arenas: int) -> SimConfig:
    return SimConfig.model_validate({"modes": modes, "arenas": arenas})


def lists(sides: list[Sides]) -> list[tuple[list[int], list[int]]]:
    return [(side.blue.tolist(), side.orange.tolist()) for side in sides]


def test_neighbouring_arenas_are_a_group_and_a_team_is_its_cars_in_each() -> None:
    # Cars of 1v1 alternate: blue, orange.
    assert lists(sides_of(sim({"1v1": 1}, 5), groups=2)) == [
        ([0, 2, 4], [1, 3, 5]),
        ([6, 8], [7, 9]),
    ]


def test_a_group_may_hold_arenas_of_several_modes() -> None:
    # 1v2: agents 0-2 and 3-5; then 2v2: 6-9 and 10-13.
    found = sides_of(sim({"1v2": 1, "2v2": 1}, 4), groups=2)
    assert lists(found) == [([0, 3], [1, 2, 4, 5]), ([6, 7, 10, 11], [8, 9, 12, 13])]
    (one,) = sides_of(sim({"1v2": 1, "2v2": 1}, 4), groups=1)
    assert one.blue.tolist() == [0, 3, 6, 7, 10, 11]


def test_there_are_never_more_groups_than_arenas_and_every_agent_is_in_one() -> None:
    shapes = [({"1v1": 1}, 3), ({"2v2": 3, "1v1": 1}, 9), ({"3v1": 1, "1v1": 1}, 2)]
    for modes, arenas in shapes:
        for groups in (1, 2, 4, 50):
            some = sim(modes, arenas)
            sides = sides_of(some, groups)
            assert len(sides) == min(groups, arenas)
            everybody = np.concatenate([agents for side in sides for agents in side])
            assert sorted(everybody.tolist()) == list(range(some.agents))


def test_only_the_drawn_team_of_the_drawn_groups_is_not_learned_from() -> None:
    sides = sides_of(sim({"1v1": 1}, 5), groups=3)  # agents 0-3, 4-7, 8-9
    rows = old_rows(old_columns(sides, (1, NOBODY, 0)))
    assert rows.groups.tolist() == [0, 2]
    # The last group has one arena less: its first agent stands twice.
    assert rows.agents.tolist() == [[1, 3], [8, 8]]
    expected = [True, False, True, False, True, True, True, True, False, True]
    assert learned(rows, 10).tolist() == expected


def test_where_nobody_is_drawn_all_is_learned_from() -> None:
    sides = sides_of(sim({"1v1": 1}, 5), groups=2)
    rows = old_rows(old_columns(sides, (NOBODY, NOBODY)))
    assert (len(rows.groups), rows.agents.size) == (0, 0)
    assert learned(rows, 10).all()
    assert learned(old_rows([]), 10).all()


def test_chance_0_draws_nobody_and_chance_1_everybody() -> None:
    rng = np.random.default_rng(0)
    assert set(draw_teams(0.0, 1000, rng)) == {NOBODY}
    assert set(draw_teams(1.0, 1000, rng)) == {0, 1}


@pytest.mark.parametrize("chance", [0.2, 0.5])
def test_groups_are_drawn_as_often_as_the_chance_says_and_teams_alike(chance: float) -> None:
    draws = 40_000
    teams = np.array(draw_teams(chance, draws, np.random.default_rng(1)))
    met = int((teams != NOBODY).sum())
    # Five standard deviations of a binomial: sqrt(n·p·(1 − p)).
    assert abs(met - draws * chance) < 5 * (draws * chance * (1 - chance)) ** 0.5
    assert abs((teams == 0).sum() - met / 2) < 5 * (met / 4) ** 0.5


def test_whom_a_group_meets_does_not_move_the_draws_after_it() -> None:
    one, other = (np.random.default_rng(2) for _ in range(2))
    draw_teams(0.1, 7, one)
    draw_teams(0.9, 7, other)
    assert one.random() == other.random()
