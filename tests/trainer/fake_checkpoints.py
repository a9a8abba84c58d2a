"""Checkpoints that are whole by their hashes and hold no networks."""

import json
from pathlib import Path

from tests.trainer.tiny import tiny_config
from trainer.checkpoint_folder import FILES, checkpoint_path, write_hashes
from trainer.config_file import write_config
from trainer.run_dir import RunDir


def fake_checkpoint(run: RunDir, steps: int, iteration: int = 1) -> Path:
    folder = checkpoint_path(run, steps)
    folder.mkdir(parents=True)
    for name in FILES:
        (folder / name).write_text(f"{name} after {steps}")
    (folder / "state.json").write_text(json.dumps({"counters": {"iteration": iteration}}))
    (folder / "contract.json").write_text(json.dumps({"config_hash": "c0ffee"}))
    write_config(folder / "config.toml", tiny_config())
    write_hashes(folder)
    return folder


def spoil(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])
