from trainer.config import RunConfig
from tui.form_draft import draft_of
from tui.form_fields import fields_of
from tui.form_words import draft_words, field_words

FIELDS = fields_of(RunConfig(), RunConfig())


def words(typed: dict[str, str]) -> list[str]:
    return draft_words(draft_of(RunConfig(), FIELDS, typed), "nothing yet").plain.splitlines()


def test_differences_are_a_line_each_as_the_trainer_will_say_them() -> None:
    assert words({"ppo.learning_rate": "3e-4", "ppo.kl_stop": "false", "ppo.epochs": "4"}) == [
        "ppo.epochs 2 -> 4",
        "ppo.learning_rate 0.001 -> 0.0003",
    ]


def test_faults_stand_where_the_differences_were() -> None:
    found = words({"ppo.epochs": "0", "rewards.touch": "2"})
    assert found == ["ppo.epochs = 0 should be greater than 0"]


def test_nothing_is_said_so() -> None:
    assert words({}) == ["nothing yet"]


def test_brackets_in_a_value_are_no_markup() -> None:
    assert words({"networks.actor": "8, 8"}) == ["networks.actor [256, 256, 256] -> [8, 8]"]


def test_a_setting_is_explained_with_what_the_preset_says() -> None:
    by_name = {field.name: field for field in FIELDS}
    assert field_words(by_name["ppo.epochs"], "laptop").plain.splitlines() == [
        "ppo.epochs  Passes over each rollout.",
        "preset laptop: 2",
    ]
    assert field_words(by_name["sim.meshes"], "laptop").plain.endswith("preset laptop: empty")
