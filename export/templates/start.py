"""Starts the bot: makes `.venv` beside this file on the first start, then runs the agent in it.

`run.bat` and `run.sh` call it with whatever Python the machine has, so everything in it must also
compile on older ones, which are refused with a sentence. When two cars start at once, one makes the
environment and the other waits. Tested by `tests/export/test_start.py`.
"""

import os
import subprocess
import sys
import time
from typing import IO

OLDEST, NEWEST = (3, 11), (3, 14)
"""The versions that every package in requirements.txt has wheels for."""

HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")
VENV = os.path.join(HERE, ".venv")
PYTHON = os.path.join(VENV, "Scripts", "python.exe")
if os.name != "nt":
    PYTHON = os.path.join(VENV, "bin", "python")
MARKER = os.path.join(VENV, "made_of.txt")
"""Written last: where it is missing or says something else, the environment is made anew."""


class StartError(Exception):
    """The bot cannot start; the message is one sentence for a person."""


def main() -> None:
    """Refuse what cannot work, prepare, and become the agent."""
    try:
        require_python(sys.version_info[:2], sys.maxsize > 2**32)
        prepare()
    except (StartError, OSError) as error:
        sys.exit(f"This bot cannot start: {error}")
    os.chdir(HERE)
    # -E: the user's PYTHONPATH is meant for other programs.
    # -B: no __pycache__ in the bundle, so that it can still be verified.
    command = [PYTHON, "-E", "-B", "-m", "rlbot_agent"]
    if os.name == "nt":  # where exec would end this process before the agent
        sys.exit(subprocess.call(command))
    os.execv(PYTHON, command)


def require_python(version: tuple, is_64_bit: bool) -> None:  # type: ignore[type-arg]
    """Refuse a Python that the packages have no wheels for."""
    if not (OLDEST <= version <= NEWEST and is_64_bit):
        bits = 64 if is_64_bit else 32
        raise StartError(
            "it needs Python 3.11 to 3.14, 64 bit, from python.org, and was started "
            f"with {version[0]}.{version[1]}, {bits} bit."
        )


def prepare() -> None:
    """Make sure that `.venv` holds what requirements.txt says."""
    if is_ready():
        return
    with open(f"{VENV}.lock", "w") as lock_file:
        wait_for(lock_file)
        if not is_ready():  # another car's process may have made it meanwhile
            make_environment()


def is_ready() -> bool:
    """Whether the environment was finished, with these packages and by this Python."""
    return os.path.exists(PYTHON) and os.path.exists(MARKER) and read(MARKER) == made_of()


def made_of() -> str:
    """What an environment depends on, for its marker."""
    return f"{read(REQUIREMENTS)}# {sys.base_prefix!a}\n# {sys.version}\n"


def make_environment() -> None:
    """Create `.venv` from nothing, whatever an interrupted start left there."""
    print("First start: installing numpy, onnxruntime and rlbot into .venv.", flush=True)
    if subprocess.call([sys.executable, "-m", "venv", "--clear", VENV]):
        raise StartError("Python could not make .venv, for the reason above.")
    # -I: what the user's PYTHONPATH holds does not count as installed.
    pip = [PYTHON, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.call([*pip, "--no-input", "--only-binary", ":all:", "-r", REQUIREMENTS]):
        raise StartError(
            "pip could not install its packages, for the reason above; "
            "the first start needs the internet."
        )
    with open(MARKER, "w", encoding="utf-8") as marker:
        marker.write(made_of())


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
