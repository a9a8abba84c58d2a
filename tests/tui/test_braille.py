"""Dots land in the right cell at the right place, and nowhere outside."""

import io
import sys

import pytest

from tui.braille import Dots, ascii_only, merged


def test_the_eight_dots_of_a_cell_are_unicodes() -> None:
    # Unicode numbers the dots 1-3 down the left, 4-6 down the right, 7 and 8 below; dot n is bit
    # n - 1 above U+2800.
    order = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]
    for bit, (x, y) in enumerate(order):
        dots = Dots(1, 1)
        dots.plot(x, y)
        assert dots.cells() == {(0, 0): chr(0x2800 + (1 << bit))}


def test_dots_outside_the_grid_are_dropped() -> None:
    dots = Dots(2, 1)
    for place in ((-0.1, 0), (4, 0), (0, -0.1), (0, 4), (1e300, 0)):
        dots.plot(*place)
    assert dots.cells() == {}


def test_a_line_lights_both_ends_and_every_dot_between() -> None:
    dots = Dots(2, 1)
    dots.line((0.5, 0.5), (3.5, 0.5))
    assert dots.cells() == {(0, 0): "⠉", (1, 0): "⠉"}
    dots = Dots(1, 1)
    dots.line((0.5, 3.5), (0.5, 0.5))
    assert dots.cells() == {(0, 0): "⡇"}


def test_a_disc_is_filled_and_a_circle_is_not() -> None:
    # Radius 1.5 around the corner of four dots: centres at (0.5, 0.5), distance 0.71, are lit;
    # (1.5, 0.5), distance 1.58, are not.
    disc = Dots(2, 1)
    disc.disc(2.0, 2.0, 1.5)
    assert disc.cells() == {(0, 0): "⠰", (1, 0): "⠆"}
    circle = Dots(4, 2)
    circle.circle(4.0, 4.0, 3.5)
    assert len(circle.cells()) == 8
    assert all(char != "⣿" for char in circle.cells().values())


def test_merging_keeps_the_dots_of_both() -> None:
    assert merged("⠉", "⣀") == "⣉"


@pytest.mark.parametrize(
    ("term", "encoding", "expected"),
    [("xterm-256color", "utf-8", False), ("linux", "utf-8", True), ("xterm", "latin-1", True)],
)
def test_the_consoles_without_braille_are_known(
    monkeypatch: pytest.MonkeyPatch, term: str, encoding: str, expected: bool
) -> None:
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys, "__stdout__", io.TextIOWrapper(io.BytesIO(), encoding))
    assert ascii_only() is expected
