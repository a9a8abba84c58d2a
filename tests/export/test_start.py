import ast
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from export.bundle import TEMPLATES

# A Python whose venv and pip only write down that they were called, and whose agent says so.
FAKE_PYTHON = """#!/bin/sh
echo "$@" >> "{log}"
case "$*" in
    *"-m venv"*) sleep 0.2; mkdir -p "{venv}/bin"; cp "{fake}" "{venv}/bin/python" ;;
    *"pip install"*) exit {pip_says} ;;
    *sysconfig*) echo 3 11 linux-x86_64 "{fake}" ;;
esac
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A folder with a space in its name, start.py and the list of packages."""
    folder = tmp_path / "my bundle ü"
    folder.mkdir()
    for name in ("start.py", "requirements.txt"):
        shutil.copy(TEMPLATES / name, folder)
    return folder


def write_fake(bundle: Path, pip_says: int = 0) -> Path:
    fake = bundle.parent / "fake_python"
    paths = {"log": bundle.parent / "log", "venv": bundle / ".venv", "fake": fake}
    fake.write_text(FAKE_PYTHON.format(**paths, pip_says=pip_says))
    fake.chmod(0o755)
    return fake


NO_NETWORK = """
import socket
def refuse(*_, **__): raise OSError
socket.create_connection = refuse
"""


def begin(bundle: Path, fake: Path) -> "subprocess.Popen[str]":
    """Run start.py, without a network, as if `fake` were the Python that runs it."""
    code = (
        f"{NO_NETWORK}\nimport sys, runpy; sys.executable = {str(fake)!r};"
        f"runpy.run_path({str(bundle / 'start.py')!r}, run_name='__main__')"
    )
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def calls(bundle: Path, word: str) -> int:
    return (bundle.parent / "log").read_text().count(word)


def test_the_first_start_installs_and_later_ones_only_start(bundle: Path) -> None:
    fake = write_fake(bundle)
    for start_number in (1, 2, 3):
        process = begin(bundle, fake)
        out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        assert ("First start" in out) == (start_number == 1)
    assert calls(bundle, "-m venv --clear") == 1
    assert calls(bundle, "pip install") == 1
    assert calls(bundle, "-E -B -X utf8 -m rlbot_agent") == 3


def test_two_cars_that_start_at_once_make_one_environment(bundle: Path) -> None:
    fake = write_fake(bundle)
    processes = [begin(bundle, fake), begin(bundle, fake)]
    assert [process.wait() for process in processes] == [0, 0]
    for process in processes:
        process.communicate()
    assert calls(bundle, "pip install") == 1
    assert calls(bundle, "rlbot_agent") == 2


def test_a_start_that_was_killed_halfway_is_made_good(bundle: Path) -> None:
    fake = write_fake(bundle)
    process = begin(bundle, fake)
    log = bundle.parent / "log"
    while not (log.exists() and "-m venv" in log.read_text()):  # it is inside that
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert not (bundle / ".venv" / "made_of.txt").exists()
    process = begin(bundle, fake)
    process.communicate()
    assert process.returncode == 0
    assert calls(bundle, "-m venv") == 2
    assert calls(bundle, "rlbot_agent") == 1


def test_other_packages_or_a_python_that_is_gone_make_the_environment_anew(bundle: Path) -> None:
    fake = write_fake(bundle)
    begin(bundle, fake).communicate()
    (bundle / "requirements.txt").write_text("numpy==2.4.5\n")
    begin(bundle, fake).communicate()
    assert calls(bundle, "pip install") == 2
    begin(bundle, fake).communicate()
    assert calls(bundle, "pip install") == 2
    marker = bundle / ".venv" / "made_of.txt"
    marker.write_text(marker.read_text() + ".gone")
    begin(bundle, fake).communicate()
    assert calls(bundle, "pip install") == 3
    marker.write_bytes(b"\xff\xfe half of it")
    begin(bundle, fake).communicate()
    assert calls(bundle, "pip install") == 4


def test_wheels_that_fit_are_installed_without_the_network(bundle: Path) -> None:
    (bundle / "wheels").mkdir()
    wheel = bundle / "wheels" / "numpy-1-cp312-cp312-linux_x86_64.whl"
    wheel.touch()
    begin(bundle, write_fake(bundle)).communicate()
    assert calls(bundle, "--no-index") == 0  # the Python that answers is 3.11
    wheel.rename(bundle / "wheels" / "numpy-1-cp311-cp311-linux_x86_64.whl")
    (bundle / ".venv" / "made_of.txt").unlink()
    begin(bundle, write_fake(bundle)).communicate()
    assert calls(bundle, f"--no-index --find-links {bundle / 'wheels'} -r") == 1


def test_words_go_to_the_agent(bundle: Path) -> None:
    fake = write_fake(bundle)
    code = (
        f"import sys, runpy; sys.executable = {str(fake)!r}; sys.argv[1:] = ['check'];"
        f"runpy.run_path({str(bundle / 'start.py')!r}, run_name='__main__')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert calls(bundle, "-m rlbot_agent check") == 1


def test_packages_that_cannot_be_had_are_a_sentence_and_not_remembered_as_done(
    bundle: Path,
) -> None:
    fake = write_fake(bundle, pip_says=1)
    for attempt in (1, 2):
        process = begin(bundle, fake)
        _, err = process.communicate()
        assert process.returncode == 1
        assert err == (
            "This bot cannot start: there is no network, and its folder holds no wheels for this "
            "Python: connect for the first start, or export with --offline-wheels.\n"
        )
        assert calls(bundle, "pip install") == attempt
    assert calls(bundle, "rlbot_agent") == 0


def test_a_folder_that_cannot_be_written_is_a_sentence(bundle: Path) -> None:
    (bundle / ".venv.lock").mkdir()  # root may write everywhere, but not this
    process = begin(bundle, write_fake(bundle))
    _, err = process.communicate()
    assert process.returncode == 1
    assert err.startswith(
        "This bot cannot start: it makes .venv in its folder, which cannot be written ("
    )


def test_python_3_7_can_read_it_far_enough_to_look_for_another() -> None:
    ast.parse((TEMPLATES / "start.py").read_text(), feature_version=(3, 7))
