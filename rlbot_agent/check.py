"""`python -m rlbot_agent check`: would this bot play here? A line a finding, and a verdict.

Starts no bot and needs no game. Tested by `tests/rlbot_agent/test_check.py`.
"""

import os
import platform
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np

from rlbot_agent.activation import BUNDLE, HOME, Activated, activate, find_bundle
from rlbot_agent.contract import ContractError
from rlbot_agent.dry_run import dry_run
from rlbot_agent.manifest import BundleError
from rlbot_agent.packages import IMPORTED, other_versions
from rlbot_agent.packet_log import PacketLogError
from rlbot_agent.pads import PadError
from rlbot_agent.policy import PolicyError
from rlbot_agent.state import Array

TIMED_RUNS: Final = 200


def run_check(recording: Path | None) -> int:
    """Print every finding; 0 when the bot would play, 1 when not.

    Args:
        recording: A file of recorded packets to play through the bot.
    """
    try:
        for line in findings(recording):
            print(line, flush=True)
    except (
        BundleError,
        ContractError,
        PacketLogError,
        PadError,
        PolicyError,
        OSError,
    ) as error:
        print(f"verdict       refused: {error}", flush=True)
        return 1
    return 0


def findings(recording: Path | None) -> Iterator[str]:
    """Each finding as it is found.

    Raises:
        BundleError, ContractError, PolicyError: When the bundle is not what was exported.
        PacketLogError, PadError: When the recorded packets cannot be played.
    """
    yield f"python        {platform.python_version()}, 64 bit, {sys.executable}"
    started = time.perf_counter()
    loaded = activate(find_bundle(HOME, os.environ.get(BUNDLE, "")))
    seconds = time.perf_counter() - started
    yield f"packages      {_packages(loaded)}"
    yield f"files         {len(loaded.manifest.files)}, checked in {seconds:.2f} s"
    yield from (f"note          {note}" for note in loaded.notes)
    yield f"policy        {loaded.words}"
    yield f"inference     {_inference(loaded.policy.logits, loaded.manifest.contract.obs_width)}"
    if recording:
        found = dry_run(loaded.policy, recording)
        yield f"dry run       {found.words}"
        for said, packets in found.notes.items():
            yield f"dry run       of {packets:,} packets it says: {said}"
    yield from (f"in RLBot      {line}" for line in what_to_see(loaded.bundle))
    yield "verdict       good: it would play"


def what_to_see(bundle: Path) -> Iterator[str]:
    """What RLBot shows of a bundle when all is well.

    Raises:
        BundleError: When its bot.toml was changed into something that RLBot cannot read.
    """
    try:
        name = tomllib.loads((bundle / "bot.toml").read_text("utf-8"))["settings"]["name"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BundleError(f"RLBot will not list this bot: no name in bot.toml: {error}") from error
    yield f'add this folder; the list of bots then shows "{name}"'
    yield 'when a match starts, the window of RLBotServer says "rlppo bot: loaded ..."'
    yield "the car stands still until the countdown ends, and drives from the first moment after it"


def _packages(loaded: Activated) -> str:
    told = {name: loaded.manifest.versions[name] for name in IMPORTED}
    if others := other_versions(told):
        return f"{', '.join(others)}: not what it was exported for"
    return f"{', '.join(f'{name} {version}' for name, version in told.items())}, as exported"


def _inference(logits: Callable[[Array], Array], width: int) -> str:
    row, times_ms = np.zeros((1, width), np.float32), []
    for _ in range(TIMED_RUNS):
        started = time.perf_counter()
        found = logits(row)
        times_ms.append(1e3 * (time.perf_counter() - started))
    if not np.isfinite(found).all():
        raise PolicyError("the policy says a number that is not finite: export another checkpoint")
    p50, p99 = np.percentile(times_ms, (50, 99))
    return f"p50 {p50:.2f} ms, p99 {p99:.2f} ms of the 8.3 ms that a tick lasts"
