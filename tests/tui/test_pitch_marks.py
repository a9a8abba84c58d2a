"""What lies and flies on the pitch: trails, pads, touches, noses, goals, and who is followed."""

import math
from dataclasses import replace

import pytest

from trainer.frames import ALL_PADS, CarFrame, Frame, Mind
from tui import pitch_keys
from tui.pitch_canvas import draw
from tui.pitch_field import PADS, View
from tui.pitch_recent import Recent, Touch, after
from tui.pitch_side import Extras
from tui.pitch_source import LIVE, RECORDED
from tui.pitch_style import GRASS, LIT, SMOKE, TEAM, Row

SIZE = (80, 24)
VIEW = View(80, 22)
CAR = CarFrame(0, 0.0, -2000.0, 17.0, math.pi / 2, 33.0, True, False, False)
FRAME = Frame(10.0, 0, 0, 0.0, 1000.0, 93.0, (CAR,), 0, True, rally=1)


def pitch(frame: Frame, recent: Recent | None = None, *, ascii_only: bool = False) -> list[Row]:
    """The rows of the pitch alone."""
    return draw(frame, *SIZE, recent, ascii_only=ascii_only)[1:-1]


def text(rows: list[Row]) -> str:
    return "\n".join("".join(ink.char for ink in row) for row in rows)


def colour(rows: list[Row], x: float, y: float) -> str | None:
    """Of the sign at a place of the field."""
    column, row = VIEW.cell(x, y)
    look = rows[row][column].style
    return look.color.name if look.color else None


def sign(rows: list[Row], x: float, y: float) -> str:
    column, row = VIEW.cell(x, y)
    return rows[row][column].char


def ground(rows: list[Row], x: float, y: float) -> str | None:
    column, row = VIEW.cell(x, y)
    look = rows[row][column].style
    return look.bgcolor.name if look.bgcolor else None


def flight() -> Recent:
    """The ball rolled along y = 1000 from x = -3000 to 0, and the car from y = -3000."""
    recent = Recent()
    for tick in range(91):
        time_s = tick / 60
        car = replace(CAR, y=-3000 + 1000 * time_s / 1.5)
        moved = replace(FRAME, time_s=time_s, ball_x=-3000 + 2000 * time_s, cars=(car,))
        recent = after(recent, moved)
    return recent


def test_the_balls_trail_fades_from_bright_and_dense_to_dark_and_sparse() -> None:
    recent = flight()
    assert recent.last is not None
    rows = pitch(recent.last, recent)
    # 2000 uu/s: fresh for the last half second, 1000 uu; old for the first.
    assert [colour(rows, x, 1000) for x in (-500, -1500, -2700)] == list(SMOKE)
    column = VIEW.cell(0, 1000)[0]
    dots = [ord(row[column].char) - 0x2800 for row in rows]
    lit = [bits.bit_count() if bits > 0 else 0 for bits in dots]
    # +x is up: the trail comes from below. Four dots a cell where it is fresh, one where it is old.
    fresh, old = VIEW.cell(-500, 1000)[1], VIEW.cell(-2700, 1000)[1]
    assert lit[fresh] == 4
    assert 1 <= lit[old] <= 2


def test_a_car_leaves_a_trail_in_its_colour_but_none_from_before_its_respawn() -> None:
    recent = flight()
    assert recent.last is not None
    assert colour(pitch(recent.last, recent), 0, -2230) == TEAM[0]
    gone = replace(
        recent,
        trail=tuple(
            replace(past, cars=(replace(past.cars[0], demolished=True),)) for past in recent.trail
        ),
    )
    assert sign(pitch(recent.last, gone), 0, -2230) == " "


def test_a_trail_lets_the_lines_of_the_field_through() -> None:
    recent = Recent()
    for tick in range(30):  # along the centre line
        moved = replace(
            FRAME, time_s=tick / 30, ball_x=-3000.0 + 100 * tick, ball_y=100.0, cars=(CAR,)
        )
        recent = after(recent, moved)
    assert recent.last is not None
    bare, trailed = pitch(recent.last), pitch(recent.last, recent)
    before, later = (ord(sign(rows, -1500, 0)) - 0x2800 for rows in (bare, trailed))
    assert before & later == before != later


def test_pads_are_there_or_taken() -> None:
    # 0 is a small pad, 15 and 18 are big ones.
    rows = pitch(replace(FRAME, pads=ALL_PADS & ~(1 << 15) & ~(1 << 31)))
    assert [sign(rows, *PADS[pad]) for pad in (0, 31, 18, 15)] == ["•", "·", "◆", "◇"]
    plain = pitch(replace(FRAME, pads=ALL_PADS & ~(1 << 15) & ~(1 << 31)), ascii_only=True)
    assert [sign(plain, *PADS[pad]) for pad in (0, 31, 18, 15)] == ["+", "-", "*", "o"]


def test_a_fresh_touch_is_a_ring_around_the_ball_in_the_teams_colour() -> None:
    touched = Recent(last=FRAME, touch=Touch(10.0, 1))
    rows, still = pitch(FRAME, touched), pitch(FRAME)

    def orange(rows: list[Row]) -> int:
        looks = [ink.style.color for row in rows for ink in row if ink.style.bold]
        return sum(look is not None and look.name == TEAM[1] for look in looks)

    assert orange(rows) >= 4 > orange(still) == 0
    assert "(@)" in text(pitch(FRAME, touched, ascii_only=True))
    assert "(@)" not in text(pitch(FRAME, ascii_only=True))


@pytest.mark.parametrize(
    ("pitch_rad", "mark"), [(0.5, "▴"), (-0.5, "▾"), (0.3, " "), (-0.3, " "), (0.0, " ")]
)
def test_a_steep_nose_has_a_mark_beside_the_car(pitch_rad: float, mark: str) -> None:
    rows = pitch(replace(FRAME, cars=(replace(CAR, pitch=pitch_rad),)))
    column, row = VIEW.cell(CAR.x, CAR.y)
    assert rows[row][column + 2].char == mark
    flying = replace(CAR, pitch=pitch_rad, z=800.0, on_ground=False)
    assert f"↑8{mark}" in text(pitch(replace(FRAME, cars=(flying,))))


def test_a_demolished_car_has_no_nose() -> None:
    gone = replace(CAR, pitch=1.0, demolished=True)
    assert not set("▴▾") & set(text(pitch(replace(FRAME, cars=(gone,)))))


def test_a_goal_is_a_banner_and_lights_the_half_where_it_fell() -> None:
    scored = Recent(last=FRAME, scored=0)
    rows = pitch(replace(FRAME, note="Blue scores"), scored)
    assert "B L U E   S C O R E S" in text(rows)
    assert "Blue scores" not in text(rows)
    assert "═" * 80 in text(rows)
    # Blue scores in orange's goal, at +y.
    assert [ground(rows, 2000, y) for y in (-4000, 4000)] == [GRASS[0], LIT[0]]
    assert [ground(pitch(FRAME), 2000, y) for y in (-4000, 4000)] == list(GRASS)


def test_the_followed_car_stands_in_brackets_and_is_marked_at_its_bar() -> None:
    mates = replace(FRAME, cars=(CAR, replace(CAR, x=2000.0)), mind=Mind(1, None, "", ()))
    rows = draw(mates, 140, 44)
    pitch_text = text(rows[1:-1])
    assert pitch_text.count("[→]") == 1
    assert pitch_text.count("→") == 2
    assert text(rows[-1:]).startswith("B ")
    assert text(rows[-1:])[70:].startswith("B▸")


def test_everything_has_a_sign_in_ascii() -> None:
    cars = tuple(
        replace(CAR, pitch=tilt, z=500.0, on_ground=False, boosting=True, x=500.0 * tilt)
        for tilt in (-1.0, 1.0)
    )
    mind = Mind(0, 0.5, "throttle 1", (("throttle 1", 0.43),))
    full = replace(FRAME, cars=cars, mind=mind, pads=3, names=("newest", "5.0M steps"))
    extras = Extras(pitch_keys.hints(LIVE | RECORDED), recording=True)
    for scored in (None, 1):
        recent = replace(flight(), last=full, touch=Touch(10.0, 0), scored=scored)
        recent = replace(recent, trail=())
        assert text(draw(full, 120, 40, recent, extras, ascii_only=True)).isascii()
