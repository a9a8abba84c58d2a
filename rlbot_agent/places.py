"""Who stands where in an observation: the own car, then mates, then opponents.

Knows no numbers. Tested by `tests/rlbot_agent/test_places.py`.
"""

from typing import NamedTuple


class Places(NamedTuple):
    """Equal blocks of neighbouring columns for cars of one kind, who may trade their places."""

    start: int
    """First column of the first block."""
    number: int
    """Blocks."""
    width: int
    """Columns of a block."""


def mates_then_opponents(start: int, size: int, width: int) -> tuple[Places, Places]:
    """Blocks for the mates of a car in a team of `size` from column `start` on, then opponents."""
    return Places(start, size - 1, width), Places(start + (size - 1) * width, size, width)


def others_of(teams: tuple[int, ...], agent: int) -> tuple[list[int], list[int]]:
    """The mates and the opponents of car `agent`, each in the order of their index."""
    mates = [car for car in range(len(teams)) if teams[car] == teams[agent] and car != agent]
    opponents = [car for car in range(len(teams)) if teams[car] != teams[agent]]
    return mates, opponents


def largest_team(teams: tuple[int, ...], max_team_size: int) -> int:
    """N, the cars of a team that there are places for; `max_team_size` 0 takes the larger team.

    Raises:
        ValueError: When a team has more cars than a `max_team_size` above 0.
    """
    largest = max(teams.count(team) for team in set(teams))
    if max_team_size and largest > max_team_size:
        raise ValueError(f"a team of {largest} cars does not fit max_team_size {max_team_size}")
    return max_team_size or largest


def padded(cars: list[int], count: int) -> list[int | None]:
    """`cars` on `count` places, None where nobody is."""
    return [*cars, *[None] * (count - len(cars))]
