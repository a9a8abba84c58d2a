"""docs/dashboard.md follows the dashboard."""

import re
import tomllib
from pathlib import Path

from tui.keymap import keymap
from tui.keys import KEYS
from tui.known_keys import places
from tui.pages import PAGES
from tui.settings import PATH_VARIABLE, Settings
from tui.theme import THEMES

GUIDE = (Path(__file__).parents[2] / "docs" / "dashboard.md").read_text(encoding="utf-8")


def test_every_page_has_its_row() -> None:
    for page in PAGES:
        assert f"| {page.key} | {page.label} | {page.help} |" in GUIDE


def test_every_key_has_its_row() -> None:
    for key in KEYS:
        assert f"| {key.key} | {key.label} | {key.help} |" in GUIDE


def test_no_row_is_of_a_page_or_key_that_is_gone() -> None:
    found = re.findall(r"^\| (\S+) \| [^|]+ \| [^|]+ \|$", GUIDE, flags=re.MULTILINE)
    rows = [row for row in found if row != "key"]
    assert rows == [*(page.key for page in PAGES), *(key.key for key in KEYS)]


def test_every_setting_and_theme_is_named() -> None:
    assert all(f"| `{name}` |" in GUIDE for name in Settings.model_fields)
    assert all(f"`{name}`" in GUIDE for name in THEMES)
    assert f"`{PATH_VARIABLE}`" in GUIDE


def test_the_file_in_the_guide_is_one_that_is_taken() -> None:
    block = re.search(r"\n((?:    .*\n|\n)*    \[keys\]\n(?:    .*\n)*)", GUIDE)
    assert block
    mine = Settings.model_validate(tomllib.loads(re.sub(r"(?m)^    ", "", block[1])))
    assert mine.theme == "safe-dark"
    assert keymap(mine.keys, places(), "guide")["page.dashboard"] == "f1,1"


def test_every_command_in_the_guide_is_one_of_ours() -> None:
    assert re.search(r'textual serve --command "\S*rlppo-tui ', GUIDE)
    words = set(re.findall(r"rlppo-tui (settings --write|settings)\b", GUIDE))
    assert words == {"settings", "settings --write"}
