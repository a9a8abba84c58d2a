"""Whether a bundle is what was exported and plays as it was trained: files, words, numbers, speed.

Both networks get the same observations, a few thousand that the actor itself sees in the simulator
now (`export/observations.py`). Tested by `tests/export/test_verify.py`.
"""

import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Final

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from export.manifest import require_files
from export.observations import Array, play_observations
from rlbot_agent.contract import Contract
from rlbot_agent.manifest import (
    MANIFEST,
    POLICY,
    WEIGHTS,
    BundleError,
    Manifest,
    Provenance,
    read_manifest,
    require_chain,
)
from rlbot_agent.policy import OnnxPolicy, PolicyError, require_fit
from trainer.meshes import find_meshes
from trainer.networks import MLP, actor_of

LOGIT_TOLERANCE: Final = 1e-4
"""Largest difference between the two networks' logits."""
TIE: Final = 1e-5
"""Two actions whose logits are nearer than this are equally good: rounding may order them."""
TIMED_RUNS: Final = 2_000


def verify(bundle: Path) -> Iterator[str]:
    """Check everything, and yield a line a finding; the last one is the verdict.

    Raises:
        BundleError: When files, words or numbers are not what they should be.
        ContractError: When this version of the code has another observation or other actions.
        MeshError: When there are no meshes to play with.
    """
    manifest = read_manifest(bundle)
    require_files(bundle, manifest)
    yield f"files         {len(manifest.files)}, each as it was exported"

    require_chain(manifest)
    yield f"provenance    {_links(manifest.provenance)}"

    require_fit(manifest.contract, MANIFEST)
    policy = _load_policy(bundle, manifest)
    actor = _load_actor(bundle, manifest)
    yield f"contract      {_words(manifest.contract)}"

    rng = np.random.default_rng(0)
    obs = play_observations(actor, manifest.contract, find_meshes(""), rng)
    yield _compare(actor, policy, obs)
    yield _time(policy, obs)
    yield "verdict       good: it plays as it was trained"


def require_agreement(expected: Array, found: Array) -> float:
    """Refuse logits that differ, or that choose another action.

    Args:
        expected: (M, A) of PyTorch.
        found: (M, A) of onnxruntime.

    Returns:
        Largest absolute difference.

    Raises:
        BundleError: With the difference, or the number of observations with another action.
    """
    difference = float(np.abs(expected - found).max())
    if not difference <= LOGIT_TOLERANCE:  # also refuses nan
        raise BundleError(
            f"the logits of {POLICY} and {WEIGHTS} differ by {difference:.1e}, "
            f"more than {LOGIT_TOLERANCE:.0e}"
        )
    rows = np.arange(len(expected))
    lost = expected.max(axis=1) - expected[rows, found.argmax(axis=1)]
    if (others := int((lost > TIE).sum())) > 0:
        raise BundleError(
            f"{POLICY} and {WEIGHTS} choose another action in {others} of {len(rows)} observations"
        )
    return difference


def _load_policy(bundle: Path, manifest: Manifest) -> OnnxPolicy:
    try:
        policy = OnnxPolicy(bundle / POLICY)
    except PolicyError as error:
        raise BundleError(str(error)) from error
    if policy.contract != manifest.contract:
        raise BundleError(f"{POLICY} and {MANIFEST} hold two different contracts")
    return policy


def _load_actor(bundle: Path, manifest: Manifest) -> MLP:
    """The PyTorch network of the bundle."""
    actor = actor_of(manifest.contract)
    try:
        actor.load_state_dict(load_file(bundle / WEIGHTS))
    except (RuntimeError, SafetensorError) as error:
        raise BundleError(f"{WEIGHTS} is not the network of its contract") from error
    return actor


@torch.inference_mode()
def _compare(actor: MLP, policy: OnnxPolicy, obs: Array) -> str:
    difference = require_agreement(actor(torch.from_numpy(obs)).numpy(), policy.logits(obs))
    return (
        f"agreement     same action in {len(obs):,} observations from play, "
        f"logits differ by {difference:.1e} at most"
    )


def _time(policy: OnnxPolicy, obs: Array) -> str:
    """How long one decision's inference takes, one observation at a time as in the game."""
    times_us = []
    for run in range(TIMED_RUNS):
        row = obs[run % len(obs)][None]
        started = time.perf_counter_ns()
        policy.logits(row)
        times_us.append((time.perf_counter_ns() - started) / 1e3)
    p50, p95, p99 = np.percentile(times_us, (50, 95, 99))
    return f"inference     p50 {p50:.0f} us, p95 {p95:.0f} us, p99 {p99:.0f} us on one thread"


def _links(chain: Provenance) -> str:
    links = " -> ".join(f"{name} {link[:12]}" for name, link in asdict(chain).items() if link)
    return links if chain.selection else f"{links}; chosen by no selection"


def _words(contract: Contract) -> str:
    return (
        f"{', '.join(contract.modes)}, "
        f"{contract.obs_width} numbers, {contract.num_actions} actions, "
        f"{contract.tick_skip} ticks each, {contract.action_delay} late; "
        f"{contract.steps:,} steps by rlppo {contract.source_revision}"
    )
