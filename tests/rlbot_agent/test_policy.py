import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from rlbot_agent.contract import ContractError
from rlbot_agent.obs import DefaultObs
from rlbot_agent.policy import OnnxPolicy, PolicyError
from tests.rlbot_agent.models import contract, write_model


def one_hot(*columns: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Observations that make these actions the likeliest, in a model of the unit matrix."""
    return np.eye(92, dtype=np.float32)[list(columns)]


def test_it_takes_the_likeliest_action_of_each_agent(tmp_path: Path) -> None:
    policy = OnnxPolicy(write_model(tmp_path / "policy.onnx", contract()))
    masks = np.ones((3, 90), np.bool_)
    assert policy.act(one_hot(7, 0, 89), masks).tolist() == [7, 0, 89]


def test_it_never_takes_an_impossible_action(tmp_path: Path) -> None:
    policy = OnnxPolicy(write_model(tmp_path / "policy.onnx", contract()))
    masks = np.zeros((1, 90), np.bool_)
    masks[0, [20, 30]] = True
    obs = one_hot(7) + 0.5 * one_hot(30)
    assert policy.act(obs, masks).tolist() == [30]
    assert policy.act(-one_hot(20), masks).tolist() == [30]  # 0 is more than -1


def test_a_policy_that_was_trained_without_masks_ignores_them(tmp_path: Path) -> None:
    policy = OnnxPolicy(write_model(tmp_path / "policy.onnx", contract(action_masks=False)))
    assert policy.act(one_hot(7), np.zeros((1, 90), np.bool_)).tolist() == [7]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"obs_hash": "feedbeef"}, "obs_hash is 'feedbeef' in policy.onnx but '.*' in this agent"),
        ({"action_hash": "beef"}, "action_hash is 'beef' in policy.onnx but '.*' in this agent"),
        ({"obs_width": 132}, "obs_width is 132 in policy.onnx but 92 in this agent"),
        (
            {"obs_name": "mine"},
            "policy.onnx does not fit .* no observation 'mine', there are default, ",
        ),
        ({"modes": ("2v2",)}, "obs_hash is .* obs_width is 92 in policy.onnx but 132 in"),
    ],
)
def test_a_policy_for_another_body_is_refused_with_both_sides(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    path = write_model(tmp_path / "policy.onnx", contract(**changes))
    with pytest.raises(ContractError, match=words):
        OnnxPolicy(path)


def test_a_padded_policy_is_checked_against_the_padded_layout(tmp_path: Path) -> None:
    padded = DefaultObs((0, 1), 3)
    words = contract(max_team_size=3, obs_hash=padded.layout_hash, obs_width=padded.width)
    weights = np.zeros((padded.width, 90), np.float32)
    OnnxPolicy(write_model(tmp_path / "policy.onnx", words, weights))
    with pytest.raises(ContractError, match="obs_hash"):
        OnnxPolicy(write_model(tmp_path / "p.onnx", contract(max_team_size=3), weights))


def test_a_model_without_a_contract_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ContractError, match="holds no contract"):
        OnnxPolicy(write_model(tmp_path / "policy.onnx", None))


def test_a_missing_and_a_damaged_model_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"no policy at .*policy\.onnx"):
        OnnxPolicy(tmp_path / "policy.onnx")
    (tmp_path / "policy.onnx").write_bytes(b"not a model")
    with pytest.raises(PolicyError, match="is not a model that onnxruntime can load"):
        OnnxPolicy(tmp_path / "policy.onnx")


def test_one_thread_that_does_not_spin_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    real = onnxruntime.InferenceSession

    def open_session(model: bytes, options: Any, providers: list[str]) -> Any:  # noqa: ANN401
        spins = options.get_session_config_entry("session.intra_op.allow_spinning")
        asked.append((options.intra_op_num_threads, options.inter_op_num_threads, spins, providers))
        return real(model, options, providers=providers)

    monkeypatch.setattr(onnxruntime, "InferenceSession", open_session)
    OnnxPolicy(write_model(tmp_path / "policy.onnx", contract()))
    assert asked == [(1, 1, "0", ["CPUExecutionProvider"])]


def test_a_missing_c_runtime_on_windows_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "onnxruntime":
                raise ImportError("DLL load failed while importing onnxruntime_pybind11_state")

    monkeypatch.delitem(sys.modules, "onnxruntime")
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(PolicyError, match=r"Microsoft Visual C\+\+ runtime"):
        OnnxPolicy(tmp_path / "policy.onnx")
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(
        PolicyError, match=r"onnxruntime is not installed: DLL load failed.*: start by run.bat"
    ):
        OnnxPolicy(tmp_path / "policy.onnx")
