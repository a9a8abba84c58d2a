from dataclasses import replace

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from export.onnx_graph import onnx_bytes
from rlbot_agent.contract import Contract
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of
from trainer.networks import ACTIVATIONS, MLP, NORMS

CONTRACT = contract_of(tiny_config(), 64)


def run(data: bytes, obs: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    (logits,) = session.run(["logits"], {"obs": obs})
    return np.asarray(logits)


def make_actor(norm: str, contract: Contract = CONTRACT, activation: str = "relu") -> MLP:
    """An actor whose norms, too, have weights that do something."""
    torch.manual_seed(3)
    style = (norm, activation)
    actor = MLP(contract.obs_width, contract.actor_layers, contract.num_actions, *style)
    for parameter in actor.parameters():
        torch.nn.init.normal_(parameter, 0.5, 0.3)
    return actor


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("rows", [1, 37])
def test_the_graph_computes_what_the_network_computes(
    norm: str, activation: str, rows: int
) -> None:
    actor = make_actor(norm, activation=activation)
    obs = np.random.default_rng(1).standard_normal((rows, 92)).astype(np.float32)
    with torch.inference_mode():
        expected = actor(torch.from_numpy(obs)).numpy()
    found = run(onnx_bytes(actor, CONTRACT), obs)
    assert found.shape == (rows, 90)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        # Linear: (1·3 + 2·4, 1·3 - 2·4) = (11, -5); ReLU: (11, 0); sum: 11.
        ("none", 11.0),
        # Mean 3, deviations ±8, variance 64: (1, -1); ReLU: (1, 0); sum: 1.
        ("layer_norm", 1.0),
        # Mean square (121 + 25)/2 = 73: 11/√73 = 1.287462; ReLU drops the other.
        ("rms_norm", 1.287462),
    ],
)
def test_a_graph_that_fits_on_paper_gives_the_number_on_paper(norm: str, expected: float) -> None:
    contract = replace(CONTRACT, obs_width=2, num_actions=1, actor_layers=(2,), norm=norm)
    actor = MLP(2, (2,), 1, norm, "relu")
    first, last = actor.layers[0], actor.layers[-1]
    assert isinstance(first, torch.nn.Linear)
    assert isinstance(last, torch.nn.Linear)
    with torch.no_grad():
        first.weight.copy_(torch.tensor([[1.0, 2.0], [1.0, -2.0]]))
        first.bias.zero_()
        last.weight.fill_(1.0)
        last.bias.zero_()
    found = run(onnx_bytes(actor, contract), np.array([[3.0, 4.0]], np.float32))
    assert found.item() == pytest.approx(expected, abs=1e-5)


def test_the_file_names_its_ports_and_carries_the_contract() -> None:
    model = onnx.load_from_string(onnx_bytes(make_actor("none"), CONTRACT))
    (obs,), (logits,) = model.graph.input, model.graph.output
    for port, name, width in ((obs, "obs", 92), (logits, "logits", 90)):
        batch, columns = port.type.tensor_type.shape.dim
        assert (port.name, batch.dim_param, columns.dim_value) == (name, "n", width)
        assert port.type.tensor_type.elem_type == onnx.TensorProto.FLOAT
    properties = {entry.key: entry.value for entry in model.metadata_props}
    assert Contract.from_json(properties["rlppo.contract"]) == CONTRACT
    assert {weight.name for weight in model.graph.initializer} == {
        f"layers.{layer}.{part}" for layer in (0, 2, 4) for part in ("weight", "bias")
    }
    assert not any(node.doc_string or node.metadata_props for node in model.graph.node)


def test_the_same_actor_gives_the_same_bytes() -> None:
    actor = make_actor("rms_norm")
    assert onnx_bytes(actor, CONTRACT) == onnx_bytes(actor, CONTRACT)
