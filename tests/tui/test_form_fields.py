from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from trainer.config import RunConfig
from trainer.config_file import ConfigError, load_config, preset_names, tree_of, validated
from trainer.live import edited
from tui.form_fields import (
    FormField,
    _kind,
    fields_of,
    preset_config,
    section_title,
    setting_words,
    text_of,
    value_of,
)

PRESETS = {name: preset_config(name) for name in preset_names()}
FIELDS = fields_of(RunConfig(), PRESETS["laptop"])
BY_NAME = {field.name: field for field in FIELDS}


def leaves(schema: Mapping[str, Any], root: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """The settings by pydantic's own JSON schema of the model: another way to the same list."""
    for key, found in schema["properties"].items():
        reference = found.get("$ref") or found.get("allOf", [{}])[0].get("$ref", "")
        inner = root["$defs"].get(reference.rpartition("/")[2], {})
        if "properties" in inner:
            yield from leaves(inner, root, f"{prefix}{key}.")
        else:
            yield prefix + key


def test_every_setting_of_the_config_has_a_row_and_no_other() -> None:
    schema = RunConfig.model_json_schema()
    assert sorted(BY_NAME) == sorted(leaves(schema, schema))
    assert len(FIELDS) > 80


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_every_row_says_what_it_does_and_can_be_typed_as_it_stands(field: FormField) -> None:
    assert field.help.endswith(".")
    assert field.name == ".".join(filter(None, (field.section, field.label.replace(" ", "_"))))
    value = value_of(field, field.text)
    assert value == field.value
    assert validated(tree_of(field.name, value), "the form") == RunConfig()
    assert (field.kind == "choice") == bool(field.choices)
    assert field.kind != "choice" or field.value in field.choices


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_nonsense_in_any_row_is_refused_by_sentences_that_name_the_setting(
    field: FormField,
) -> None:
    if field.kind == "text" or field.name == "preset":
        return
    with pytest.raises(ConfigError) as refusal:
        edited(RunConfig(), {field.name: value_of(field, "nonsense")})
    assert all(field.name in sentence for sentence in str(refusal.value).splitlines())


@pytest.mark.parametrize("preset", PRESETS)
def test_every_setting_of_every_preset_is_read_back_from_its_text(preset: str) -> None:
    config = PRESETS[preset]
    for field in fields_of(config, config):
        assert value_of(field, field.text) == field.value
        assert not field.changed


def test_a_row_knows_what_the_preset_says_and_whether_it_is_live() -> None:
    fields = {
        field.name: field
        for field in fields_of(PRESETS["large"], PRESETS["laptop"])
        if field.changed
    }
    assert {"preset", "sim.arenas", "networks.actor", "ppo.learning_rate"} <= set(fields)
    rate, actor = fields["ppo.learning_rate"], fields["networks.actor"]
    assert (rate.text, text_of(rate.default), rate.live) == ("0.0002", "0.001", True)
    assert (actor.text, actor.live) == ("2048, 2048, 1024, 1024", False)
    assert BY_NAME["resets.later.kickoff"].section == "resets.later"
    assert (BY_NAME["seed"].section, section_title("")) == ("", "run")
    assert BY_NAME["preset"].choices == ("laptop", "large", "rlgymppo")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("ppo.steps_per_iteration", "50_000", 50_000),
        ("ppo.steps_per_iteration", "50,000", 50_000),
        ("ppo.steps_per_iteration", "1e6", 1_000_000),
        ("ppo.steps_per_iteration", "1.5", "1.5"),
        ("ppo.steps_per_iteration", "99999999999999999999", 99999999999999999999),
        ("ppo.steps_per_iteration", "inf", "inf"),
        ("ppo.learning_rate", " 3e-4 ", 3e-4),
        ("ppo.learning_rate", "fast", "fast"),
        ("ppo.kl_stop", "true", True),
        ("ppo.kl_stop", "yes", "yes"),
        ("ppo.clip_schedule", "linear", "linear"),
        ("networks.actor", "256, 128", (256, 128)),
        ("networks.actor", "[64]", (64,)),
        ("networks.actor", "64, x", (64, "x")),
        ("networks.shared", "", ()),
        ("sim.modes", "1v1 = 1, 2v2 = 0.5", {"1v1": 1.0, "2v2": 0.5}),
        ("sim.modes", '{"3v3" = 2}', {"3v3": 2.0}),
        ("rewards.custom", "", {}),
        ("rewards.custom", "mine:spin = -2,", {"mine:spin": -2.0}),
        ("sim.meshes", " /some/where ", "/some/where"),
    ],
)
def test_what_was_typed_becomes_a_value(name: str, text: str, value: object) -> None:
    found = value_of(BY_NAME[name], text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1v1", "sim.modes: write '1v1' as name = number, name = number"),
        ("= 2", "sim.modes: write '= 2' as name = number, name = number"),
        ("1v1 = 1, 1v1 = 2", "sim.modes: 1v1 is there twice"),
    ],
)
def test_weights_that_are_no_weights_are_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        value_of(BY_NAME["sim.modes"], text)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize("value", [1e-5, 0.00533, 1 / 3, 12.0, 1e30, 3])
def test_a_number_keeps_every_digit(value: float) -> None:
    assert float(text_of(value)) == value


@pytest.mark.parametrize("preset", PRESETS)
def test_the_words_of_a_config_bring_it_back_from_nothing(preset: str) -> None:
    values = {
        "seed": 7,
        "sim.modes": {"2v2": 2.0, "1v1": 0.5},
        "sim.meshes": 'a "b" \\ c',
        "networks.actor": (8,),
        "networks.shared": (),
        "rewards.custom": {"mine:spin": 2.0, "mine:still": -0.25},
        "ratings.anchors": {"random": 0.0, "C:\\bots\\b": 500.0},
        "ppo.entropy_schedule": "cosine",
        "ppo.schedule_steps": 1000,
        "ppo.overlap": True,
        "resets.later.kickoff": 0.25,
    }
    config = edited(PRESETS[preset], values)
    words = setting_words(config)
    assert words[0] == f"preset={preset}"
    assert load_config(None, words) == config
    assert setting_words(PRESETS[preset]) == [f"preset={preset}"]


def test_a_type_that_no_row_can_show_is_not_passed_over() -> None:
    with pytest.raises(TypeError, match=r"ppo\.new is .*: a form has no row for that"):
        _kind("ppo.new", dict[str, float] | None)
