import pytest
import torch
from torch import Tensor

from tests.trainer.test_ppo import Learning, config, panel_of
from trainer.batch_step import accumulate_gradients
from trainer.config import NetworksConfig
from trainer.networks import ActorCritic
from trainer.precision import autocast, tf32_allowed

CPU = torch.device("cpu")


@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
def test_bf16_multiplies_in_bfloat16_and_norms_in_float32(norm: str) -> None:
    model = ActorCritic(3, 4, NetworksConfig(actor=(8,), critic=(8,), norm=norm))  # type: ignore[arg-type]
    linear, normed, *_ = model.actor.layers
    rows = torch.ones(2, 3)
    with autocast("bf16", CPU):
        assert linear(rows).dtype == torch.bfloat16
        assert normed(linear(rows)).dtype == torch.float32
    with autocast("f32", CPU):
        assert linear(rows).dtype == torch.float32


def test_tf32_is_allowed_only_where_asked_for() -> None:
    before = torch.backends.cuda.matmul.allow_tf32
    with tf32_allowed("tf32"):
        assert torch.backends.cuda.matmul.allow_tf32
        with tf32_allowed("f32"):
            assert not torch.backends.cuda.matmul.allow_tf32
    assert torch.backends.cuda.matmul.allow_tf32 == before


def gradients(learning: Learning, **precisions: str) -> dict[str, Tensor]:
    """Of each network, in float32, for one batch of all rows."""
    settings = config(**precisions)
    learning.model.zero_grad()
    accumulate_gradients(
        learning.model, learning.batch(), settings, panel_of(learning.model, settings)
    )
    found = {}
    for name, part in learning.model.parts.items():
        parts = [parameter.grad for parameter in part.parameters()]
        assert all(part is not None and part.dtype == torch.float32 for part in parts)
        found[name] = torch.cat([part.flatten() for part in parts if part is not None])
    return found


def test_bf16_gradients_are_close_and_touch_only_the_network_that_asked() -> None:
    learning = Learning(learning_rate=0.01, epochs=5)
    learning.update()
    exact = gradients(learning)
    coarse = gradients(learning, critic_precision="bf16")
    assert torch.equal(coarse["actor"], exact["actor"])
    # bfloat16 has 8 bits: products are off by up to 1/256, their sums by less.
    off = float((coarse["critic"] - exact["critic"]).norm() / exact["critic"].norm())
    assert 1e-5 < off < 0.02
    coarse = gradients(learning, actor_precision="bf16")
    assert torch.equal(coarse["critic"], exact["critic"])
    assert 0.99 < float(torch.cosine_similarity(coarse["actor"], exact["actor"], 0)) < 1


def test_a_bf16_update_keeps_float32_weights_and_moments() -> None:
    learning = Learning(actor_precision="bf16", critic_precision="bf16", epochs=2)
    measured = learning.update()
    assert all(parameter.dtype == torch.float32 for parameter in learning.model.parameters())
    for optimizer in learning.optimizers.values():
        for moments in optimizer.state.values():
            assert moments["exp_avg"].dtype == torch.float32
    # The policy that collected in float32 is met in bfloat16: close, not equal.
    assert 0 < measured["Loss/approx_kl"] < 0.01
