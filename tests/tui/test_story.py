import pytest

from trainer.control import Event, EventKind
from tui.story import chosen, line


def event(kind: EventKind, text: str) -> Event:
    return Event(1_700_000_062.0, kind, text, 1_003_520)


SAVED, WARNED = event("save", "saved a checkpoint"), event("warning", "KL is large; SAVE it")


@pytest.mark.parametrize(
    ("kind", "sought", "found"),
    [
        (None, "", (SAVED, WARNED)),
        ("save", "", (SAVED,)),
        ("warning", "checkpoint", ()),
        (None, "Save", (SAVED, WARNED)),
        (None, "kl is", (WARNED,)),
        (None, "warning", (WARNED,)),
    ],
)
def test_events_are_chosen_by_kind_and_by_words_in_any_case(
    kind: str | None, sought: str, found: tuple[Event, ...]
) -> None:
    assert chosen((SAVED, WARNED), kind, sought) == found


def test_an_event_reads_as_one_line() -> None:
    assert line(SAVED) == "2023-11-14 22:14:22  1,003,520 steps  save  saved a checkpoint"
