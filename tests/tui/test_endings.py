import math

from rich.style import Style

from trainer.metrics import IterationMetrics
from tui.endings import SUMMED, endings, picture

NONE = {"no_touch": (0.0, math.nan), "time_limit": (0.0, math.nan), "broken": (0.0, math.nan)}


def ended(**causes: tuple[float, float]) -> IterationMetrics:
    """An iteration by cause: how many episodes, and their mean length."""
    values: dict[str, float] = {}
    for cause, (count, length) in (NONE | causes).items():
        values[f"Game/ended_by_{cause}"] = count
        values[f"Game/ended_by_{cause}_length_s"] = length
    return IterationMetrics(1, 1, 0.0, values)


def test_iterations_are_taken_together_by_how_many_episodes_each_ended() -> None:
    window = [ended(goal=(1.0, 10.0), no_touch=(6.0, 12.0)), ended(goal=(3.0, 20.0))]
    goal, no_touch, time_limit, broken = endings(window)
    # 1 of 10 s and 3 of 20 s are 4 of 17.5 s; 4 of 10 episodes.
    assert goal == ("goal", 4.0, 0.4, 17.5)
    assert no_touch == ("no_touch", 6.0, 0.6, 12.0)
    assert (time_limit.episodes, time_limit.share) == (0.0, 0.0)
    assert math.isnan(broken.length_s)


def test_only_the_last_iterations_count() -> None:
    window = [ended(goal=(100.0, 1.0)), *[ended(no_touch=(1.0, 5.0))] * SUMMED]
    assert [ending.episodes for ending in endings(window)] == [0.0, SUMMED, 0.0, 0.0]


def test_nothing_has_ended_in_a_run_without_iterations_or_of_an_older_trainer() -> None:
    for window in ([], [IterationMetrics(1, 1, 0.0, {})]):
        found = endings(window)
        assert all(math.isnan(ending.share) for ending in found)
        assert picture(found, 80, Style(), Style()).plain == "No episode has ended yet."


def test_a_bar_is_as_long_as_its_share() -> None:
    window = [ended(goal=(1.0, 65.0), no_touch=(3.0, 10.0))]
    lines = picture(endings(window), 74, Style(), Style()).plain.splitlines()
    # 74 columns leave 20 for bars: 5 and 15.
    assert lines[0] == f"{'a goal':<24}{'█' * 5:<20}  25.0%       1    1m05s each"
    assert lines[1] == f"{'nobody touched the ball':<24}{'█' * 15:<20}  75.0%       3      10s each"
    assert lines[3].split() == ["the", "physics", "broke", "0.0%", "0"]


def test_a_bar_knows_eighths_of_a_column() -> None:
    window = [ended(goal=(1.0, 1.0), no_touch=(15.0, 1.0))]
    line = picture(endings(window), 58, Style(), Style()).plain.splitlines()[0]
    # A sixteenth of 4 columns is a quarter of one.
    assert line[24:28] == "▎   "


def test_a_narrow_screen_keeps_the_numbers() -> None:
    lines = picture(endings([ended(goal=(1.0, 1.0))]), 30, Style(), Style()).plain.splitlines()
    assert lines[0] == f"{'a goal':<24} 100.0%       1       1s each"
