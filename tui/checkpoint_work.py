"""What is slow to do with checkpoints, for a thread beside the screen: list, delete, inspect.

Touches no widget: each function posts one message that says how it went. Tested by
`tests/tui/test_checkpoint_work.py`.
"""

from collections.abc import Callable

from textual.message import Message

from trainer.checkpoint_folder import damage
from trainer.checkpoint_list import (
    CheckpointInfo,
    CheckpointRefusedError,
    catalogue,
    delete_checkpoint,
)
from trainer.run_dir import RunDir
from tui import rating_files
from tui.checkpoint_rows import called
from tui.messages import CheckpointNews, CheckpointsListed

Post = Callable[[Message], object]


def look(run: RunDir, post: Post) -> None:
    """List the checkpoints of `run`, with the ratings of its versions."""
    try:
        post(CheckpointsListed(catalogue(run), ratings=rating_files.ratings_of(run)))
    except OSError as error:
        post(CheckpointsListed((), f"The checkpoints cannot be listed: {error}"))


def remove(run: RunDir, info: CheckpointInfo, post: Post) -> None:
    """Delete a checkpoint of `run` for good."""
    try:
        delete_checkpoint(run, info.path)
    except (CheckpointRefusedError, OSError) as refused:
        post(CheckpointNews(str(refused), refused=True))
    else:
        post(CheckpointNews(f"Removed {called(info)}."))


def inspect(info: CheckpointInfo, post: Post) -> None:
    """Hold every file of a checkpoint against its hash."""
    reason = damage(info.path)
    if reason is None:
        post(CheckpointNews(f"Every file of {called(info)} is as it was saved."))
    else:
        post(CheckpointNews(f"{info.path} is damaged: {reason}.", refused=True))
