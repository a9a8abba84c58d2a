"""The drawn pitch, on exact strings, and what must hold at every size."""

import math
from dataclasses import replace

import pytest
from rich.style import Style
from textual.strip import Strip

from trainer.frames import CarFrame, Frame, notice
from tui.pitch_canvas import draw
from tui.pitch_style import strip

# Blue drives up the field on the ground with a third of its boost; orange flies toward blue, high.
BLUE = CarFrame(0, -1200.0, -3000.0, 17.0, math.pi / 2, 33.0, True, True, False)
ORANGE = CarFrame(1, 600.0, 2500.0, 610.0, -math.pi / 2, 100.0, False, False, False)
FRAME = Frame(83.25, 2, 1, 1800.0, -2500.0, 1190.0, (BLUE, ORANGE), 12_345_678, True)


def render(frame: Frame, width: int, height: int, *, ascii_only: bool = False) -> list[Strip]:
    return [strip(row) for row in draw(frame, width, height, ascii_only=ascii_only)]


def text(strips: list[Strip]) -> str:
    return "\n".join(strip.text.rstrip() for strip in strips)


def find(strips: list[Strip], char: str) -> tuple[int, int]:
    """Column and row of the only `char` of the pitch."""
    found = [
        (column, row)
        for row, strip in enumerate(strips[1:-1])
        for column, other in enumerate(strip.text)
        if other == char
    ]
    assert len(found) == 1, text(strips)
    return found[0]


WIDE = """\
 Blue 2  1 Orange  1:23    deterministic
        ⢀⡰⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉◆⠉⠉⠉⠉⠉⠉⠉⠉⠉⢆⡀
       ⢰⠁ ◆         ⡇        ◆ ⠈⡆
       ⢸     ⣶⣦ ↑12 ⡇           ⡇
     ⢀⣀⣸     ⠙⠋   ⢀⣀⣇⡀          ⣇⣀⡀
     ⢸ ⢸         ⢰⠉ ⡇⠉⡆   ⇐ ↑6  ⡇ ⡇
     ⢸ ⢸         ⠸⣀ ⡇⣀⠇         ⡇ ⡇
     ⠈⠉⢹ ⠒⠒ →     ⠈⠉⡏⠁          ⡏⠉⠁
       ⢸            ⡇           ⡇
       ⠸⡀ ◆         ⡇        ◆ ⢀⠇
        ⠈⠱⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀◆⣀⣀⣀⣀⣀⣀⣀⣀⣀⠎⠁
B ████▎········  33 O █████████████ 100"""

TALL = """\
 Blue 2  1 Orange  1:23
          ⡤⠤⠤⠤⠤⢤
   ⢀⣀⣀⣀⣀⣀⣀⣇⣀⣀⣀⣀⣸⣀⣀⣀⣀⣀⣀⡀
 ⢀⠔⠁                  ⠈⠢⡀
⡠⠊ ◆                  ◆ ⠑⢄
⡇                        ⢸
⡇                        ⢸
⡇          ⇓ ↑6          ⢸
⡇                        ⢸
⡇         ⢀⡤⠒⠲⠤⡀         ⢸
⡇        ⢠⠋    ⠸⡄        ⢸
⡏◆⠉⠉⠉⠉⠉⠉⠉⠙⣍⠉⠉⠉⠉⢹⠋⠉⠉⠉⠉⠉⠉⠉◆⢹
⡇         ⠈⠓⠤⠴⠒⠁         ⢸
⡇                        ⢸
⡇     ⣠⣶⡄ ↑12            ⢸
⡇     ⠘⠛⠁       ↑        ⢸
⡇               ⢠        ⢸
⠑⢄ ◆            ⠘     ◆ ⡠⠊
 ⠈⠢⡀                  ⢀⠔⠁
   ⠈⠉⠉⠉⠉⠉⠉⡏⠉⠉⠉⠉⢹⠉⠉⠉⠉⠉⠉⠁
          ⠓⠒⠒⠒⠒⠚
B ██····  33 O ██████ 100"""

ASCII = """\
 Blue 2  1 Orange  1:23  12.3M deterministic
         .............*............
       .. *           .          * ..
       .              .             .
       .      @  ^12  .             .
    ....            .....           ....
    .  .        Blue scores <O ^6   .  .
    .  .           .  . .           .  .
    .... ... B>     .....           ....
       .              .             .
       .              .             .
       .. *           .          * ..
         .............*............
B #####----------  33 O ############### 100"""


def test_a_wide_pitch_lies_with_blue_left() -> None:
    # 40 x 10 cells are 80 x 40 dots, so 2 * 4156 / 40 = 207.8 uu a dot. Blue at y = -3000 is 14.4
    # dots left of dot 40, in column 12; x = -1200 is 5.8 dots below dot 20, in the pitch's row 6.
    assert text(render(FRAME, 40, 12)) == WIDE


def test_a_tall_pitch_stands_with_blue_below() -> None:
    # 26 x 20 cells are 52 x 80 dots, so 2 * 4156 / 52 = 159.8 uu a dot. Blue at x = -1200 is 7.5
    # dots right of dot 26, in column 16; y = -3000 is 18.8 dots below dot 40, in row 14.
    assert text(render(FRAME, 26, 22)) == TALL


def test_a_terminal_without_unicode_is_drawn_in_ascii() -> None:
    assert text(render(replace(FRAME, note="Blue scores"), 44, 14, ascii_only=True)) == ASCII
    assert ASCII.isascii()


@pytest.mark.parametrize(("width", "height"), [(40, 10), (80, 24), (140, 45), (30, 40), (16, 5)])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_every_line_fills_the_width(width: int, height: int, ascii_only: bool) -> None:
    strips = render(replace(FRAME, note="wait " * 30), width, height, ascii_only=ascii_only)
    assert [strip.cell_length for strip in strips] == [width] * height


@pytest.mark.parametrize(("width", "height"), [(15, 20), (80, 4), (3, 1), (0, 0), (80, 0)])
def test_a_size_too_small_for_a_pitch_shows_what_fits_of_the_score(width: int, height: int) -> None:
    strips = render(FRAME, width, height)
    assert [strip.cell_length for strip in strips] == [width] * height
    assert "".join(strip.text for strip in strips).startswith(" Blue 2"[: width * height])


@pytest.mark.parametrize(
    ("yaw", "wide", "tall"),
    [
        # Seen from above with +y up, +x is left; lying down, +y is right and +x up.
        (0.0, "↑", "←"),
        (math.pi / 4, "↗", "↖"),
        (math.pi / 2, "→", "↑"),
        (math.pi, "↓", "→"),
        (-math.pi / 2, "←", "↓"),
        (-math.pi / 4, "↖", "↙"),
    ],
)
def test_a_car_points_where_its_nose_does(yaw: float, wide: str, tall: str) -> None:
    turned = replace(FRAME, cars=(replace(BLUE, yaw=yaw),))
    find(render(replace(turned, ball_z=93.0), 80, 24), wide)
    find(render(replace(turned, ball_z=93.0), 40, 40), tall)


def test_the_same_heading_of_orange_is_a_double_arrow() -> None:
    find(render(replace(FRAME, cars=(replace(BLUE, team=1),)), 80, 24), "⇒")


def test_a_demolished_car_is_a_cross_on_the_pitch_and_at_its_bar() -> None:
    strips = render(replace(FRAME, cars=(replace(BLUE, demolished=True), ORANGE)), 80, 24)
    find(strips, "×")
    assert strips[-1].text.startswith("×")


def test_a_jumping_car_shows_its_height_and_a_standing_one_none() -> None:
    low_ball = replace(FRAME, ball_z=93.0)
    jumping = replace(BLUE, z=140.0, on_ground=False)
    assert "↑1" in text(render(replace(low_ball, cars=(jumping,)), 80, 24))
    standing = text(render(replace(low_ball, cars=(replace(BLUE, yaw=0.0),)), 80, 24))
    assert "↑" in standing
    assert "↑0" not in standing


def test_the_ball_grows_as_it_rises() -> None:
    def dots(z: float) -> int:
        strips = render(replace(FRAME, ball_z=z, cars=(ORANGE,)), 120, 40)
        white = [part.text for strip in strips[1:-1] for part in strip if _is_white(part.style)]
        return sum((ord(char) - 0x2800).bit_count() for char in "".join(white) if char > "\u2800")

    assert 4 <= dots(93.0) < dots(1000.0) < dots(1900.0)


def test_a_ball_far_outside_is_not_drawn() -> None:
    lost = replace(FRAME, ball_x=1e9, ball_y=-1e9, cars=(replace(BLUE, x=-1e12),))
    assert len(render(lost, 80, 24)) == 24


def test_heights_at_the_right_edge_are_written_to_the_left() -> None:
    # 16 x 5: the goal's net nearly reaches column 16, so "↑12" does not fit to its right.
    strips = render(replace(FRAME, ball_x=0.0, ball_y=5900.0), 28, 8)
    assert "↑12" in text(strips)


def test_a_long_note_is_wrapped_over_the_pitch() -> None:
    shown = text(render(notice("The viewer ended (1): no collision meshes were found"), 40, 12))
    assert " The viewer ended (1): no collision\n" in shown
    assert "meshes were found" in shown


def test_an_empty_pitch_has_neither_ball_nor_bars() -> None:
    strips = render(notice("Starting the viewer…"), 40, 12)
    assert "⣶" not in text(strips)
    assert strips[-1].text.strip() == ""


@pytest.mark.parametrize(
    ("width", "right"),
    [
        (80, "policy of 12,345,678 steps, deterministic"),
        (60, "12.3M steps, deterministic"),
        (44, "12.3M deterministic"),
        (38, "deterministic"),
        (30, "1:23"),
    ],
)
def test_the_score_line_says_as_much_as_fits(width: int, right: str) -> None:
    head = render(FRAME, width, 12)[0].text.rstrip()
    assert head.startswith(" Blue 2  1 Orange  1:23")
    assert head.endswith(right)


def test_eight_cars_share_forty_columns() -> None:
    strips = render(replace(FRAME, cars=(BLUE,) * 4 + (ORANGE,) * 4), 40, 12)
    assert strips[-1].text == "B   33"[:5] * 4 + "O  100"[:5] * 4


def _is_white(style: Style | None) -> bool:
    return bool(style and style.color and style.color.name == "#ffffff")
