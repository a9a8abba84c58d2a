import pytest

from tests.trainer.tiny import tiny_config
from trainer.config_file import ConfigError
from trainer.live import Change, differences, edited, is_live, require_live

LIVE = (
    "ppo.learning_rate",
    "ppo.entropy_schedule",
    "ppo.target_kl",
    "rewards.touch",
    "rewards.team_spirit",
    "rewards.custom.mine:still",
    "episodes.no_touch_s",
    "resets.random",
    "resets.later.kickoff",
    "checkpoint.keep",
    "health.max_kl",
)
FIXED = (
    "seed",
    "device",
    "sim.arenas",
    "networks.actor",
    "ppo.steps_per_iteration",
    "resets.file",
)


@pytest.mark.parametrize("name", LIVE)
def test_what_is_read_anew_in_every_iteration_is_live(name: str) -> None:
    assert is_live(name)


@pytest.mark.parametrize("name", FIXED)
def test_what_shapes_something_that_was_built_once_is_not(name: str) -> None:
    assert not is_live(name)


def test_an_edit_changes_what_it_names_and_nothing_else() -> None:
    config = tiny_config()
    after = edited(config, {"ppo.learning_rate": 3e-4, "rewards.custom.mine:still": 2})
    assert (after.ppo.learning_rate, after.rewards.custom) == (3e-4, {"mine:still": 2.0})
    assert differences(config, after) == [
        Change("ppo.learning_rate", 1e-3, 3e-4),
        Change("rewards.custom.mine:still", None, 2.0),
    ]
    assert differences(config, config) == []


def test_a_change_reads_as_the_config_file_writes_it() -> None:
    changes = [
        Change("ppo.learning_rate", 1e-3, 1e-5),
        Change("networks.actor", (8, 8), (16,)),
        Change("ppo.kl_stop", False, True),
        Change("ppo.clip_schedule", "constant", "linear"),
        Change("rewards.custom.mine:still", None, 2.0),
    ]
    assert [str(change) for change in changes] == [
        "ppo.learning_rate 0.001 -> 1e-05",
        "networks.actor [8, 8] -> [16]",
        "ppo.kl_stop false -> true",
        'ppo.clip_schedule "constant" -> "linear"',
        "rewards.custom.mine:still unset -> 2.0",
    ]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"ppo.lerning_rate": 1}, "set: unknown key ppo.lerning_rate; nearest: ppo.learning_rate"),
        ({"touch": 1}, "set: unknown key touch; nearest: rewards.touch"),
        ({"": 1}, "set: unknown key "),
        ({"ppo.learning_rate": 0}, "set: ppo.learning_rate = 0 should be greater than 0"),
        ({"ppo.learning_rate": float("nan")}, "set: ppo.learning_rate = nan should be"),
        ({"ppo.learning_rate": "fast"}, "set: ppo.learning_rate = 'fast' should be a valid number"),
        ({"rewards.touch.much": 1}, "set: rewards.touch = {'much': 1} should be a valid number"),
        ({"ppo.clip_schedule": "linaer"}, "nearest: linear"),
        ({"ppo.clip_schedule": "linear"}, "set: a schedule needs ppo.schedule_steps"),
        ({"ppo.batch_size": 64}, "set: ppo.batch_size 64 is more than the 32 rows"),
        ({"resets.from_file": 1}, "set: resets.from_file is 1, but resets.file names none"),
        ({}, "set: no values"),
    ],
)
def test_what_cannot_be_is_refused_with_the_sentence_of_a_config_file(
    values: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ConfigError) as refusal:
        edited(tiny_config(), values)
    assert sentence in str(refusal.value)


def test_settings_that_need_each_other_are_taken_together() -> None:
    values = {"ppo.clip_schedule": "linear", "ppo.schedule_steps": 1000}
    assert edited(tiny_config(), values).ppo.schedule_steps == 1000


def test_each_setting_that_is_not_live_is_named_with_what_to_do_instead() -> None:
    config = tiny_config()
    values = {"sim.arenas": 3, "rewards.touch": 2, "networks.critic": [4], "ppo.batch_size": 24}
    with pytest.raises(ConfigError) as refusal:
        require_live(differences(config, edited(config, values)))
    sentences = str(refusal.value).splitlines()
    assert [sentence.split()[1] for sentence in sentences] == ["sim.arenas", "networks.critic"]
    assert all("stop the run, set it then, and resume it" in sentence for sentence in sentences)


def test_a_fixed_setting_may_be_named_with_the_value_that_it_has() -> None:
    config = tiny_config()
    changes = differences(config, edited(config, {"sim.arenas": 2, "ppo.epochs": 3}))
    require_live(changes)
    assert [change.name for change in changes] == ["ppo.epochs"]
