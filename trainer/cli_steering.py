"""The commands that steer a run from another terminal: pause, resume, save, and its checkpoints.

They need nothing but the run folder, and load neither torch nor the simulator. A mistake of the
user is one sentence on stderr and exit code 2. Tested by `tests/trainer/test_cli_steering.py`.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from trainer.run_dir import RunDir

Flag = Annotated[bool, Parameter(negative=())]


def pause(run: Path, /) -> None:
    """Let a run that trains wait after this iteration; its processes stay, and cost no time.

    While it waits it still saves, takes settings and quits. A trainer that is started anew trains.

    Args:
        run: Run folder.
    """
    with _refusals():
        from trainer import steering

        steering.pause(RunDir(run), print)


def resume(run: Path, /) -> None:
    """Let a paused run go on.

    Args:
        run: Run folder.
    """
    with _refusals():
        from trainer import steering

        steering.resume(RunDir(run), print)


def save(run: Path, /, *, name: str = "", pin: Flag = False) -> None:
    """Let a run that trains save after this iteration.

    Args:
        run: Run folder.
        name: What to call the checkpoint.
        pin: Never remove it when newer ones come.
    """
    with _refusals():
        from trainer import steering

        steering.save(RunDir(run), name, pin, print)


def checkpoints(run: Path, /) -> None:
    """List the checkpoints of a run, newest first.

    Args:
        run: Run folder.
    """
    with _refusals():
        from trainer.checkpoint_list import catalogue
        from trainer.steering import require_run, table

        require_run(RunDir(run))
        print("\n".join(table(catalogue(RunDir(run)), time.time())))


def pin(run: Path, checkpoint: str, /, *, name: str = "") -> None:
    """Keep a checkpoint when newer ones come, and give it a name.

    Args:
        run: Run folder.
        checkpoint: Its steps, or the name it has.
        name: What to call it; without one it stays as it was.
    """
    _mark(run, checkpoint, pinned=True, name=name)


def unpin(run: Path, checkpoint: str, /) -> None:
    """Let a pinned checkpoint be removed in its turn; its name stays.

    Args:
        run: Run folder.
        checkpoint: Its steps, or its name.
    """
    _mark(run, checkpoint, pinned=False)


def branch(run: Path, checkpoint: str, /, *, to: Path | None = None) -> None:
    """Begin a new run from a checkpoint of another, which stays as it is and may train on.

    Args:
        run: Run folder.
        checkpoint: Its steps, or its name.
        to: Folder to create; RUN-from-STEPS beside the run when absent.
    """
    with _refusals():
        from trainer.branch import branch as branch_run
        from trainer.branch import default_branch
        from trainer.checkpoint_list import find_checkpoint
        from trainer.steering import require_run

        folder = RunDir(run)
        require_run(folder)
        found = find_checkpoint(folder, checkpoint)
        new = RunDir(to) if to else default_branch(folder, found.steps)
        branch_run(folder, found.path, new)
        print(f"branched at {found.steps:,} steps: rlppo train --run {new.path} goes on from there")


COMMANDS: tuple[Callable[..., None], ...] = (
    *(pause, resume, save),
    *(checkpoints, pin, unpin, branch),
)
"""All of them, as `rlppo` names them."""


def add_to(app: App) -> None:
    """Make them commands of `app`."""
    for command in COMMANDS:
        app.command(command)


def _mark(run: Path, checkpoint: str, *, pinned: bool, name: str = "") -> None:
    with _refusals():
        from trainer.checkpoint_list import find_checkpoint, mark_checkpoint
        from trainer.steering import require_run

        require_run(RunDir(run))
        info = find_checkpoint(RunDir(run), checkpoint)
        mark = replace(info.mark, pinned=pinned, name=name or info.mark.name)
        mark_checkpoint(RunDir(run), info.path, mark)
        named = f' "{mark.name}"' if mark.name else ""
        print(f"{'pinned' if pinned else 'unpinned'} {info.path}{named}")


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what a person can mend into a sentence."""
    from trainer.asking import RefusedError
    from trainer.branch import BranchError
    from trainer.checkpoint_list import CheckpointRefusedError
    from trainer.config_file import ConfigError

    refused = (BranchError, CheckpointRefusedError, ConfigError, OSError, RefusedError, ValueError)
    try:
        yield
    except refused as error:
        print(f"rlppo: {error}", file=sys.stderr)
        raise SystemExit(2) from None
