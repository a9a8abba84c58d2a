"""The column beside the pitch, on exact strings."""

from dataclasses import replace

from trainer.frames import CarFrame, Frame, Mind
from tui.pitch_canvas import draw
from tui.pitch_recent import Recent, after
from tui.pitch_side import WIDTH, Extras, side

CAR = CarFrame(0, 0.0, 0.0, 640.0, 0.0, 33.0, False, False, False)
MIND = Mind(
    car=1,
    value=0.4,
    action="throttle 1, steer -1, boost",
    likeliest=(("throttle 1, steer -1, boost", 0.5), ("throttle 1", 0.25), ("nothing", 0.01)),
)
FRAME = Frame(
    *(10.0, 0, 0, 0.0, 0.0, 93.0, (CAR, CAR, replace(CAR, team=1)), 5, True),
    names=("newest", "5.0M steps"),
    mind=MIND,
)
KEYS = Extras((("Space", "pause, play"), ("K", "next kickoff")))


def text(frame: Frame, height: int, extras: Extras = KEYS, recent: Recent | None = None) -> str:
    rows = side(frame, recent or Recent(last=frame), extras, height)
    assert [len(row) for row in rows] == [WIDTH] * height
    return "\n".join("".join(ink.char for ink in row).rstrip() for row in rows)


# Bars are 22 cells: half of them 11, a quarter 5.5, a hundredth 0.22 or two eighths.
WHOLE = """\
  Blue     newest
  Orange   5.0M steps

  ▸ Blue 2
  boost    33
  speed    1,000 uu/s 36 km/h
  height   6.4 m
  value    +0.40

  does
  throttle 1, steer -1, boost

  likeliest
  throttle 1, steer -1, boost
  ███████████···········   50%
  throttle 1
  █████▌················   25%
  nothing
  ▎·····················    1%

  Space    pause, play
  K        next kickoff"""


def moving() -> Recent:
    """At 1,000 uu/s."""
    earlier = replace(FRAME, time_s=9.9, cars=tuple(replace(car, x=100.0) for car in FRAME.cars))
    return after(after(Recent(), earlier), FRAME)


def test_it_says_who_plays_what_the_followed_car_does_and_which_keys_help() -> None:
    assert text(FRAME, 22, recent=moving()) == WHOLE


def test_the_keys_go_when_it_is_low_and_stand_at_the_bottom_when_it_is_high() -> None:
    low = text(FRAME, 21, recent=moving())
    assert "Space" not in low
    assert low.startswith("\n".join(WHOLE.splitlines()[:19]))
    assert text(FRAME, 10, recent=moving()) == "\n".join(WHOLE.splitlines()[:10])
    assert text(FRAME, 30).splitlines()[-2:] == WHOLE.splitlines()[-2:]


def test_two_of_five_actions_go_before_the_keys() -> None:
    five = replace(FRAME, mind=replace(MIND, likeliest=(("jump", 0.2),) * 5))
    # 13 lines, two for each action, one between and two keys.
    assert text(five, 26).count("jump") == 5
    assert (text(five, 25).count("jump"), "Space" in text(five, 25)) == (3, True)
    assert (text(five, 22).count("jump"), "Space" in text(five, 22)) == (3, True)
    assert (text(five, 21).count("jump"), "Space" in text(five, 21)) == (4, False)


def test_an_action_of_many_words_is_cut() -> None:
    long = replace(MIND, likeliest=(("throttle 1, steer -1, pitch -1, jump, boost", 0.2),))
    assert "\n  throttle 1, steer -1, pitch…\n" in text(replace(FRAME, mind=long), 22)


def test_a_car_that_nobody_thinks_for_has_no_value_and_no_actions() -> None:
    shown = text(replace(FRAME, mind=Mind(2, None, "", ())), 22)
    assert "▸ Orange\n" in shown
    assert "speed    –" in shown
    for word in ("value", "does", "likeliest"):
        assert word not in shown


def test_without_a_followed_car_only_the_players_and_the_keys_are_left() -> None:
    shown = text(replace(FRAME, mind=None), 22)
    players, keys = WHOLE.splitlines()[:2], WHOLE.splitlines()[-2:]
    assert [line for line in shown.splitlines() if line] == [*players, *keys]


def test_a_car_on_its_wheels_and_a_demolished_one_have_no_height() -> None:
    def height(**changes: bool) -> str:
        cars = (CAR, replace(CAR, **changes), CAR)  # type: ignore[arg-type]
        return text(replace(FRAME, cars=cars), 22).splitlines()[6]

    assert height(on_ground=True) == "  height   on its wheels"
    assert height(demolished=True) == "  height   demolished"


def test_a_recording_says_so() -> None:
    assert "● recording" in text(FRAME, 24, KEYS._replace(recording=True))
    assert "● recording" not in text(FRAME, 24)


def test_it_stands_beside_the_pitch_from_108_columns_and_16_lines_on() -> None:
    def has(width: int, height: int) -> bool:
        rows = draw(FRAME, width, height)
        assert [len(row) for row in rows] == [width] * height
        return any("▸ Blue 2" in "".join(ink.char for ink in row) for row in rows[1:-1])

    assert has(108, 16)
    assert not has(107, 40)
    assert not has(120, 15)
