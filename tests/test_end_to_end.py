"""The whole path once: train, export, verify, and a match in which two real RLBot clients play.

The bundle lies in a folder whose name has spaces and letters beyond ASCII, and makes an environment
of its own there, as on a user's machine.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from export.manifest import read_manifest, require_files
from export.templates.start import DEEPEST_FILE
from rlbot_agent.packet_log import read_packets
from tests.trainer.tiny import write_tiny

BIN = Path(sys.executable).parent


def environment(**extra: str) -> dict[str, str]:
    """In which bundles start with this Python: with whatever python3 is on the PATH."""
    return {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", **extra}


def rlppo(*words: str | Path, **extra: str) -> str:
    """Run the installed command as a person would, and return what it printed."""
    done = subprocess.run(
        [BIN / "rlppo", *words],
        env=environment(**extra),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, f"rlppo {words[0]} said:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def check(bundle: Path, *words: str | Path) -> str:
    """Run the bundle's own check as a person would."""
    done = subprocess.run(
        ["sh", "run.sh", "check", *words],
        cwd=bundle,
        env=environment(PYTHONPATH=str(Path(__file__).parent.parent)),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, f"it said:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def installed(bundle: Path) -> set[str]:
    """Which packages the bundle's own Python can import, of some that it might."""
    names = ("numpy", "onnxruntime", "rlbot", "onnx", "torch", "trainer", "export", "pydantic")
    code = f"from importlib.util import find_spec; print(*filter(find_spec, {names}))"
    python = bundle / ".venv" / "bin" / "python"
    command = [python, "-E", "-B", "-c", code]
    done = subprocess.run(command, cwd=bundle, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Exported from a run that was trained, verified, and never started."""
    folder = tmp_path_factory.mktemp("end_to_end")
    config, run, found = write_tiny(folder), folder / "run", folder / "A b — ü"
    rlppo("train", config, "--run", run, "--iterations", "2")
    rlppo("export", run, "--out", found)
    assert "verdict       good" in rlppo("verify", found)
    return found


def test_a_bundle_plays_ten_seconds_of_a_match(bundle: Path) -> None:
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


def test_its_environment_holds_what_it_asks_for_and_nothing_of_the_trainer(bundle: Path) -> None:
    assert "verdict       good: it would play" in check(bundle)
    assert installed(bundle) == {"numpy", "onnxruntime", "rlbot"}


def test_what_a_match_recorded_can_be_played_through_it_again(bundle: Path, tmp_path: Path) -> None:
    rlppo("match", bundle, bundle, "--seconds", "1", RLPPO_PACKETS=str(tmp_path / "packets"))
    for car in (0, 1):
        packets = tmp_path / f"packets.{car}"
        # Twice what holds for the match, 12 of loading, a second of countdown and one of play.
        assert len(list(read_packets(packets))) == 2 + 12 + 2 * 120
        said = check(bundle, "--dry-run", packets)
        assert re.search(r"dry run +252 packets over 2\.0 s, 15 decisions", said)


def test_it_leaves_nothing_behind_but_the_environment(bundle: Path) -> None:
    check(bundle)
    require_files(bundle, read_manifest(bundle))
    assert (bundle / ".venv").is_dir()


def test_no_file_of_the_environment_lies_deeper_than_windows_is_promised(bundle: Path) -> None:
    check(bundle)
    packages = next((bundle / ".venv" / "lib").glob("python*/site-packages"))
    # pip goes on without a compiled file whose path is too long.
    files = [path for path in packages.rglob("*") if "__pycache__" not in path.parts]
    deepest = max(len(path.relative_to(packages).as_posix()) for path in files)
    assert len(r".venv\Lib\site-packages" + "\\") + deepest <= DEEPEST_FILE
