import itertools
from typing import get_args

import pytest

from rlbot_agent.modes import mode_of, teams_of
from trainer.modes import Mode, share_arenas, team_sizes


def test_modes_are_all_pairs_of_one_to_four_cars() -> None:
    pairs = [team_sizes(mode) for mode in get_args(Mode)]
    assert pairs == list(itertools.product(range(1, 5), repeat=2))


def test_the_agent_reads_the_same_teams_out_of_a_mode() -> None:
    for mode in get_args(Mode):
        teams = teams_of(mode)
        assert (teams.count(0), teams.count(1)) == team_sizes(mode)
        assert mode_of(teams[::-1]) == mode


@pytest.mark.parametrize(
    ("arenas", "weights", "shares"),
    [
        (128, (1,), [128]),
        (8, (3, 1), [6, 2]),
        # 10/3 each: the first of equal remainders gets what is left.
        (10, (1, 1, 1), [4, 3, 3]),
        # 3.5, 2.1, 1.4: one is left, for the largest remainder.
        (7, (5, 3, 2), [4, 2, 1]),
        # 0.03 of an arena becomes one, and the other nine are shared 2 : 1.
        (10, (0.01, 2, 1), [1, 6, 3]),
        # 1.94, 0.97, 0.1: one for each of the small ones, which leaves one.
        (3, (2, 1, 0.1), [1, 1, 1]),
        (3, (0.1, 0.1, 0.1), [1, 1, 1]),
    ],
)
def test_arenas_are_shared_by_largest_remainder_with_one_at_least(
    arenas: int, weights: tuple[float, ...], shares: list[int]
) -> None:
    found = share_arenas(arenas, dict(zip(("1v1", "2v2", "1v2"), weights, strict=False)))  # type: ignore[arg-type]
    assert list(found.values()) == shares


def test_every_arena_is_used_and_no_share_is_an_arena_away_from_its_weight() -> None:
    for arenas, a, b, c in itertools.product((3, 5, 64, 97), (1, 2.5, 7), (1, 3), (1, 0.7)):
        found = share_arenas(arenas, {"1v1": a, "2v2": b, "3v3": c})
        assert sum(found.values()) == arenas
        assert min(found.values()) >= 1
        if arenas >= 64:
            exact = [arenas * weight / (a + b + c) for weight in (a, b, c)]
            assert all(abs(x - y) < 1 for x, y in zip(found.values(), exact, strict=True))
