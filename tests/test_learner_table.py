"""`docs/learner.md` promises only what is there: its tests, its modules, all of the traps."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "learner.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
MODULES = sorted(set(re.findall(r"\b(?:rlbot_agent|trainer|export|tui|tests)/[\w/]+\.py\b", PAGE)))
TRAPS = re.findall(r"^\| (\d+)\. .* \| (.*) \| (.*) \|$", PAGE, re.MULTILINE)
NOT_HERE = {14}
"""Traps of parts that this trainer does not have."""


def functions_of(file: str) -> set[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return {node.name for node in tree.body if isinstance(node, kinds)}


@pytest.mark.parametrize("file", sorted({file for file, _ in TESTS}))
def test_every_test_that_is_named_exists(file: str) -> None:
    named = {name for there, name in TESTS if there == file}
    assert all(name.startswith("test_") for name in named)
    assert named - functions_of(file) == set()


def test_every_module_that_is_named_exists() -> None:
    assert [module for module in MODULES if not (ROOT / module).is_file()] == []


def test_every_row_has_all_its_columns_and_says_one_of_three_words() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]
    items = [re.split(r"(?<!\\)\|", line)[1:-1] for line in rows]
    words = [cells[1].strip() for cells in items if len(cells) == 4]
    assert {len(cells) for cells in items} == {3, 4}
    assert set(words) == {"here", "same", "differs", "none"}
    assert 90 <= len(words) - words.count("here") <= 160


def test_all_traps_are_there_each_with_a_test_or_with_no_such_part() -> None:
    assert [int(number) for number, _, _ in TRAPS] == list(range(1, 19))
    for number, closed, held in TRAPS:
        assert ("no such part yet" in closed) == (int(number) in NOT_HERE)
        assert "::test_" in held or int(number) in NOT_HERE
