import pytest
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.color import Color
from textual.filter import LineFilter
from textual.widgets import Checkbox, DataTable, Footer, Input, ProgressBar, Static, Tree

from tui.terminal import AsciiFilter, ascii_only, spelled


@pytest.mark.parametrize(
    ("choice", "env", "encoding", "only"),
    [
        ("auto", {"TERM": "xterm-256color"}, "utf-8", False),
        ("auto", {"TERM": "xterm-256color"}, "UTF-8", False),
        ("auto", {"TERM": "xterm-256color"}, None, False),
        ("auto", {}, "utf-8", False),
        ("auto", {"TERM": "linux"}, "utf-8", True),
        ("auto", {"TERM": "vt220"}, "ANSI_X3.4-1968", True),
        ("auto", {"TERM": "xterm"}, "latin-1", True),
        ("auto", {"TEXTUAL_DRIVER": "web", "TERM": "linux"}, "ascii", False),
        (True, {"TERM": "xterm-256color"}, "utf-8", True),
        (False, {"TERM": "linux"}, "ascii", False),
    ],
)
def test_the_person_decides_then_the_browser_then_the_terminal(
    choice: bool, env: dict[str, str], encoding: str | None, only: bool
) -> None:
    assert ascii_only(choice, env, encoding) is only  # type: ignore[arg-type]  # a Literal


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("plain words, 3.5", "plain words, 3.5"),
        ("▁▂▃▄▅▆▇█", "_.-=+*%#"),
        ("╭──┬──╮", "+--+--+"),
        ("│ a │", "| a |"),
        ("━━╸ ╺──", "--- ---"),
        ("1.2k → 3.4k", "1.2k > 3.4k"),
        ("café – naïve…", "cafe - naive~"),
        ("東京", "????"),
        # Braille: no dot, all dots, the upper rows, the lower ones, one above, one below.
        ("\u2800\u28ff\u281b\u28e4\u2801\u2880", " :'.'."),
    ],
)
def test_each_sign_has_a_spelling_as_wide_as_itself(text: str, plain: str) -> None:
    assert spelled(text) == plain
    assert cell_len(plain) == cell_len(text)


def test_whatever_unicode_has_comes_out_as_ascii_and_as_wide() -> None:
    for code in (*range(0x20, 0x3000), *range(0x1F300, 0x1F700)):
        char = chr(code)
        if char.isprintable():
            assert spelled(char).isascii(), hex(code)
            assert cell_len(spelled(char)) == cell_len(char), hex(code)


def test_a_bar_that_is_higher_never_looks_like_one_that_is_lower() -> None:
    assert len({spelled(bar) for bar in "▁▂▃▄▅▆▇█"}) == 8


def test_the_filter_keeps_styles_and_control_codes() -> None:
    red = Style(color="red")
    code = Segment("…", None, [])
    before = [Segment("a→b", red), Segment("·"), Segment("…", red, [(1,)])]  # type: ignore[list-item]
    after = AsciiFilter().apply([*before, code], Color(0, 0, 0))
    assert after == [Segment("a>b", red), Segment("."), before[2], Segment("~")]


class Everything(App[None]):
    """Widgets of Textual that draw with more than ASCII."""

    CSS = "Static { border: round red; } Input { border: tall red; }"

    def compose(self) -> ComposeResult:
        yield Static("⣿⡇ ▂▅█ é")
        yield Input(placeholder="…")
        yield Checkbox("yes", True)
        yield ProgressBar(10)
        tree: Tree[None] = Tree("root")
        tree.root.add("branch").add_leaf("leaf")
        tree.root.expand_all()
        yield tree
        yield DataTable()
        yield Footer()

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), AsciiFilter()]


async def test_whole_screens_of_widgets_come_out_in_ascii() -> None:
    async with Everything().run_test(size=(60, 30)) as pilot:
        await pilot.pause()
        lines = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
    assert all(line.isascii() for line in lines)
    assert all(cell_len(line) == 60 for line in lines)
    assert any("+---" in line for line in lines)
