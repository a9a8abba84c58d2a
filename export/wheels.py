"""The Windows wheels of a bundle, so that its first start needs no network.

Asks pip of this environment, for another system than this one. Tested by
`tests/export/test_wheels.py`.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal

PLATFORM: Final = "win_amd64"
PythonVersion = Literal["3.11", "3.12", "3.13", "3.14"]
"""Those that every package has wheels for."""


class WheelError(Exception):
    """The wheels cannot be had; the message is one sentence for a person."""


def pip_words(requirements: Path, python: PythonVersion) -> list[str]:
    """How pip is asked for wheels that a Python on 64-bit Windows installs."""
    return [
        *("--only-binary", ":all:", "--platform", PLATFORM),
        # Every package is pinned. Without this, pip would follow markers of this system instead.
        *("--python-version", python, "--implementation", "cp", "--no-deps"),
        *("--disable-pip-version-check", "--no-input", "--requirement", str(requirements)),
    ]


def fetch_wheels(requirements: Path, python: PythonVersion) -> dict[str, bytes]:
    """Download the wheel of every line of `requirements`.

    Returns:
        Their contents by their names.

    Raises:
        WheelError: When one cannot be had.
    """
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", folder]
        done = subprocess.run(
            [*command, *pip_words(requirements, python)], capture_output=True, text=True
        )
        if done.returncode:
            said = done.stderr.strip().splitlines() or ["nothing"]
            raise WheelError(f"pip could not fetch the wheels for Windows; it said: {said[-1]}")
        wheels = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
    require_wheels(requirements.read_text("utf-8").split(), list(wheels), python)
    return wheels


def require_wheels(pins: list[str], names: list[str], python: PythonVersion) -> None:
    """Refuse unless each of `pins` (name==version) has one wheel that `python` installs on Windows.

    Raises:
        WheelError: Naming the first that is lacking or does not fit.
    """
    for pin in pins:
        name, _, version = pin.partition("==")
        begins = f"{name.lower().replace('-', '_')}-{version}-"
        found = [wheel for wheel in names if wheel.lower().startswith(begins)]
        if len(found) != 1:
            raise WheelError(f"{len(found)} wheels of {pin} were found, one is needed")
        if not _installs(found[0], python):
            raise WheelError(f"{found[0]} is no wheel for Python {python} on 64-bit Windows")


def _installs(wheel: str, python: PythonVersion) -> bool:
    """Whether the tags of a wheel's name admit this Python on 64-bit Windows."""
    tags, abi, platform = wheel.removesuffix(".whl").rsplit("-", 3)[1:]
    if platform not in ("any", PLATFORM):
        return False
    minor = int(python.partition(".")[2])
    if abi == "abi3":  # from that version on
        return any(tag[:3] == "cp3" and int(tag[3:]) <= minor for tag in tags.split("."))
    return f"cp3{minor}" in tags.split(".") or (abi == "none" and "py3" in tags.split("."))
