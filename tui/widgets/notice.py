"""Sentences in the middle of the screen: what a start waits for, and why a trainer is gone.

`waiting` is pure; the obituary is two texts, of which the lower one scrolls. Tested by
`tests/tui/widgets/test_notice.py`.
"""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from trainer.run_dir import Status

_PHASES = {
    "starting": "building arenas and networks…",
    "collecting": "collecting the first rollout…",
    "learning": "learning from the first rollout…",
    "saving": "saving…",
    "paused": "paused.",
    "stopped": "it stopped before its first iteration.",
    "failed": "it failed before its first iteration.",
}


def waiting(status: Status | None) -> str:
    """What is happening while there are no numbers yet."""
    if status is None:
        return "Starting: loading the trainer…"
    return f"Starting: {_PHASES.get(status.phase, status.phase)}"


class Obituary(Vertical):
    """That the trainer is gone, how to go on, and its last lines."""

    def compose(self) -> ComposeResult:
        """How to go on stays in sight; the last lines scroll."""
        yield Static(id="resume")
        with VerticalScroll():
            yield Static(id="last-words", markup=False)

    def show(self, last_words: Sequence[str], resume: str, *, started: bool) -> None:
        """Say what its output said last, and the command `resume`, by whether it ever `started`."""
        fate = "The trainer is gone." if started else "The trainer did not start."
        advice = "  Go on from its last save with" if started else "  Try again with"
        self.query_one("#resume", Static).update(
            Content.assemble(
                (fate, "bold $error"),
                f"{advice}\n\n",
                (f"  {resume}", "bold $primary"),
            )
        )
        said = "\n".join(last_words) or "It left no output here; the events may say why."
        self.query_one("#last-words", Static).update(said)
        self.call_after_refresh(self.query_one(VerticalScroll).scroll_end, animate=False)
