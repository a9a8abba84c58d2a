from dataclasses import fields

import numpy as np
import pytest

from rlbot_agent.rotation import axes_from_angles
from trainer.config import LaterResets, ResetsConfig
from trainer.resets import (
    KICKOFF_SLOTS,
    Starts,
    draw_starts,
    kickoff_starts,
    random_starts,
    weights_at,
)

TEAMS = (0, 0, 0, 1, 1, 1)
MANY = 400


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def is_kickoff(starts: Starts) -> np.ndarray:
    """(M,) whether the ball lies at rest on the centre spot."""
    at_centre = (starts.ball_position == np.float32((0, 0, 93.15))).all(axis=1)
    return at_centre & (starts.ball_velocity == 0).all(axis=1)


def test_a_kickoff_uses_the_games_places_and_no_place_twice() -> None:
    starts = kickoff_starts(MANY, TEAMS, rng())
    places = {(-2048, -2560), (2048, -2560), (-256, -3840), (256, -3840), (0, -4608)}
    used = set()
    for cars in starts.car_position[:, :3, :2].astype(int).tolist():
        blue = {tuple(car) for car in cars}
        assert len(blue) == 3
        used |= blue
    assert used == places
    assert (starts.car_position[..., 2] == 17).all()
    assert is_kickoff(starts).all()
    np.testing.assert_allclose(starts.car_boost, 33.33, atol=0.01)


def test_orange_starts_a_kickoff_where_blue_does_turned_by_180_degrees() -> None:
    starts = kickoff_starts(MANY, TEAMS, rng())
    x_y = starts.car_position[..., :2]
    np.testing.assert_array_equal(x_y[:, 3:], -x_y[:, :3])
    forward = axes_from_angles(starts.car_rotation).forward
    np.testing.assert_allclose(forward[:, 3:, :2], -forward[:, :3, :2], atol=1e-6)


def test_every_kickoff_car_faces_the_ball() -> None:
    starts = kickoff_starts(MANY, TEAMS, rng())
    forward = axes_from_angles(starts.car_rotation).forward
    to_ball = -starts.car_position * (1, 1, 0)
    to_ball /= np.linalg.norm(to_ball, axis=-1, keepdims=True)
    # Corner places look 45 degrees inward, the ball lies at atan(2560 / 2048) = 51 degrees.
    assert ((forward * to_ball).sum(axis=-1) > 0.99).all()


def test_interleaved_teams_start_on_their_own_side() -> None:
    starts = kickoff_starts(MANY, (0, 1, 0, 1), rng())
    assert (np.sign(starts.car_position[..., 1]) == (-1, 1, -1, 1)).all()


def test_four_cars_a_team_find_places() -> None:
    teams = (0,) * 4 + (1,) * 4
    assert len(KICKOFF_SLOTS) == 5
    positions = kickoff_starts(MANY, teams, rng()).car_position
    assert all(len({tuple(car) for car in cars}) == 8 for cars in positions.tolist())


def test_no_two_objects_of_a_random_start_are_within_250_uu() -> None:
    starts = random_starts(MANY, TEAMS, 0.5, rng())
    objects = np.concatenate((starts.ball_position[:, None], starts.car_position), axis=1)
    closest = min(
        float(np.linalg.norm(objects[:, a] - objects[:, b], axis=-1).min())
        for a in range(7)
        for b in range(a)
    )
    assert 250 <= closest < 400


def test_random_starts_stay_inside_the_field_and_within_what_the_game_allows() -> None:
    starts = random_starts(MANY, TEAMS, 0.5, rng())
    for positions in (starts.ball_position, starts.car_position):
        assert (np.abs(positions[..., 0]) <= 3500).all()
        assert (np.abs(positions[..., 1]) <= 4000).all()
        assert (positions[..., 2] <= 1820).all()
    assert np.linalg.norm(starts.ball_velocity, axis=-1).max() <= 4000
    assert 2200 < np.linalg.norm(starts.car_velocity, axis=-1).max() <= 2300
    assert 5 < np.linalg.norm(starts.car_angular_velocity, axis=-1).max() <= 5.5
    assert 0 <= starts.car_boost.min() < 5
    assert 95 < starts.car_boost.max() <= 100


def test_the_chance_of_flying_holds_for_cars_and_ball() -> None:
    starts = random_starts(MANY, TEAMS, 0.3, rng())
    cars, balls = starts.car_position[..., 2] > 17, starts.ball_position[:, 2] > 93.2
    # 2,400 cars and 400 balls: three standard deviations are 0.028 and 0.069.
    assert cars.mean() == pytest.approx(0.3, abs=0.028)
    assert balls.mean() == pytest.approx(0.3, abs=0.069)
    assert (starts.car_position[..., 2][cars] >= 150).all()


def test_a_car_on_the_ground_is_level_and_drives_along_it() -> None:
    starts = random_starts(MANY, TEAMS, 0.5, rng())
    grounded = starts.car_position[..., 2] == 17
    assert grounded.any()
    assert (starts.car_rotation[grounded][:, (0, 2)] == 0).all()
    assert (starts.car_velocity[grounded][:, 2] == 0).all()
    assert (starts.car_angular_velocity[grounded] == 0).all()
    assert (starts.car_rotation[~grounded] != 0).all()


@pytest.mark.parametrize(("kickoff", "random", "share"), [(1, 0, 1), (0, 2, 0), (3, 1, 0.75)])
def test_the_mix_follows_the_weights(kickoff: float, random: float, share: float) -> None:
    config = ResetsConfig(kickoff=kickoff, random=random)
    drawn = is_kickoff(draw_starts(MANY, TEAMS, config, rng()))
    # Three standard deviations of 400 draws at 0.75 are 0.065.
    assert drawn.mean() == pytest.approx(share, abs=0.065)
    if share in (0, 1):
        assert drawn.mean() == share


def test_the_same_seed_draws_the_same_starts_and_another_seed_others() -> None:
    first, again, other = (draw_starts(8, TEAMS, ResetsConfig(), rng(seed)) for seed in (1, 1, 2))
    for field in fields(Starts):
        np.testing.assert_array_equal(getattr(first, field.name), getattr(again, field.name))
    assert (first.car_position != other.car_position).any()


def two_stored() -> Starts:
    """Two states that no other kind of start can be: balls 1900 uu high."""
    stored = random_starts(2, TEAMS, 0.5, rng())
    stored.ball_position[:] = [[1, 2, 1900], [3, 4, 1900]]
    stored.car_boost[:] = [[10], [20]]
    return stored


def test_stored_starts_are_drawn_whole_and_each_as_often_beside_the_other_kinds() -> None:
    config = ResetsConfig(kickoff=1, random=1, from_file=2, file="mine.jsonl")
    starts = draw_starts(MANY, TEAMS, config, rng(), stored=two_stored())
    first, second = (starts.ball_position == [x, x + 1, 1900] for x in (1, 3))
    first, second = first.all(axis=1), second.all(axis=1)
    # Three standard deviations of 400 draws at 1/4 are 0.065.
    for kind in (first, second, is_kickoff(starts)):
        assert kind.mean() == pytest.approx(0.25, abs=0.065)
    assert (starts.car_boost[first] == 10).all()
    assert (starts.car_boost[second] == 20).all()


def test_stored_starts_without_weight_are_never_drawn() -> None:
    config = ResetsConfig(file="mine.jsonl")
    starts = draw_starts(MANY, TEAMS, config, rng(), stored=two_stored())
    assert (starts.ball_position[:, 2] < 1900).all()


def test_drawing_stored_starts_leaves_them_as_they_were() -> None:
    config = ResetsConfig(kickoff=0, random=0, from_file=1, file="mine.jsonl")
    stored = two_stored()
    starts = draw_starts(MANY, TEAMS, config, rng(), stored=stored)
    starts.ball_position[:] = 0
    assert stored.ball_position.tolist() == [[1, 2, 1900], [3, 4, 1900]]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (0, (4, 1, 0)),
        (250, (3, 0.75, 0.5)),
        (500, (2, 0.5, 1)),
        (1000, (0, 0, 2)),
        (9000, (0, 0, 2)),
    ],
)
def test_weights_move_evenly_to_the_later_ones_and_stay_there(
    steps: int, expected: tuple[float, float, float]
) -> None:
    later = LaterResets(kickoff=0, random=0, from_file=2)
    config = ResetsConfig(kickoff=4, random=1, file="a", later_at_steps=1000, later=later)
    assert weights_at(config, steps) == expected


def test_weights_never_move_without_a_number_of_steps() -> None:
    config = ResetsConfig(kickoff=4, later=LaterResets(kickoff=0, random=7))
    assert weights_at(config, 10**9) == (4, 1, 0)


def test_the_starts_follow_the_weights_of_their_steps() -> None:
    config = ResetsConfig(random=0, later_at_steps=100, later=LaterResets(kickoff=0))
    shares = [
        is_kickoff(draw_starts(MANY, TEAMS, config, rng(), steps)).mean() for steps in (0, 25, 100)
    ]
    # Weights 1 : 0, then 0.75 : 0.25, then 0 : 1.
    assert (shares[0], shares[2]) == (1, 0)
    assert shares[1] == pytest.approx(0.75, abs=0.065)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"kickoff": 0, "random": 0}, "of resets are all 0"),
        (
            {"later_at_steps": 5, "later": {"kickoff": 0, "random": 0}},
            "of resets.later are all 0",
        ),
        ({"from_file": 2}, "resets.from_file is 2, but resets.file names none"),
        (
            {"later_at_steps": 5, "later": {"from_file": 2}},
            "resets.later.from_file is 2, but resets.file names none",
        ),
    ],
)
def test_weights_that_nothing_can_be_drawn_with_are_refused(
    settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        ResetsConfig.model_validate(settings)
