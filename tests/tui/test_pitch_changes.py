"""What is painted anew, and how a row becomes pieces."""

from textual.geometry import Region

from tui.pitch_changes import changes
from tui.pitch_style import inked, strip, style

PLAIN, RED = style("#111111", "#222222"), style("#ff0000", "#222222")


def test_a_row_is_painted_from_its_first_to_its_last_difference() -> None:
    before = [inked("same", PLAIN), inked("a-----a", PLAIN), inked("xyz", PLAIN)]
    later = [inked("same", PLAIN), inked("ab---ba", PLAIN), inked("xyz", RED)]
    assert changes(before, later) == [Region(1, 1, 5, 1), Region(0, 2, 3, 1)]


def test_spaces_join_the_piece_beside_them_on_the_same_ground() -> None:
    row = [*inked("  ", PLAIN), *inked("ab", RED), *inked("  ", PLAIN), *inked("c", PLAIN)]
    assert [(part.text, part.style) for part in strip(row)] == [("  ab  ", RED), ("c", PLAIN)]


def test_spaces_keep_their_ground_and_their_underline() -> None:
    other, underlined = style("#ff0000", "#333333"), style("#ff0000", "#222222", underline=True)
    for look in (other, underlined):
        row = [*inked("a", RED), *inked(" ", look), *inked("b", RED)]
        assert [(part.text, part.style) for part in strip(row)] == [
            ("a", RED),
            (" ", look),
            ("b", RED),
        ]


def test_a_sign_of_two_cells_does_not_break_the_row() -> None:
    assert strip(inked("a漢b", PLAIN)).cell_length == 3
