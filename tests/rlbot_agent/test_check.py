import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rlbot_agent.check import run_check
from rlbot_agent.packet_log import PacketLog
from tests.export.bundles import make_bundle
from tests.export.simulated import simulated_game, simulated_packets
from tests.patience import PATIENCE_S


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bundle that is chosen."""
    found = make_bundle(tmp_path)
    monkeypatch.setenv("RLPPO_BUNDLE", str(found))
    return found


def test_a_good_bundle_is_described_from_python_to_what_rlbot_shows(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_check(None) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line[:14].rstrip() for line in lines] == [
        *("python", "packages", "files", "policy", "inference"),
        *("in RLBot", "in RLBot", "in RLBot", "verdict"),
    ]
    assert re.search(r"files +\d\d, checked in \d\.\d\d s$", lines[2])
    assert re.search(r"p50 \d+\.\d\d ms, p99 \d+\.\d\d ms of the 8\.3 ms", lines[4])
    assert lines[5].endswith('shows "my run 64"')


def test_recorded_packets_are_played_through_it(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    view = simulated_game()
    log = PacketLog(tmp_path / "packets", view.field_info(), 0, 0, -7)
    for packet in simulated_packets(view, 17):
        log.add(packet)
    assert run_check(tmp_path / "packets") == 0
    assert "dry run       17 packets over 0.1 s, 3 decisions," in capsys.readouterr().out


def test_what_is_wrong_is_a_verdict_and_a_1(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_check(tmp_path / "nowhere") == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(f"verdict       refused: {tmp_path}/nowhere cannot be read")
    (bundle / "bot.toml").write_text("[settings")
    assert run_check(None) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith(
        "verdict       refused: RLBot will not list this bot: no name in bot.toml"
    )
    (bundle / "start.py").unlink()
    assert run_check(None) == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "verdict       refused: start.py is missing: copy the bundle anew, or export again"
    )


def run(*words: str, code: str = "") -> "subprocess.CompletedProcess[str]":
    """Run the agent's command line, after `code`."""
    start = f"{code}\nimport runpy; runpy.run_module('rlbot_agent', run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-c", start, *words], env=os.environ, capture_output=True, text=True
    )


def test_the_command_line_checks_and_refuses_in_sentences(bundle: Path) -> None:
    done = run("check")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("verdict       good: it would play\n")
    missing = run("check", code="import sys; sys.modules['onnxruntime'] = None")
    assert missing.returncode == 1
    assert missing.stderr.startswith("rlppo bot: onnxruntime is not installed: ")
    assert missing.stderr.count("\n") == 1
    assert "--dry-run belongs to check" in run("--dry-run", "x").stderr
    assert "'chekc'" in run("chekc").stderr


@pytest.mark.parametrize("command", [["check"], []])
def test_code_that_is_too_damaged_to_load_is_named_in_a_sentence(
    tmp_path: Path, command: list[str]
) -> None:
    bundle = make_bundle(tmp_path)
    with (bundle / "rlbot_agent" / "obs.py").open("a") as file:
        file.write("half a li")
    done = subprocess.run(
        [sys.executable, "-m", "rlbot_agent", *command],
        cwd=bundle,
        capture_output=True,
        text=True,
        env={name: text for name, text in os.environ.items() if name != "PYTHONPATH"},
        timeout=PATIENCE_S,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "rlppo bot: rlbot_agent/obs.py was changed after the export: "
        "copy the bundle anew, or export again\n"
    )
