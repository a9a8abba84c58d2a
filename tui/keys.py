"""Every key of all pages, once: the footer, the command palette and README read this table.

Knows no screen; `app.py` has an `action_…` for each row. The digits are in `pages.py`. Tested by
`tests/tui/test_keys.py`.
"""

from dataclasses import dataclass

from textual.binding import Binding

from tui.pages import PAGES


@dataclass(frozen=True)
class Key:
    """One thing a person can ask for."""

    id: str
    """Name of the binding, and of the action that it runs."""
    key: str
    """The letter; its capital does the same."""
    label: str
    """Word in the footer and the command palette."""
    help: str
    """What happens, in one sentence."""


KEYS = (
    Key(
        "quit",
        "q",
        "Quit",
        "Finish the iteration, save and quit, or leave the training running; asks first.",
    ),
    Key("save", "s", "Save", "Save a checkpoint now, without stopping."),
    Key("viewer", "r", "Viewer", "Watch the newest policy play, live, or stop watching."),
    Key(
        "deterministic",
        "d",
        "Deterministic",
        "Let the viewer play the likeliest action, or sample as in training.",
    ),
    Key("help", "?", "Help", "Explain the page, what has the focus, and its keys; again to close."),
)


def bindings() -> list[Binding]:
    """Both tables as Textual wants them, with Ctrl-C and Ctrl-Q doing what Q does everywhere."""
    shown = [
        Binding(
            ",".join(dict.fromkeys((_named(key.key), _named(key.key.upper())))),
            key.id,
            key.label,
            key_display=key.key.upper(),
            tooltip=key.help,
            id=key.id,
        )
        for key in KEYS
    ]
    pages = [
        Binding(
            page.key,
            f"page({page.id!r})",
            page.label,
            show=False,
            tooltip=page.help,
            id=f"page.{page.id}",
        )
        for page in PAGES
    ]
    everywhere = Binding("ctrl+c,ctrl+q", "quit", show=False, priority=True, system=True)
    return [*shown, *pages, everywhere]


def _named(letter: str) -> str:
    return "question_mark" if letter == "?" else letter
