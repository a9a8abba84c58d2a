"""Small ONNX policies by hand: logits = obs @ weights."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from rlbot_agent.contract import Contract
from rlbot_agent.policy import CONTRACT_KEY
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of


def contract(**changes: Any) -> Contract:  # noqa: ANN401
    """Of the tiny 1v1 actor."""
    return replace(contract_of(tiny_config(), 0), **changes)


def write_model(
    path: Path, words: Contract | None, weights: np.ndarray[Any, Any] | None = None
) -> Path:
    """A model of 92 numbers and 90 actions; without a contract when `words` is None."""
    matrix = np.eye(92, 90, dtype=np.float32) if weights is None else weights
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["obs", "weights"], ["logits"])],
        "policy",
        [helper.make_tensor_value_info("obs", TensorProto.FLOAT, ["n", matrix.shape[0]])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", matrix.shape[1]])],
        [numpy_helper.from_array(matrix, "weights")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if words:
        helper.set_model_props(model, {CONTRACT_KEY: words.to_json()})
    onnx.save(model, path)
    return path
