import json
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import get_args

import pytest

import export.bundle
from export.bundle import TEMPLATES, Extras, export_bundle
from export.templates.start import NEWEST, OLDEST, Python
from export.wheels import PythonVersion, WheelError, fetch_wheels, pip_words, require_wheels
from rlbot_agent.manifest import read_manifest
from tests.export.bundles import make_run

REQUIREMENTS = TEMPLATES / "requirements.txt"
PINS = ["numpy==2.4.6", "rlbot_flatbuffers==0.19.0", "rlbot==2.0.0b56"]
WHEELS = [
    "numpy-2.4.6-cp311-cp311-win_amd64.whl",
    "rlbot_flatbuffers-0.19.0-cp310-abi3-win_amd64.whl",
    "rlbot-2.0.0b56-py3-none-any.whl",
]


def test_a_wheel_for_every_pin_is_enough() -> None:
    require_wheels(PINS, WHEELS, "3.11")


@pytest.mark.parametrize(
    ("wheel", "words"),
    [
        ("numpy-2.4.6-cp311-cp311-win32.whl", "is no wheel for Python 3.11 on 64-bit Windows"),
        ("numpy-2.4.6-cp311-cp311-manylinux_2_28_x86_64.whl", "is no wheel for Python 3.11"),
        ("numpy-2.4.6-cp312-cp312-win_amd64.whl", "is no wheel for Python 3.11"),
        ("numpy-2.4.6-cp312-abi3-win_amd64.whl", "is no wheel for Python 3.11"),
        ("numpy-2.4.5-cp311-cp311-win_amd64.whl", r"0 wheels of numpy==2\.4\.6 were found"),
    ],
)
def test_a_wheel_that_this_python_does_not_install_is_refused(wheel: str, words: str) -> None:
    with pytest.raises(WheelError, match=words):
        require_wheels(PINS, [wheel, *WHEELS[1:]], "3.11")


def test_the_pythons_offered_are_those_that_the_bot_starts_with() -> None:
    offered = [tuple(map(int, version.split("."))) for version in get_args(PythonVersion)]
    assert (offered[0], offered[-1]) == (OLDEST, NEWEST)
    assert Python((3, 11), "win-amd64", "").fits(WHEELS)


def test_wheels_lie_in_the_bundle_and_in_its_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def fetch(requirements: Path, python: PythonVersion) -> dict[str, bytes]:
        asked.append((requirements, python))
        return {"numpy-1-cp313-cp313-win_amd64.whl": b"wheel"}

    monkeypatch.setattr(export.bundle, "fetch_wheels", fetch)
    bundle = export_bundle(make_run(tmp_path / "run"), None, None, Extras(wheels_for="3.13"))
    assert asked == [(REQUIREMENTS, "3.13")]
    assert (bundle / "wheels" / "numpy-1-cp313-cp313-win_amd64.whl").read_bytes() == b"wheel"
    assert "wheels/numpy-1-cp313-cp313-win_amd64.whl" in read_manifest(bundle).files


def test_what_pip_cannot_fetch_is_refused_in_its_words(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("--no-index\nnowhere==1.0\n")
    with pytest.raises(
        WheelError, match=r"pip could not fetch .* it said: ERROR: No .* nowhere==1\.0"
    ):
        fetch_wheels(tmp_path / "requirements.txt", "3.11")


def registry_is_reachable() -> bool:
    with suppress(OSError):
        socket.create_connection(("pypi.org", 443), timeout=5).close()
        return True
    return False


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_every_pin_has_a_wheel_for_windows(python: PythonVersion, tmp_path: Path) -> None:
    if not registry_is_reachable():
        pytest.skip("the package index cannot be reached")
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    where = ["--target", str(tmp_path / "none"), "--report", str(report)]
    subprocess.run([*command, *where, *pip_words(REQUIREMENTS, python)], check=True, timeout=120)
    found = [item["download_info"]["url"] for item in json.loads(report.read_text())["install"]]
    require_wheels(
        REQUIREMENTS.read_text().split(), [url.rsplit("/", 1)[1] for url in found], python
    )
