from dataclasses import replace

import pytest

from rlbot_agent.contract import Contract, ContractError

CONTRACT = Contract(
    obs_name="default",
    obs_hash="3f2a",
    obs_width=92,
    num_actions=90,
    action_hash="ab12",
    action_masks=True,
    tick_skip=8,
    action_delay=1,
    modes=("1v1", "2v2"),
    max_team_size=2,
    actor_layers=(256, 256, 256),
    norm="none",
    activation="relu",
    steps=1_000_000,
    checkpoint_hash="c0ffee",
    config_hash="beef",
    source_revision="0.1.0",
)


def test_a_contract_reads_back_as_it_was_written() -> None:
    assert Contract.from_json(CONTRACT.to_json()) == CONTRACT


def test_equal_contracts_are_equal_bytes() -> None:
    assert replace(CONTRACT).to_json() == CONTRACT.to_json()


def test_a_difference_is_refused_with_both_sides() -> None:
    with pytest.raises(ContractError) as refused:
        CONTRACT.require("policy.onnx", "this agent", obs_hash="9c01", obs_width=112, tick_skip=8)
    assert str(refused.value).startswith(
        "obs_hash is '3f2a' in policy.onnx but '9c01' in this agent; "
        "obs_width is 92 in policy.onnx but 112 in this agent"
    )
    assert "tick_skip" not in str(refused.value)


def test_a_contract_with_a_missing_or_unknown_field_is_refused_by_name() -> None:
    text = CONTRACT.to_json().replace('"obs_width"', '"obs_with"')
    with pytest.raises(
        ContractError, match=r"lacks \['obs_width'\] and has unknown \['obs_with'\]"
    ):
        Contract.from_json(text)


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_what_is_no_contract_is_refused(text: str) -> None:
    with pytest.raises(ContractError):
        Contract.from_json(text)
