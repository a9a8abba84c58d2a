"""What a person wrote on a checkpoint: a name, and whether it is pinned, so that it stays.

Lies in mark.json beside the files that are hashed, so a checkpoint stays whole whatever is written
on it. Knows nothing of what a checkpoint holds. Standard library only. Tested by
`tests/trainer/test_checkpoint_marks.py`.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from trainer.files import write_atomic

MARK = "mark.json"
LONGEST_NAME = 40
"""Characters."""


@dataclass(frozen=True)
class Mark:
    """What is written on one checkpoint."""

    name: str = ""
    """What a person calls it; empty when nobody does."""
    pinned: bool = False
    """Never pruned, and not counted among those that are kept."""
    damaged: bool = False
    """What was written cannot be read; it is then pinned, because it may have been."""


def checked_name(name: str) -> str:
    """`name` without blanks around it.

    Raises:
        ValueError: When it is not short plain text; the message is a sentence.
    """
    name = name.strip()
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise ValueError(
            f"a checkpoint's name is one line of up to {LONGEST_NAME} characters, not {name!r}"
        )
    return name


def read_mark(folder: Path) -> Mark:
    """What is written on the checkpoint `folder`; damage is taken for a pin."""
    try:
        record = json.loads((folder / MARK).read_bytes())
        name, pinned = record["name"], record["pinned"]
        if not isinstance(pinned, bool):
            raise TypeError
        return Mark(checked_name(name), pinned)
    except FileNotFoundError:
        return Mark()
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return Mark(pinned=True, damaged=True)


def write_mark(folder: Path, mark: Mark) -> None:
    """Write `mark` on the checkpoint `folder`, whole or not at all.

    Raises:
        OSError: When the disk refuses, or somebody removed the checkpoint.
        ValueError: When its name is not short plain text.
    """
    record = {"name": checked_name(mark.name), "pinned": mark.pinned}
    write_atomic(folder / MARK, json.dumps(record).encode())
