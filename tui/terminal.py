"""What the terminal can show: whether it has more than ASCII, and how all else is spelled there.

One place decides (`ascii_only`) and one place spells (`AsciiFilter`, which Textual lays over every
line of every page): what draws knows of neither. Pure but for the filter. Tested by
`tests/tui/test_terminal_text.py`.
"""

import unicodedata
from collections.abc import Mapping
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.dom import DOMNode
from textual.filter import LineFilter

from tui.settings import AsciiChoice

ASCII_CLASS = "-ascii"
"""The class of the app while it draws with ASCII alone; styles may use it too."""
_BRAILLE = range(0x2800, 0x2900)
_UPPER_DOTS, _LOWER_DOTS = 0b00011011, 0b11100100  # bits of a braille cell's two upper rows, below
_BY_DOTS = {(False, False): " ", (True, False): "'", (False, True): ".", (True, True): ":"}
_BOX = range(0x2500, 0x2580)
_LIKE = {
    "_": "▁",
    ".": "▂░·•∙",
    "-": "▃–—−",
    "=": "▄▒",
    "+": "▅✚±",
    "*": "▆●◉◆★✱",
    "%": "▇",
    "#": "█▓■▪▮",
    "o": "○◌◯◇°",
    "|": "▌▐▎▏▊▋▉▍▕▖▗▘▝",
    "^": "▀▔↑▲△⏶⌃",
    "v": "↓▼▽⏷✓✔⌄",
    "<": "←◀◁◂‹⏴≤",
    ">": "→▶▷▸›⏵≥",
    "/": "↗↙÷╱",
    "\\": "↘↖╲",
    "x": "×✕✖✗✘",
    "8": "∞",
    "~": "…≈",
    '"': "“”„",
    "'": "‘’",
}
_SPELLED = {sign: plain for plain, signs in _LIKE.items() for sign in signs}
"""Signs by the one ASCII character that stands for them; eighths of a block keep their order."""


def ascii_only(choice: AsciiChoice, env: Mapping[str, str], encoding: str | None) -> bool:
    """Whether to draw with ASCII alone.

    Args:
        choice: What the person's settings say; "auto" looks at the terminal.
        env: The process's environment. A browser (`TEXTUAL_DRIVER`) shows everything; Linux's own
            console has neither braille nor all blocks.
        encoding: Of the output; None is taken for UTF-8.
    """
    if choice != "auto":
        return choice
    if "TEXTUAL_DRIVER" in env:
        return False
    return env.get("TERM") == "linux" or not (encoding or "utf-8").lower().startswith("utf")


def draws_ascii(app: DOMNode) -> bool:
    """Whether `app` draws with ASCII alone, for what looks better drawn so than spelled so."""
    return app.has_class(ASCII_CLASS)


@lru_cache(maxsize=4096)
def spelled(text: str) -> str:
    """`text` in ASCII, in as many cells: braille by its halves, é as e, what has no like as ?."""
    return text if text.isascii() else "".join(map(_spelled, text))


def _spelled(char: str) -> str:
    if char.isascii():
        return char
    if ord(char) in _BRAILLE:
        dots = ord(char) - _BRAILLE.start
        return _BY_DOTS[bool(dots & _UPPER_DOTS), bool(dots & _LOWER_DOTS)]
    plain = _SPELLED.get(char, "")
    if not plain and ord(char) in _BOX:
        return _box(unicodedata.name(char))
    plain = plain or unicodedata.normalize("NFKD", char)[:1]
    wide = cell_len(char)
    return plain if plain.isascii() and wide == 1 else "?" * wide


def _box(name: str) -> str:
    """A piece of a box by its name in Unicode: dashes, bars, and + where lines meet."""
    across = any(word in name for word in ("HORIZONTAL", "LEFT", "RIGHT"))
    upright = any(word in name for word in ("VERTICAL", "UP", "DOWN"))
    if across and upright:
        return "+"
    return "-" if across else "|"


class AsciiFilter(LineFilter):
    """Spells every line in ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same cells in the same styles; control codes stay."""
        return [
            part if part.control else Segment(spelled(part.text), part.style) for part in segments
        ]
