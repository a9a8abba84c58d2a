"""Folders that pass for whole checkpoints, without a trainer."""

import json
import os
from pathlib import Path

from tests.tui.conftest import NOW
from trainer.checkpoint_folder import FILES, HASHES, checkpoint_path, write_hashes
from trainer.checkpoint_marks import Mark, write_mark
from trainer.run_dir import RunDir

SIZE = 1000
"""Bytes of each file but state.json, which is a few."""


def save(run: RunDir, steps: int, age_s: float = 0.0, mark: Mark | None = None) -> Path:
    """A checkpoint of `run` after `steps`, sealed `age_s` before the recorded moment."""
    folder = checkpoint_path(run, steps)
    folder.mkdir(parents=True)
    for name in FILES:
        (folder / name).write_bytes(b"x" * SIZE)
    (folder / "state.json").write_text(json.dumps({"counters": {"iteration": steps // 50_176}}))
    write_hashes(folder)
    if mark:
        write_mark(folder, mark)
    os.utime(folder / HASHES, (NOW - age_s, NOW - age_s))
    return folder
