"""Starts the bot: makes `.venv` beside this file on the first start, then runs the agent in it.

`run.bat` and `run.sh` call it with whatever Python there is, so everything in it must also compile
on older ones; when that Python will not do, it looks for another. The packages come from `wheels`
beside it when they fit, else from the network. When two cars start at once, one makes the
environment and the other waits. Words behind it go to the agent: `run.bat check`. Standard library
only. Tested by `tests/export/test_start.py` and `tests/export/test_start_on_windows.py`.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from typing import IO, NamedTuple

OLDEST, NEWEST = (3, 11), (3, 14)
"""The versions that every package in requirements.txt has wheels for."""
LONGEST_PATH = 259
"""Characters that Windows allows."""
DEEPEST_FILE = 125
"""Characters of the longest path inside the environment, from the bundle's folder on."""

ACCESS_VIOLATION = 0xC0000005
"""Exit code of a program that Windows ended for touching memory that is not its own."""

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
WHEELS = os.path.join(HERE, "wheels")
VENV = os.path.join(HERE, ".venv")
MARKER = os.path.join(VENV, "made_of.txt")
"""Written last: where it is missing or says something else, the environment is made anew."""

PROBE = "import sys, sysconfig as s; print(*sys.version_info[:2], s.get_platform(), sys.executable)"
"""What a Python is asked about itself."""


class StartError(Exception):
    """The bot cannot start; the message is one sentence for a person."""


class Python(NamedTuple):
    """A Python of this machine."""

    version: tuple[int, int]
    platform: str
    """As `sysconfig.get_platform` says: win-amd64, win32, linux-x86_64."""
    path: str

    @property
    def bits(self) -> int:
        """32 or 64."""
        return 32 if self.platform == "win32" or self.platform.endswith("86") else 64

    @property
    def suits(self) -> bool:
        """Whether every package has wheels for it."""
        return OLDEST <= self.version <= NEWEST and self.bits == 64

    def fits(self, wheels: list[str]) -> bool:
        """Whether the files called `wheels` were fetched for it."""
        tag = "cp{}{}-{}.whl".format(*self.version, self.platform.replace("-", "_"))
        return any(name.endswith(tag) for name in wheels)


def main() -> None:
    """Prepare, and become the agent."""
    try:
        prepare()
    except (StartError, OSError) as error:
        sys.exit(f"This bot cannot start: {error}")
    os.chdir(HERE)
    python = python_in(VENV, os.name == "nt")
    # -E: the user's PYTHONPATH is meant for other programs. utf8: whatever folders are called.
    # -B: no __pycache__ in the bundle, so that it can still be verified.
    command = [python, "-E", "-B", "-X", "utf8", "-m", "rlbot_agent", *sys.argv[1:]]
    if os.name == "nt":  # where exec would end this process before the agent
        code = subprocess.call(command)
        sys.exit(why_it_crashed(code) or code)
    os.execv(python, command)


def prepare() -> None:
    """Make sure that `.venv` holds what requirements.txt says."""
    if is_ready():
        return
    with open_lock(VENV + ".lock") as lock_file:
        wait_for(lock_file)
        if not is_ready():  # another car's process may have made it meanwhile
            require_short(HERE, os.name == "nt")
            wheels = os.listdir(WHEELS) if os.path.isdir(WHEELS) else []
            python = choose(commands(os.name == "nt", shutil.which), probe, wheels)
            make_environment(python, offline=python.fits(wheels))


def open_lock(path: str) -> IO[str]:
    """The file whose lock is held while the environment is made.

    Raises:
        StartError: When nothing can be written beside this file.
    """
    try:
        return open(path, "w")
    except OSError as error:
        raise StartError(
            f"it makes .venv in its folder, which cannot be written ({error.strerror}): "
            "move the folder, for example to C:\\bots or into your home."
        ) from error


def is_ready() -> bool:
    """Whether the environment was finished, of these packages, and its Python is still there."""
    if not (os.path.exists(python_in(VENV, os.name == "nt")) and os.path.exists(MARKER)):
        return False
    try:
        packages, _, base = read(MARKER).rpartition("# ")
    except ValueError:  # no text: the disk was full, or the power went
        return False
    return packages == read(REQUIREMENTS) and os.path.exists(base)


def commands(windows: bool, which: Callable[[str], str | None]) -> list[list[str]]:
    """Every way to start a Python that is worth trying, the likeliest first."""
    minors = range(NEWEST[1], OLDEST[1] - 1, -1)
    found = [[sys.executable]]
    if windows and which("py"):
        found += [["py", f"-3.{minor}"] for minor in minors]
    names = [f"python3.{minor}" for minor in minors] + ["python3", "python"]
    paths = [which(name) for name in names]
    found += [[path] for path in paths if path and not (windows and is_store_stub(path))]
    if which("uv"):
        found += [["uv", "run", "--no-project", "--python", "3.12", "python"]]
    return found


def is_store_stub(path: str) -> bool:
    """Whether a python.exe may be one that only opens the Microsoft Store."""
    return "windowsapps" in ntpath.normpath(path).lower().split("\\")


def probe(command: list[str]) -> Python | None:
    """The Python that a command starts, or None."""
    try:
        said = subprocess.check_output(
            [*command, "-I", "-X", "utf8", "-c", PROBE], stderr=subprocess.DEVNULL, timeout=60
        )
        major, minor, platform, path = said.decode("utf-8").strip().split(" ", 3)
        return Python((int(major), int(minor)), platform, path)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def choose(
    ways: list[list[str]], ask: Callable[[list[str]], Python | None], wheels: list[str]
) -> Python:
    """The first Python that the wheels fit, else the first that suits.

    Raises:
        StartError: When none suits, with those that there are.
    """
    found: list[Python] = []
    for way in ways:
        if way[0] == "uv" and any(python.suits for python in found):
            break  # which may fetch one from the network
        python = ask(way)
        if python is None:
            continue
        found.append(python)
        if python.suits and (python.fits(wheels) or not wheels):
            return python
    for python in found:
        if python.suits:
            return python
    there = sorted({"{}.{}, {} bit".format(*p.version, p.bits) for p in found})
    raise StartError(
        "it needs Python 3.11 to 3.14, 64 bit, from python.org; here is only: {}.".format(
            "; ".join(there) or "none that runs"
        )
    )


def require_short(folder: str, windows: bool) -> None:
    """Refuse a folder in which Windows could not write the environment's deepest file."""
    longest = LONGEST_PATH - DEEPEST_FILE - 1
    if windows and len(folder) > longest:
        raise StartError(
            f"the path of its folder has {len(folder)} characters, and Windows allows {longest}: "
            "move it, for example to C:\\bots."
        )


def make_environment(python: Python, offline: bool) -> None:
    """Create `.venv` from nothing, whatever an interrupted start left there."""
    source = "wheels" if offline else "the network"
    print(f"First start: installing its packages from {source} into .venv.", flush=True)
    if subprocess.call([python.path, "-m", "venv", "--clear", VENV]):
        raise StartError(
            "Python could not make .venv, for the reason above"
            + (" (Debian and Ubuntu: apt install python3-venv)." if os.name != "nt" else ".")
        )
    # -I: what the user's PYTHONPATH holds does not count as installed.
    pip = [python_in(VENV, os.name == "nt"), "-I", "-m", "pip", "install", "--quiet"]
    pip += ["--disable-pip-version-check", "--no-input", "--only-binary", ":all:"]
    if offline:
        pip += ["--no-index", "--find-links", WHEELS]
    if subprocess.call([*pip, "-r", REQUIREMENTS]):
        raise StartError(why_pip_failed(offline, has_network))
    with open(MARKER, "w", encoding="utf-8") as marker:
        marker.write(read(REQUIREMENTS) + "# " + python.path)


def why_pip_failed(offline: bool, reachable: Callable[[], bool]) -> str:
    """A sentence for a person, after pip's own words."""
    if offline:
        return "pip could not install what lies in wheels, for the reason above: copy it anew."
    if reachable():
        return "pip could not install its packages, for the reason above."
    return (
        "there is no network, and its folder holds no wheels for this Python: connect for the "
        "first start, or export with --offline-wheels."
    )


def why_it_crashed(code: int) -> str | None:
    """A sentence for an exit code of Windows that no Python program chooses, else None."""
    if code == ACCESS_VIOLATION:
        return (
            "This bot crashed, most likely in an old Microsoft Visual C++ runtime: install the "
            "newest, https://aka.ms/vs/17/release/vc_redist.x64.exe"
        )
    return None


def has_network() -> bool:
    """Whether the package index answers."""
    try:
        socket.create_connection(("pypi.org", 443), timeout=5).close()
    except OSError:
        return False
    return True


def python_in(venv: str, windows: bool) -> str:
    """The Python of an environment."""
    if windows:
        return ntpath.join(venv, "Scripts", "python.exe")
    return posixpath.join(venv, "bin", "python")


def wait_for(lock_file: IO[str]) -> None:
    """Hold the lock on an open file until it is closed or this process ends."""
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(lock_file, fcntl.LOCK_EX)
        return
    import msvcrt

    while True:
        try:
            msvcrt.locking(lock_file.fileno(), msvcrt.LK_NBLCK, 1)
            return
        except OSError:
            time.sleep(0.5)


def read(path: str) -> str:
    """A text file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


if __name__ == "__main__":
    main()
