"""Every key of all pages, once: the footer, the command palette and README read this table.

Knows no screen; `app.py` has an `action_…` for each row. The digits are in `pages.py`. Tested by
`tests/tui/test_keys.py`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import Binding

from tui.pages import PAGES


@dataclass(frozen=True)
class Key:
    """One thing a person can ask for."""

    id: str
    """Name of the binding, and of the action that it runs."""
    key: str
    """The letter, whose capital does the same; or a key by its name."""
    label: str
    """Word in the footer and the command palette."""
    help: str
    """What happens, in one sentence."""
    shown: bool = True
    """Whether the footer has it, which has little room; the palette has all."""


KEYS = (
    Key(
        "quit",
        "q",
        "Quit",
        "Finish the iteration, save and quit, or leave the training running; asks first.",
    ),
    Key("save", "s", "Save", "Save a checkpoint now, without stopping."),
    Key("pause", "p", "Pause", "Let the trainer wait after this iteration, or go on."),
    Key("viewer", "r", "Viewer", "Watch the newest policy play, live, or stop watching."),
    Key(
        "deterministic",
        "d",
        "Deterministic",
        "Let the viewer play the likeliest action, or sample as in training.",
    ),
    Key("leave", "ctrl+d", "Detach", "Close the dashboard at once; the training goes on.", False),
    Key("help", "?", "Help", "Explain the page, what has the focus, and its keys; again to close."),
)


def bindings() -> list[Binding]:
    """Both tables as Textual wants them, with Ctrl-C and Ctrl-Q doing what Q does everywhere."""
    shown = [_binding(key, key.id) for key in KEYS]
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


def page_bindings(page: str, keys: Iterable[Key]) -> list[Binding]:
    """The keys of one page as Textual wants them; remapped by names such as "checkpoints.pin"."""
    return [_binding(key, f"{page}.{key.id}") for key in keys]


def _binding(key: Key, name: str) -> Binding:
    letters = dict.fromkeys((_named(key.key), _named(key.key.upper())))
    return Binding(
        ",".join(letters) if len(key.key) == 1 else key.key,
        key.id,
        key.label,
        show=key.shown,
        key_display=key.key.capitalize(),
        tooltip=key.help,
        id=name,
    )


def _named(letter: str) -> str:
    return {"?": "question_mark", "/": "slash"}.get(letter, letter)
