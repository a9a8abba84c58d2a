import pytest

from tui.plot_ticks import Tick, clock, linear, logarithmic, span


def words(ticks: list[Tick]) -> list[str]:
    return [tick.words for tick in ticks]


@pytest.mark.parametrize(
    ("low", "high", "wanted", "expected"),
    [
        (0.0, 1.0, 2, ["0", "0.5", "1.0"]),
        (0.0, 5e9, 3, ["0", "2B", "4B"]),
        (1.204e9, 1.2046e9, 3, ["1.2040B", "1.2042B", "1.2044B", "1.2046B"]),
        (-0.03, 0.03, 3, ["-0.02", "0", "0.02"]),
        (17_000, 18_500, 2, ["17k", "18k"]),
        (17_000, 18_400, 4, ["17.0k", "17.5k", "18.0k"]),
        (0.00012, 0.00048, 2, ["2e-4", "4e-4"]),
        (0.018, 0.122, 2, ["0.05", "0.10"]),
        (0.0, 2e18, 2, ["0", "1e18", "2e18"]),
    ],
)
def test_ticks_are_round_and_have_the_decimals_that_tell_them_apart(
    low: float, high: float, wanted: int, expected: list[str]
) -> None:
    assert words(linear(low, high, wanted)) == expected


@pytest.mark.parametrize("power", [-40, -3, 0, 5, 40])
@pytest.mark.parametrize("wanted", [2, 3, 7])
def test_ticks_are_about_as_many_as_wanted_and_never_alike(power: int, wanted: int) -> None:
    for low, high in ((0.0, 1.0), (-3.3, 7.9), (10.0, 10.7), (0.999, 1.001)):
        ticks = linear(low * 10.0**power, high * 10.0**power, wanted)
        assert 2 <= len(ticks) <= max(wanted + 1, 3)
        assert len(set(words(ticks))) == len(ticks)


def test_logarithmic_ticks_are_powers_of_ten_or_round_numbers_between_two() -> None:
    assert words(logarithmic(0.002, 300.0, 9)) == ["0.01", "0.1", "1", "10", "100"]
    assert words(logarithmic(1e-9, 1e9, 3)) == ["1e-9", "0.01", "100k"]
    assert words(logarithmic(2.0, 8.0, 3)) == ["2", "4", "6", "8"]


def test_time_is_marked_at_round_hours_and_minutes() -> None:
    hour = 3600.0
    assert words(clock(0, 2 * hour, 4)) == ["0", "30m", "1h", "1h30m", "2h"]
    assert words(clock(0, 90, 3)) == ["0", "30s", "1m", "1m30s"]
    assert words(clock(0, 100 * hour, 3)) == ["0", "2d", "4d"]
    assert words(clock(1000, 7100, 1)) == ["30m", "1h", "1h30m"]
    assert words(clock(0, 1.0, 2)) == ["0s", "0.5s", "1.0s"]


def test_a_span_leaves_out_the_units_it_has_none_of() -> None:
    assert [span(s) for s in (0, 59.7, 3600, 90_061)] == ["0", "1m", "1h", "1d1h1m1s"]
