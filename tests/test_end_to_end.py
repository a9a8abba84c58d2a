"""The whole path once: train, export, verify, and a match in which two real RLBot clients play."""

import os
import re
import subprocess
import sys
from pathlib import Path

from export.manifest import read_manifest, require_files
from tests.trainer.tiny import write_tiny

BIN = Path(sys.executable).parent


def rlppo(*words: str | Path) -> str:
    """Run the installed command as a person would, and return what it printed."""
    # The bundles start with whatever python3 is on the PATH.
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [BIN / "rlppo", *words], env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, f"rlppo {words[0]} said:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_a_run_becomes_a_bot_that_plays_ten_seconds_of_a_match(tmp_path: Path) -> None:
    config, run, bundle = write_tiny(tmp_path), tmp_path / "run", tmp_path / "my bundle"
    rlppo("train", config, "--run", run, "--iterations", "2")
    rlppo("export", run, "--out", bundle)
    assert "verdict       good" in rlppo("verify", bundle)

    # Both cars start from one folder: the first to come installs, the other waits for it.
    said = rlppo("match", bundle, bundle, "--seconds", "10")
    assert "verdict       good" in said
    answers = re.search(r"answers +([\d,]+) of ([\d,]+) packets", said)
    decisions = re.search(r"decisions +(\d+)", said)
    assert answers is not None
    assert decisions is not None
    assert answers[1] == answers[2]
    # 10 s at 15 decisions a second for two cars are 300; a goal cuts the last decision short.
    assert 280 <= int(decisions[1]) <= 320
    # Playing leaves nothing behind but the environment, so the bundle can still be verified.
    require_files(bundle, read_manifest(bundle))
    assert (bundle / ".venv").is_dir()
