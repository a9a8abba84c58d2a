"""The dashboard's own copy of the field, beside the bot's."""

from rlbot_agent import field
from tui import pitch_field


def test_the_field_is_the_bots() -> None:
    assert pitch_field.SIDE_WALL == field.SIDE_WALL_X
    assert pitch_field.BACK_WALL == field.BACK_WALL_Y
    assert round(field.GOAL_HALF_WIDTH) == pitch_field.GOAL_HALF_WIDTH


def test_the_pads_are_the_bots_in_their_order() -> None:
    assert [list(pad) for pad in pitch_field.PADS] == field.PAD_POSITIONS.tolist()


def test_the_big_pads_are_in_the_corners_and_at_the_middle_of_the_side_walls() -> None:
    places = {pitch_field.PADS[index] for index in pitch_field.BIG_PADS}
    corners = {(x, y) for x in (-3072, 3072) for y in (-4096, 4096)}
    assert places == corners | {(-3584, 0), (3584, 0)}
