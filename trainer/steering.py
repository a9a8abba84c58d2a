"""Steering a run from a command line: pause, resume, save, and the table of its checkpoints.

Asks the trainer through the run folder and waits until it has done so. Knows no torch and no
screen. Tested by `tests/trainer/test_steering.py`.
"""

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from trainer import jsonl
from trainer.asking import RefusedError, answer_to, is_trained, wait_for
from trainer.checkpoint_list import CheckpointInfo
from trainer.checkpoint_marks import Mark
from trainer.control import send, send_save
from trainer.run_dir import RunDir, Status, read_status

Say = Callable[[str], None]

_GOING = ("starting", "collecting", "learning")
"""Phases of a trainer that is not paused and does not end; a paused one may be "saving", too."""
_HEADINGS = ("steps", "iteration", "age", "size", "pinned", "name")
_SPANS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_SIZES = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def require_run(run: RunDir) -> None:
    """Refuse a folder that is no run.

    Raises:
        RefusedError: Naming the nearest run beside it.
    """
    if run.config.exists() or run.status.exists() or run.checkpoints.is_dir():
        return
    beside = sorted(path.parent.name for path in run.path.parent.glob("*/config.toml"))
    alike = get_close_matches(run.path.name, beside, 1, 0.6)
    nearest = f"; nearest: {run.path.with_name(alike[0])}" if alike else ""
    raise RefusedError(f"{run.path} is no run folder{nearest}")


def require_trained(run: RunDir) -> None:
    """Refuse a run in which nobody trains.

    Raises:
        RefusedError: Saying how to go on.
    """
    require_run(run)
    if not is_trained(run):
        raise RefusedError(
            f"nobody trains in {run.path}: rlppo train --run {run.path} resumes it first"
        )


def pause(run: RunDir, say: Say) -> None:
    """Let the trainer wait after this iteration.

    Raises:
        RefusedError: When nobody trains, or the trainer ended before it paused.
    """
    require_trained(run)
    send(run, "pause")
    late = "sent: the trainer pauses after this iteration, and says so among its events"
    say(_once(run, lambda status: status.phase == "paused", _paused_words) or late)


def resume(run: RunDir, say: Say) -> None:
    """Let a paused trainer go on, or one that was to pause.

    Raises:
        RefusedError: When nobody trains, or the trainer ended before it went on.
    """
    require_trained(run)
    status = read_status(run)
    was_paused = status is not None and status.phase == "paused"
    send(run, "resume")
    words = "goes on" if was_paused else "it was not paused, and trains on"
    say(_once(run, lambda status: status.phase in _GOING, lambda status: words) or "sent")


def save(run: RunDir, name: str, pin: bool, say: Say) -> None:
    """Let the trainer save after this iteration, under `name` if it is not empty.

    Raises:
        RefusedError: When nobody trains, or the trainer could not save or ended before.
        ValueError: When the name is not short plain text.
    """
    require_trained(run)
    follower = jsonl.Follower(run.events, from_end=True)
    late = "sent: the trainer saves after this iteration, and says so among its events"
    say(answer_to(run, follower, send_save(run, name, pin), late))


def table(infos: Sequence[CheckpointInfo], now: float) -> list[str]:
    """Checkpoints in aligned lines under a heading; `now` is in seconds since the epoch."""
    rows = [_HEADINGS, *(_row(info, now) for info in infos)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if heading in ("pinned", "name") else cell.rjust(width)
            for cell, width, heading in zip(row, widths, _HEADINGS, strict=True)
        )
        for row in rows
    ]
    return [line.rstrip() for line in lines]


def _once(
    run: RunDir, reached: Callable[[Status], bool], words: Callable[[Status], str]
) -> str | None:
    """The `words` for the status that is as wanted; None when that takes too long."""

    def answer() -> str | None:
        status = read_status(run)
        return words(status) if status is not None and reached(status) else None

    return wait_for(run, answer)


def _paused_words(status: Status) -> str:
    return f"paused after iteration {status.iteration:,}"


def _row(info: CheckpointInfo, now: float) -> tuple[str, ...]:
    iteration = "-" if info.iteration is None else f"{info.iteration:,}"
    age, size = _age(now - info.saved_at), _size(info.size_bytes)
    return f"{info.steps:,}", iteration, age, size, _pinned(info.mark), info.mark.name


def _pinned(mark: Mark) -> str:
    if mark.damaged:
        return "mark damaged, kept"
    return "pinned" if mark.pinned else ""


def _age(seconds: float) -> str:
    """In its largest unit, such as "3 h"."""
    whole = max(0, int(seconds))
    unit, word = next(((unit, word) for unit, word in _SPANS if whole >= unit), (1, "s"))
    return f"{whole // unit} {word}"


def _size(size_bytes: int) -> str:
    """Such as "4.1 MB"."""
    for unit, word in _SIZES:
        if size_bytes >= unit:
            return f"{size_bytes / unit:.1f} {word}"
    return f"{size_bytes} B"
