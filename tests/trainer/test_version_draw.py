import pytest

from trainer.ratings.table import Rated, Ratings
from trainer.version_draw import rating_weights, recent_weights, uniform_weights

VERSIONS = [100, 200, 300]


def ratings(**modes: dict[int, float]) -> Ratings:
    return Ratings(
        "openskill",
        30,
        0.0,
        {
            mode.removeprefix("m"): tuple(
                Rated(f"{steps:,}", "version", steps, rating, 10.0, 1, 0, 0)
                for steps, rating in found.items()
            )
            for mode, found in modes.items()
        },
    )


def test_uniform_weighs_all_alike() -> None:
    assert uniform_weights(VERSIONS).tolist() == [1, 1, 1]


def test_recent_takes_a_tenth_off_with_each_older_version() -> None:
    assert recent_weights(VERSIONS).tolist() == pytest.approx([0.81, 0.9, 1])


def test_an_equal_weighs_1_and_400_points_either_way_a_third() -> None:
    # Ten to one: p = 1/11, so 4 · 1/11 · 10/11 = 40/121.
    table = ratings(m1v1={100: -400, 200: 400, 300: 0})
    found = rating_weights(VERSIONS, table, ["1v1"])
    assert found.tolist() == pytest.approx([40 / 121, 40 / 121, 1])


def test_a_version_without_a_rating_yet_counts_as_equal() -> None:
    # The newest rated one of those that may be drawn is what today's policy is held to be.
    table = ratings(m1v1={100: 0, 200: 400, 9_000: 5_000})
    found = rating_weights(VERSIONS, table, ["1v1"])
    assert found.tolist() == pytest.approx([40 / 121, 1, 1])
    assert rating_weights(VERSIONS, table, ["2v2"]).tolist() == [1, 1, 1]


def test_of_several_modes_the_mean_counts() -> None:
    table = ratings(m1v1={100: 400, 300: 0}, m2v2={100: 7, 200: 400, 300: 7})
    found = rating_weights(VERSIONS, table, ["1v1", "2v2"])
    # The second is rated in one of them only, 393 points above the newest there.
    p = 1 / (1 + 10 ** (-393 / 400))
    assert found.tolist() == pytest.approx([(40 / 121 + 1) / 2, 4 * p * (1 - p), 1])


def test_however_far_apart_weights_are_finite() -> None:
    table = ratings(m1v1={100: -1e6, 200: 1e6, 300: 0})
    assert rating_weights(VERSIONS, table, ["1v1"]).tolist() == pytest.approx([0, 0, 1])
