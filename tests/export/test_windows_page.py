"""`docs/windows.md` promises only what is there: sentences, settings, numbers."""

import re
from pathlib import Path

import pytest

from export.bundle import AGENT, TEMPLATES
from export.templates.start import DEEPEST_FILE, LONGEST_PATH

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "windows.md").read_text("utf-8")
SOURCES = "".join(
    path.read_text("utf-8")
    for folder in (TEMPLATES, AGENT, ROOT / "export")
    for path in folder.iterdir()
    if path.suffix in (".py", ".bat")
)
SAID = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("words", SAID)
def test_every_sentence_of_the_table_is_one_that_the_programs_say(words: str) -> None:
    assert words in SOURCES


def test_the_table_is_not_empty() -> None:
    assert len(SAID) > 7


def test_the_longest_path_is_what_the_start_refuses() -> None:
    assert f"at most {LONGEST_PATH - DEEPEST_FILE - 1} characters" in PAGE


def test_the_environment_variables_are_the_bots() -> None:
    for name in re.findall(r"RLPPO_\w+", PAGE):
        assert f'"{name}"' in SOURCES
