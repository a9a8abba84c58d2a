from collections.abc import Mapping

import pytest

from trainer.config import RunConfig
from trainer.live import edited
from tui.form_draft import Draft, Fault, draft_of
from tui.form_fields import fields_of


def draft(typed: Mapping[str, str], config: RunConfig | None = None) -> Draft:
    config = config or RunConfig()
    return draft_of(config, fields_of(config, RunConfig()), typed)


def test_several_edits_are_one_draft_with_their_differences_in_the_configs_order() -> None:
    found = draft({"ppo.learning_rate": "3e-4", "rewards.touch": "2", "ppo.epochs": "2"})
    assert found.values == {"rewards.touch": 2.0, "ppo.learning_rate": 3e-4}
    assert [*map(str, found.changes)] == [
        "rewards.touch 5.0 -> 2.0",
        "ppo.learning_rate 0.001 -> 0.0003",
    ]
    assert found.config is not None
    assert found.config.ppo.learning_rate == 3e-4
    assert found.faults == []


def test_what_is_typed_as_it_was_is_no_edit() -> None:
    assert draft({}) == draft({"ppo.learning_rate": "1e-3"}) == Draft(RunConfig(), {}, [], [])


@pytest.mark.parametrize(
    ("typed", "sentence", "names"),
    [
        ({"ppo.epochs": "0"}, "ppo.epochs = 0 should be greater than 0", ("ppo.epochs",)),
        ({"ppo.learning_rate": ""}, "ppo.learning_rate = '' should be a valid number", None),
        ({"ppo.learning_rate": "nan"}, "ppo.learning_rate = nan should be", None),
        ({"ppo.clip_schedule": "linear"}, "a schedule needs ppo.schedule_steps", None),
        ({"networks.actor": ""}, "networks.actor = () ", ("networks.actor",)),
        ({"networks.actor": "8, -1"}, "networks.actor.1 = -1 should be", ("networks.actor",)),
        ({"sim.modes": "9v9 = 1"}, "sim.modes.9v9 should be '1v1'", ("sim.modes",)),
        ({"sim.modes": "1v1"}, "sim.modes: write '1v1' as", ("sim.modes",)),
        ({"sim.action_delay": "8"}, "action_delay 8 must be below tick_skip 8", ()),
        ({"rewards.custom": "mine = x"}, "rewards.custom.mine = 'x' should", ("rewards.custom",)),
    ],
)
def test_what_cannot_be_is_the_configs_own_sentence_at_the_row_it_names(
    typed: dict[str, str], sentence: str, names: tuple[str, ...] | None
) -> None:
    found = draft(typed)
    assert found.config is None
    assert found.changes == []
    (fault,) = found.faults
    assert fault.sentence.startswith(sentence)
    if names is not None:
        assert fault.names == names


def test_a_sentence_about_two_settings_marks_both() -> None:
    (fault,) = draft({"ppo.minibatch_size": "5000"}).faults
    assert set(fault.names) == {"ppo.minibatch_size", "ppo.batch_size"}


def test_every_fault_is_told_at_once() -> None:
    found = draft({"ppo.epochs": "0", "rewards.touch": "much"})
    assert {name for fault in found.faults for name in fault.names} == {
        "ppo.epochs", "rewards.touch",
    }  # fmt: skip


def test_settings_that_need_each_other_are_right_together() -> None:
    found = draft({"ppo.clip_schedule": "linear", "ppo.schedule_steps": "1e6"})
    assert found.faults == []
    assert found.values == {"ppo.clip_schedule": "linear", "ppo.schedule_steps": 1_000_000}


def test_a_custom_reward_is_added_and_reweighted_but_not_taken_out() -> None:
    config = edited(RunConfig(), {"rewards.custom": {"mine:still": 2.0}})
    found = draft({"rewards.custom": "mine:still = 0, mine:spin = 1"}, config)
    assert [*map(str, found.changes)] == [
        "rewards.custom.mine:still 2.0 -> 0.0",
        "rewards.custom.mine:spin unset -> 1.0",
    ]
    sentence = "rewards.custom: mine:still cannot be taken out again: give it the weight 0"
    assert draft({"rewards.custom": ""}, config).faults == [Fault(sentence, ("rewards.custom",))]


def test_anchors_are_replaced_whole_for_0_is_a_rating_of_one_that_stays() -> None:
    found = draft({"ratings.anchors": "random = 0, bots/strong = 900"})
    assert found.faults == []
    assert found.config is not None
    assert found.config.ratings.anchors == {"random": 0.0, "bots/strong": 900.0}


def test_a_mix_of_modes_is_replaced_whole() -> None:
    found = draft({"sim.modes": "2v2 = 1"})
    assert found.config is not None
    assert found.config.sim.modes == {"2v2": 1.0}
