import numpy as np
import torch

from export.observations import play_observations
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of
from trainer.meshes import find_meshes
from trainer.networks import MLP


def test_an_actor_of_several_modes_sees_each_of_them() -> None:
    contract = contract_of(tiny_config("sim.modes={1v1=1, 1v2=1}"), 0)
    torch.manual_seed(0)
    actor = MLP(contract.obs_width, (8,), contract.num_actions, "none", "relu")
    obs = play_observations(actor, contract, find_meshes(""), np.random.default_rng(0))
    # 75 decisions of 16 arenas with 2 and with 3 cars; 52 + 20 · 4 numbers.
    assert obs.shape == (75 * 16 * (2 + 3), 132)
    # The last place is that of a second opponent, whom only the one car of 1v2 has.
    seconds = obs[:, -20:].any(axis=1)
    assert not seconds[:2400].any()
    assert seconds[2400:].reshape(-1, 3).tolist() == [[True, False, False]] * 1200


def test_an_actor_sees_thousands_of_different_real_moments_from_both_sides() -> None:
    contract = contract_of(tiny_config("sim.modes.2v2=1"), 0)
    torch.manual_seed(0)
    actor = MLP(contract.obs_width, (8,), contract.num_actions, "none", "relu")
    obs = play_observations(actor, contract, find_meshes(""), np.random.default_rng(0))
    # 75 decisions of 16 arenas with 4 cars; 52 + 20 · 4 numbers.
    assert obs.shape == (4800, 132)
    assert obs.dtype == np.float32
    assert np.isfinite(obs).all()
    assert len(np.unique(obs, axis=0)) > 4700
    # Ball (9), pads (34) and nine numbers of its own stand before a car's position: y is 53. In a
    # kickoff both teams stand on their own half, which each sees at negative y.
    first_y = obs[:64, 53].reshape(16, 4)
    kickoffs = (first_y < -2500 / 2300).all(axis=1).sum()
    assert 4 <= kickoffs <= 12
