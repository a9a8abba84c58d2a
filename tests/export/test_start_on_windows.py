"""What start.py decides on Windows, asked here: its paths, its Pythons, its sentences."""

import ntpath
import re
from collections.abc import Callable

import pytest

from export.bundle import TEMPLATES
from export.templates import start
from export.templates.start import Python, StartError

STUB = r"C:\Users\Jürgen\AppData\Local\Microsoft\WindowsApps\python.exe"
REAL = r"C:\Users\Jürgen Ö\AppData\Local\Programs\Python\Python312\python.exe"
WHEELS = [
    "numpy-2.4.6-cp311-cp311-win_amd64.whl",
    "psutil-7.2.2-cp37-abi3-win_amd64.whl",
    "rlbot-2.0.0b56-py3-none-any.whl",
]


def python(minor: int, platform: str = "win-amd64") -> Python:
    return Python((3, minor), platform, rf"C:\Python3{minor}\python.exe")


def asked(**answers: Python | None) -> tuple[list[list[str]], Callable[[list[str]], Python | None]]:
    """Ways to start a Python, and what each answers."""
    return [[name] for name in answers], lambda way: answers[way[0]]


def test_the_launcher_and_the_path_are_tried_and_the_store_placeholder_is_not() -> None:
    here = {"py": r"C:\Windows\py.exe", "python": REAL, "python3": STUB}
    found = start.commands(True, here.get)
    assert found[1:5] == [["py", "-3.14"], ["py", "-3.13"], ["py", "-3.12"], ["py", "-3.11"]]
    assert found[5:] == [[REAL]]


def test_uv_is_the_last_resort() -> None:
    found = start.commands(True, {"uv": r"C:\uv.exe"}.get)
    assert found[1:] == [["uv", "run", "--no-project", "--python", "3.12", "python"]]


@pytest.mark.parametrize(
    ("path", "is_stub"),
    [(STUB, True), (STUB.upper().replace("\\", "/"), True), (REAL, False)],
)
def test_the_store_placeholder_is_known_by_its_folder(path: str, is_stub: bool) -> None:
    assert start.is_store_stub(path) == is_stub


def test_the_first_python_that_suits_is_taken() -> None:
    ways, ask = asked(a=None, b=python(15), c=python(12, "win32"), d=python(13), e=python(12))
    assert start.choose(ways, ask, []) == python(13)


def test_a_python_that_the_wheels_are_for_comes_first() -> None:
    ways, ask = asked(a=python(13), b=python(11, "win-arm64"), c=python(11), d=python(12))
    assert start.choose(ways, ask, WHEELS) == python(11)
    assert python(11).fits(WHEELS)


def test_without_such_a_one_another_is_taken_which_needs_the_network() -> None:
    ways, ask = asked(a=python(13), b=python(12))
    chosen = start.choose(ways, ask, WHEELS)
    assert chosen == python(13)
    assert not chosen.fits(WHEELS)
    assert not Python((3, 11), "linux-x86_64", "/usr/bin/python3").fits(WHEELS)


def test_uv_which_may_fetch_a_python_is_asked_only_when_there_is_none() -> None:
    ways, ask = asked(a=python(13), uv=python(11))
    assert start.choose(ways, ask, WHEELS) == python(13)
    ways, ask = asked(a=python(10), uv=python(12))
    assert start.choose(ways, ask, WHEELS) == python(12)


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ({}, "none that runs"),
        ({"a": python(10)}, "3.10, 64 bit"),
        ({"a": python(12, "win32"), "b": python(15)}, "3.12, 32 bit; 3.15, 64 bit"),
    ],
)
def test_when_none_suits_those_that_there_are_are_named(
    there: dict[str, Python], words: str
) -> None:
    ways, ask = asked(**there)
    with pytest.raises(StartError) as caught:
        start.choose(ways, ask, [])
    assert str(caught.value) == (
        f"it needs Python 3.11 to 3.14, 64 bit, from python.org; here is only: {words}."
    )


def test_the_environment_has_its_python_where_windows_puts_it() -> None:
    venv = ntpath.join(r"D:\A b — ü", ".venv")
    assert start.python_in(venv, True) == r"D:\A b — ü\.venv\Scripts\python.exe"
    assert start.python_in("/home/ü/.venv", False) == "/home/ü/.venv/bin/python"


def test_a_path_that_windows_could_not_write_is_refused_before_anything_is_installed() -> None:
    longest = "C:\\" + "x" * (start.LONGEST_PATH - start.DEEPEST_FILE - 1 - 3)
    start.require_short(longest, True)
    # The deepest file then has just the length that is allowed.
    assert len(ntpath.join(longest, "y" * start.DEEPEST_FILE)) == 259
    start.require_short("/" + "x" * 200, False)
    with pytest.raises(StartError, match=r"134 characters, and Windows allows 133: move it"):
        start.require_short(longest + "x", True)


@pytest.mark.parametrize(
    ("offline", "network", "words"),
    [
        (True, False, "what lies in wheels"),
        (False, True, "pip could not install its packages, for the reason above."),
        (False, False, "there is no network, and its folder holds no wheels"),
    ],
)
def test_why_pip_failed_is_a_sentence(offline: bool, network: bool, words: str) -> None:
    assert words in start.why_pip_failed(offline, lambda: network)


def test_a_crash_names_the_runtime_that_causes_it_and_other_codes_are_passed_on() -> None:
    assert "newest, https://aka.ms/vs/17" in (start.why_it_crashed(0xC0000005) or "")
    assert start.why_it_crashed(0) is None
    assert start.why_it_crashed(1) is None


def test_a_command_that_is_no_python_is_none() -> None:
    assert start.probe(["/nowhere/python"]) is None
    assert start.probe(["false"]) is None
    assert start.probe(["echo"]) is None


def test_the_batch_file_only_finds_a_python_and_hands_over() -> None:
    lines = (TEMPLATES / "run.bat").read_text().splitlines()
    assert len(lines) <= 16
    assert all(line.isascii() for line in lines)
    (loop,) = (line for line in lines if line.startswith("for "))
    assert re.findall('"([^"]+)"', loop) == [
        *("py -3", "python", "uv run --no-project --python 3.12 python"),
    ]
    assert 'cd /d "%~dp0"' in lines  # whatever the folder is called
    assert "        %%~P start.py %*" in lines
