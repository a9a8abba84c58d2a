from rich.style import Style

from tests.tui.rated import CHASER, RANDOM, version
from tui.plot_style import Inks
from tui.widgets.rating_chart import draw

INKS = Inks((Style(color="blue"),), (Style(color="red"),), *[Style.null()] * 4, ascii_only=True)


def lines(*players: object, size: tuple[int, int] = (40, 10)) -> list[str]:
    return [strip.text for strip in draw(players, size, INKS)]  # type: ignore[arg-type]


def test_anchors_are_lines_across_with_their_words_and_the_scale_reaches_them() -> None:
    found = lines(version(10, 100.0, 0.0), version(20, 200.0, 0.0), RANDOM, CHASER)
    assert found[0][9:].startswith("- chaser 400 ---")
    assert found[7][9:].startswith("- random 0 ---")
    # 100 and 200 of 400 stand a quarter and half of the way up, from 10 of 20 steps on.
    curve = {row: line for row, line in enumerate(found[:8]) if "*" in line}
    assert set(curve) <= {3, 4, 5}
    assert min(line.index("*") for line in curve.values()) >= 9 + 15


def test_the_band_reaches_two_deviations_to_either_side_and_no_further() -> None:
    found = lines(version(1, 0.0, 50.0), version(20, 0.0, 50.0))
    # The scale is from -100 to 100: the band fills it, but for the row of the curve.
    assert all("." in line or "*" in line for line in found[:8])
    assert not any("." in line[9:] for line in lines(version(1, 0.0, None), version(2, 9.0, None)))


def test_one_version_is_a_dot_at_its_steps() -> None:
    found = lines(version(20, 200.0, 0.0), RANDOM, CHASER)
    dots = [(row, line.rindex("*")) for row, line in enumerate(found) if "*" in line]
    assert len(dots) == 1
    assert dots[0][1] == 39


def test_versions_and_anchors_come_in_any_order() -> None:
    one, two = version(10, 100.0), version(20, 200.0)
    assert lines(one, two, RANDOM) == lines(RANDOM, two, one)
