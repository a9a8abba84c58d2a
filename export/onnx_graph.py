"""The actor as an ONNX graph, written node by node from its modules.

Not by PyTorch's exporter, which puts stack traces with the paths of this machine into every node:
the same actor gives the same bytes anywhere. The actor has no normaliser of observations, so the
graph has none. Knows no files. Tested by `tests/export/test_onnx_graph.py`.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np
import onnx
from onnx import helper, numpy_helper
from torch import nn

from rlbot_agent.contract import Contract
from rlbot_agent.policy import CONTRACT_KEY
from trainer.networks import MLP

OPSET: Final = 17
"""The first with LayerNormalization; any onnxruntime since 1.12 runs it."""
IR_VERSION: Final = 8
"""What goes with that opset."""
INPUT: Final = "obs"
OUTPUT: Final = "logits"


def onnx_bytes(actor: MLP, contract: Contract) -> bytes:
    """A whole policy.onnx.

    Args:
        actor: On the CPU, in float32.
        contract: Travels in the metadata.

    Returns:
        A model with the input `obs` (n, D) float32 and the output `logits` (n, A) float32, for any
        n; equal for equal arguments.
    """
    nodes, weights = _graph_of(actor)
    obs = _rows(INPUT, contract.obs_width)
    logits = _rows(OUTPUT, contract.num_actions)
    graph = helper.make_graph(nodes, "actor", [obs], [logits], weights)
    model = helper.make_model(
        graph,
        producer_name="rlppo",
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid("", OPSET)],
    )
    helper.set_model_props(model, {CONTRACT_KEY: contract.to_json()})
    onnx.checker.check_model(model, full_check=True)
    data: bytes = model.SerializeToString(deterministic=True)
    return data


def _rows(name: str, width: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["n", width])


def _graph_of(actor: MLP) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
    """Nodes in order, and what they read beside the observation, named as in PyTorch."""
    names = list(actor.layers.named_children())
    nodes: list[onnx.NodeProto] = []
    flowing = INPUT
    for name, module in names:
        out = OUTPUT if name == names[-1][0] else f"layers.{name}"
        nodes += _nodes_of(module, f"layers.{name}", flowing, out)
        flowing = out
    weights = [
        numpy_helper.from_array(tensor.numpy(), name) for name, tensor in actor.state_dict().items()
    ]
    return nodes, weights + list(_constants(actor))


def _nodes_of(module: nn.Module, name: str, x: str, y: str) -> list[onnx.NodeProto]:
    """The nodes that compute `y` from `x` as the module called `name` does."""
    weight, bias = f"{name}.weight", f"{name}.bias"
    match module:
        case nn.Linear():  # y = x Wᵀ + b
            return [helper.make_node("Gemm", [x, weight, bias], [y], name=name, transB=1)]
        case nn.LayerNorm():
            return [
                helper.make_node(
                    "LayerNormalization", [x, weight, bias], [y], name=name, epsilon=module.eps
                )
            ]
        case nn.RMSNorm():
            return _rms_norm(name, x, y)
        case nn.ReLU():
            return [helper.make_node("Relu", [x], [y], name=name)]
        case nn.Tanh():
            return [helper.make_node("Tanh", [x], [y], name=name)]
        case nn.LeakyReLU():
            slope = module.negative_slope
            return [helper.make_node("LeakyRelu", [x], [y], name=name, alpha=slope)]
        case nn.SiLU():  # y = x · sigmoid(x)
            gate = f"{name}.gate"
            return [
                helper.make_node("Sigmoid", [x], [gate], name=gate),
                helper.make_node("Mul", [x, gate], [y], name=name),
            ]
    raise TypeError(f"no ONNX form is known for {module}")


def _rms_norm(name: str, x: str, y: str) -> list[onnx.NodeProto]:
    """RMS norm out of basic operators, since its own operator is newer than `OPSET`."""
    square, mean, raised, root, unit = (
        f"{name}.{part}" for part in ("square", "mean", "raised", "root", "unit")
    )
    # y = x / sqrt(mean(x²) + ε) · w
    return [
        helper.make_node("Mul", [x, x], [square], name=square),
        helper.make_node("ReduceMean", [square], [mean], name=mean, axes=[-1], keepdims=1),
        helper.make_node("Add", [mean, f"{name}.eps"], [raised], name=raised),
        helper.make_node("Sqrt", [raised], [root], name=root),
        helper.make_node("Div", [x, root], [unit], name=unit),
        helper.make_node("Mul", [unit, f"{name}.weight"], [y], name=name),
    ]


def _constants(actor: MLP) -> Iterator[onnx.TensorProto]:
    for name, module in actor.layers.named_children():
        if isinstance(module, nn.RMSNorm):
            eps = f"layers.{name}.eps"
            yield numpy_helper.from_array(np.array(module.eps, np.float32), eps)
