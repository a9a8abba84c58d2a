"""Names of matches by their teams: "1v2" is one blue car against two orange ones.

Teams are 0 (blue) and 1 (orange). Loads nothing but the standard library. Tested by
`tests/rlbot_agent/test_modes.py`.
"""


def teams_of(mode: str) -> tuple[int, ...]:
    """Team of every car in the order of training: all blue cars, then all orange ones."""
    blue, orange = mode.split("v")
    return (0,) * int(blue) + (1,) * int(orange)


def mode_of(teams: tuple[int, ...]) -> str:
    """The mode of cars that belong to `teams`, in any order."""
    return f"{teams.count(0)}v{teams.count(1)}"
