"""Real observations: what an actor sees when it plays itself in the simulator.

They are played when they are needed and not stored in the bundle: a verification then sees other
machines' simulators too, and a bundle stays the same bytes wherever it is exported. Knows no
bundle. Tested by `tests/export/test_observations.py`.
"""

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import torch

from rlbot_agent.actions import action_masks
from rlbot_agent.contract import Contract
from rlbot_agent.modes import teams_of
from rlbot_agent.observation import make_observation
from trainer.config import ResetsConfig
from trainer.networks import MLP
from trainer.resets import draw_starts, kickoff_starts
from trainer.sampling import masked_log_probs, sample
from trainer.sim import Simulator

Array = npt.NDArray[np.float32]

ARENAS: Final = 16
DECISIONS: Final = 75
"""Of each car: 5 s of game at 15 decisions a second."""


def play_observations(
    actor: MLP, contract: Contract, meshes: Path, rng: np.random.Generator
) -> Array:
    """Play 16 games of 75 decisions in each mode, half from kickoffs and half from random states.

    Args:
        actor: On the CPU; its actions are drawn, not the likeliest, to see more.
        contract: The actor's.
        meshes: Folder that holds soccar/*.cmf.
        rng: Draws starts and actions.

    Returns:
        (M, D) float32: 75 · 16 rows for each car of each mode, so at least 2,400.
    """
    modes = map(teams_of, contract.modes)
    return np.concatenate([_play(actor, contract, teams, meshes, rng) for teams in modes])


def _play(
    actor: MLP,
    contract: Contract,
    teams: tuple[int, ...],
    meshes: Path,
    rng: np.random.Generator,
) -> Array:
    """(75 · 16 · P, D) of one mode."""
    sim = Simulator(ARENAS, teams, contract.tick_skip, contract.action_delay, meshes, rng)
    sim.reset(np.arange(ARENAS), draw_starts(ARENAS, teams, ResetsConfig(), rng))
    builder = make_observation(contract.obs_name, teams, contract.max_team_size)
    seen = []
    for _ in range(DECISIONS):
        obs = builder.build(sim.state)
        seen.append(obs.reshape(-1, contract.obs_width))
        sim.step(_decide(actor, obs, _masks(sim, contract), rng))
        ended = np.flatnonzero((sim.events.goal != 0) | sim.broken)
        sim.reset(ended, kickoff_starts(len(ended), teams, rng))
    return np.concatenate(seen)


def _masks(sim: Simulator, contract: Contract) -> npt.NDArray[np.bool_]:
    masks = action_masks(sim.state)
    return masks if contract.action_masks else np.ones_like(masks)


@torch.inference_mode()
def _decide(
    actor: MLP, obs: Array, masks: npt.NDArray[np.bool_], rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """(B, P) actions for (B, P, D) observations."""
    log_probs = masked_log_probs(actor(torch.from_numpy(obs)), torch.from_numpy(masks))
    uniforms = torch.from_numpy(rng.random(obs.shape[:2], dtype=np.float32))
    rows = sample(log_probs.flatten(0, 1), uniforms.flatten())
    actions: npt.NDArray[np.int64] = rows.reshape(obs.shape[:2]).numpy()
    return actions
