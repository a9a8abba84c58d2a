import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import Theme

from tests.tui.colours import BLIND, blend, contrast, distance, lab, linear
from tui import theme as themes
from tui.theme import THEMES

STYLES = Path(themes.__file__).parent
LEAST = 4.5
"""The contrast of text that WCAG 2.2 asks for (AA)."""
GROUNDS = ("background", "surface", "panel")
WORDS = ("foreground", "primary", "secondary", "accent", "success", "warning", "error")
TOLD_APART = (("team-blue", "team-orange"), ("success", "error"), ("primary", "accent"))

TEXT = re.compile(
    r"(?<![\w-])(?:(?:link-)?color|border-(?:sub)?title-color):\s*\$([\w-]+)(?:\s+(\d+)%)?"
)
"""What the styles give letters: a name of the theme, and how much of it."""
FAINT = re.compile(r"[^{}]*faint[^{}]*\{[^{}]*\}")
"""A rule for what is drawn faint behind something: no letters."""


def value(theme: Theme, name: str) -> str:
    found = theme.variables.get(name) or getattr(theme, name)
    assert isinstance(found, str)
    return found


def inks() -> Iterator[tuple[str, float]]:
    """The colour of every text in every stylesheet."""
    for path in sorted(STYLES.rglob("*.tcss")):
        for name, percent in TEXT.findall(FAINT.sub("", path.read_text())):
            yield name, float(percent or 100)


def test_contrast_is_what_hand_and_standard_say() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
    # 0x77 / 255 = 0.46667, ((0.46667 + 0.055) / 1.055) ** 2.4 = 0.18447; 1.05 / 0.23447 = 4.478
    assert contrast("#ffffff", "#777777") == pytest.approx(4.478, abs=1e-3)
    # Pure red on white: 1.05 / (0.2126 + 0.05)
    assert contrast("#ff0000", "#ffffff") == pytest.approx(3.9985, abs=1e-4)
    assert blend("#ffffff", "#000000", 50) == "#808080"


def test_lab_is_what_the_standard_says() -> None:
    assert lab(linear("#ffffff")) == pytest.approx((100, 0, 0), abs=0.02)
    # Published for sRGB's red under D65: 53.24, 80.09, 67.20
    assert lab(linear("#ff0000")) == pytest.approx((53.24, 80.09, 67.20), abs=0.05)


@pytest.mark.parametrize("eyes", BLIND)
def test_the_blind_see_greys_as_they_are(eyes: str) -> None:
    assert all(sum(row) == pytest.approx(1, abs=1e-5) for row in BLIND[eyes])


def test_the_blind_do_not_tell_red_from_green_as_others_do() -> None:
    others = distance("#d62728", "#2ca02c", "tritan")
    assert distance("#a04000", "#5a7000", "deutan") < 20 < others


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("ground", GROUNDS)
def test_every_word_is_readable_on_every_ground(name: str, ground: str) -> None:
    theme = THEMES[name]
    for word in (*WORDS, "team-blue", "team-orange"):
        assert contrast(value(theme, word), value(theme, ground)) >= LEAST, word


@pytest.mark.parametrize("name", THEMES)
def test_every_text_of_every_stylesheet_is_readable(name: str) -> None:
    theme = THEMES[name]
    known = {*WORDS, "team-blue", "team-orange"}
    faint = {
        f"${word} {percent:.0f}% on ${ground}: {ratio:.2f}"
        for (word, percent), ground in product(inks(), ("background", "surface"))
        if word in known
        and (
            ratio := contrast(
                blend(value(theme, word), value(theme, ground), percent), value(theme, ground)
            )
        )
        < LEAST
    }
    assert not faint


def test_the_stylesheets_are_found() -> None:
    assert ("foreground", 100.0) in set(inks())
    assert FAINT.sub("", "a { color: $x; }\n.b--faint-0 { color: $y 40%; } c {}") == (
        "a { color: $x; } c {}"
    )
    assert TEXT.findall("a { background: $x; color: $y 60%; border-title-color: $z; }") == [
        ("y", "60"),
        ("z", ""),
    ]


@pytest.mark.parametrize("name", ["safe-dark", "safe-light"])
@pytest.mark.parametrize("eyes", BLIND)
def test_the_colour_blind_tell_teams_and_good_from_bad_apart(name: str, eyes: str) -> None:
    theme = THEMES[name]
    for one, other in TOLD_APART:
        assert distance(value(theme, one), value(theme, other), eyes) > 40, (one, other)


def test_without_colour_all_is_grey_and_the_teams_differ_in_brightness() -> None:
    theme = THEMES["mono"]
    for name in (*WORDS, *GROUNDS, "team-blue", "team-orange"):
        colour = Color.parse(value(theme, name))
        assert colour.r == colour.g == colour.b
    assert contrast(value(theme, "team-blue"), value(theme, "team-orange")) > 2


@pytest.mark.parametrize("name", THEMES)
def test_each_theme_is_called_after_its_setting(name: str) -> None:
    assert THEMES[name].name == f"rlppo-{name}"
    assert set(THEMES[name].variables) == {"team-blue", "team-orange"}
