import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from export.manifest import BundleError
from export.verify import require_agreement, verify
from rlbot_agent.contract import ContractError
from rlbot_agent.observation import OBSERVATIONS
from tests.export.bundles import make_bundle, reseal


def refusal(bundle: Path) -> str:
    with pytest.raises((BundleError, ContractError)) as caught:
        list(verify(bundle))
    return str(caught.value)


@pytest.mark.parametrize(
    "networks",
    [
        ("networks.norm=none",),
        ("networks.norm=layer_norm", "networks.activation=tanh"),
        ("networks.norm=rms_norm", "networks.shared=[8, 6]"),
    ],
)
def test_a_bundle_as_exported_is_good(tmp_path: Path, networks: tuple[str, ...]) -> None:
    lines = list(verify(make_bundle(tmp_path, *networks)))
    assert re.fullmatch(r"files +\d\d, each as it was exported", lines[0])
    link = "[0-9a-f]{12}"
    assert re.fullmatch(
        f"provenance +checkpoint {link} -> config {link} -> contract {link} -> policy {link}; "
        "chosen by no selection",
        lines[1],
    )
    assert re.fullmatch(
        r"contract +1v1, 92 numbers, 90 actions, 8 ticks each, 1 late; .*", lines[2]
    )
    # 75 decisions of 16 arenas with 2 cars.
    assert re.fullmatch(r"agreement +same action in 2,400 .* differ by \S+ at most", lines[3])
    assert re.fullmatch(r"inference +p50 \d+ us, p95 \d+ us, p99 \d+ us on one thread", lines[4])
    assert lines[5] == "verdict       good: it plays as it was trained"


def test_a_bundle_of_several_modes_is_verified_in_all_of_them(tmp_path: Path) -> None:
    lines = list(verify(make_bundle(tmp_path, "sim.modes={1v1=1, 1v2=1}")))
    assert "1v1, 1v2, 132 numbers, 90 actions" in lines[2]
    assert "same action in 6,000 observations" in lines[3]
    assert lines[5].startswith("verdict       good")


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("modes", [("1v1",), ("1v1", "1v2")])
def test_a_bundle_with_any_observation_is_good(
    tmp_path: Path, observation: str, modes: tuple[str, ...]
) -> None:
    settings = (f"sim.observation={observation}", *(f"sim.modes.{mode}=1" for mode in modes))
    *_, verdict = verify(make_bundle(tmp_path, *settings))
    assert verdict == "verdict       good: it plays as it was trained"


def test_a_changed_byte_is_named(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    with (bundle / "policy.onnx").open("ab") as file:
        file.write(b"\0")
    assert refusal(bundle) == "policy.onnx was changed after the export"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    (bundle / "rlbot_agent" / "obs.py").unlink()
    assert refusal(bundle) == "rlbot_agent/obs.py is missing"


def test_another_observation_layout_is_refused_with_both_sides(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    reseal(bundle, obs_hash="00ff", obs_width=93)
    sentence = refusal(bundle)
    assert "obs_hash is '00ff' in manifest.json but '" in sentence
    assert "obs_width is 93 in manifest.json but 92 in this agent" in sentence


def test_the_policy_of_another_training_is_refused_by_its_words(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path / "a")
    other = make_bundle(tmp_path / "b", "sim.tick_skip=4")
    (bundle / "policy.onnx").write_bytes((other / "policy.onnx").read_bytes())
    reseal(bundle)
    assert refusal(bundle) == "policy.onnx and manifest.json hold two different contracts"


def test_weights_of_another_training_are_refused_by_their_hash(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path / "a")
    other = make_bundle(tmp_path / "b", "networks.actor=[4]")
    (bundle / "policy.safetensors").write_bytes((other / "policy.safetensors").read_bytes())
    reseal(bundle)
    sentence = "policy.safetensors is not the checkpoint that the contract names"
    assert refusal(bundle) == sentence


def test_a_model_that_onnxruntime_cannot_load_is_a_sentence(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    (bundle / "policy.onnx").write_bytes(b"no model")
    reseal(bundle)
    assert "policy.onnx is not a model that onnxruntime can load" in refusal(bundle)


def test_one_weight_of_the_graph_that_is_another_is_found(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    model = onnx.load(bundle / "policy.onnx")
    (bias,) = (weight for weight in model.graph.initializer if weight.name == "layers.4.bias")
    values = numpy_helper.to_array(bias).copy()
    values[7] += 0.01
    bias.CopyFrom(numpy_helper.from_array(values, bias.name))
    onnx.save(model, bundle / "policy.onnx")
    reseal(bundle)
    expected = "the logits of policy.onnx and policy.safetensors differ by 1.0e-02, more than 1e-04"
    assert refusal(bundle) == expected


def rows(*logits: tuple[float, ...]) -> np.ndarray:
    return np.array(logits, np.float32)


def test_logits_that_differ_by_more_than_the_tolerance_are_refused() -> None:
    assert require_agreement(rows((1, 2)), rows((1, 2.00006))) == pytest.approx(6e-5, rel=0.01)
    with pytest.raises(BundleError, match=r"differ by 2\.0e-04, more than 1e-04"):
        require_agreement(rows((1, 2)), rows((1, 2.0002)))


def test_logits_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(BundleError, match="differ by nan"):
        require_agreement(rows((1, 2)), rows((1, float("nan"))))


def test_another_action_is_refused_unless_both_are_equally_good() -> None:
    # The first leads by 4e-5 in one network, the second by 2e-5 in the other: no rounding.
    with pytest.raises(BundleError, match="another action in 1 of 2 observations"):
        require_agreement(rows((0.00004, 0), (1, 0)), rows((0, 0.00002), (1, 0)))
    # A lead of 4e-6 is within rounding.
    require_agreement(rows((0.000004, 0)), rows((0, 0.000002)))
