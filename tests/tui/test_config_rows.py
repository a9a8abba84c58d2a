import pytest

from trainer.config import RunConfig
from trainer.live import edited
from tui.config_rows import STARTING, cells, explanation, found_by, hindrance
from tui.form_fields import fields_of
from tui.run_reader import Situation

CONFIG = edited(RunConfig(), {"ppo.learning_rate": 3e-4, "networks.actor": (8, 8)})
FIELDS = fields_of(CONFIG, RunConfig())
BY_NAME = {field.name: field for field in FIELDS}


def names(words: str) -> list[str]:
    return [field.name for field in found_by(FIELDS, words)]


def test_a_search_finds_words_of_name_value_and_help_in_any_order() -> None:
    assert names("") == [*BY_NAME]
    assert names("LEARNING schedule rate")[0] == "ppo.learning_rate_schedule"
    assert "ppo.gamma" in names("discount")
    assert "ppo.learning_rate" in names("0.0003")
    assert names("nothing has this") == []


def test_what_is_not_as_the_preset_has_it_is_marked_and_compared() -> None:
    rows = [[cell.plain for cell in cells(BY_NAME[name])] for name in ("ppo.learning_rate", "seed")]
    assert rows == [
        ["• ppo.learning_rate", "0.0003", "0.001", "changes"],
        ["  seed", "0", "", "is fixed"],
    ]


@pytest.mark.parametrize(
    ("name", "situation", "why"),
    [
        ("ppo.learning_rate", "running", ""),
        ("ppo.learning_rate", "starting", STARTING),
        ("ppo.learning_rate", "stopped", ""),
        ("sim.arenas", "running", "stop the run, set it then, and resume it"),
        ("sim.arenas", "stopped", ""),
        ("sim.arenas", "died", ""),
        ("preset", "stopped", "the preset is where a run began"),
    ],
)
def test_what_cannot_be_changed_says_why_and_what_to_do(
    name: str, situation: Situation, why: str
) -> None:
    found = hindrance(BY_NAME[name], situation)
    assert why in found
    assert bool(why) == bool(found)
    assert found in explanation(BY_NAME[name], "laptop", situation).plain
