"""Plays recorded packets through a policy, without the game: what would the bot have done?

Knows no sockets; the file is that of `packet_log.py`. Tested by
`tests/rlbot_agent/test_dry_run.py`.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rlbot_flatbuffers import ControllableTeamInfo, FieldInfo, GamePacket

from rlbot_agent.decide import MatchError, Pilot, Policy
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.packet_log import PacketLogError, read_packets
from rlbot_agent.pads import PadError


@dataclass
class DryRun:
    """What happened."""

    frames: list[int] = field(default_factory=list)
    """Of each packet."""
    reply_ms: list[float] = field(default_factory=list)
    """How long each packet's answer took."""
    actions: Counter[int] = field(default_factory=Counter)
    """How often each row of the action table was decided on."""
    notes: Counter[str] = field(default_factory=Counter)
    """What the bot would have said, and for how many packets."""

    @property
    def words(self) -> str:
        """One line."""
        seconds = (max(self.frames) - min(self.frames)) / TICKS_PER_SECOND
        p50, p99 = np.percentile(self.reply_ms, (50, 99))
        return (
            f"{len(self.frames):,} packets over {seconds:.1f} s, "
            f"{self.actions.total():,} decisions, {len(self.actions)} different actions; "
            f"reply p50 {p50:.2f} ms, p99 {p99:.2f} ms, longest {max(self.reply_ms):.2f} ms "
            "of the 8.3 ms that a tick lasts"
        )


def dry_run(policy: Policy, path: Path, clock: Callable[[], float] = time.perf_counter) -> DryRun:
    """Answer every packet of a file.

    Args:
        policy: Decides.
        path: Of the file; several matches may follow each other in it.
        clock: Seconds.

    Raises:
        PacketLogError: When the file holds no packets in which the bot would have moved.
        PadError: When they come from a field that the bot does not know.
    """
    found = DryRun()
    pilot, index = None, None

    def count(frame: int, car: int, action: int, skipped: int, obs: Any) -> None:  # noqa: ANN401
        found.actions[action] += 1

    for message in read_packets(path):
        match message:
            case FieldInfo():
                pilot = Pilot(policy, message.boost_pads, count)
            case ControllableTeamInfo():
                index = next((car.index for car in message.controllables), None)
            case GamePacket():
                if pilot is None or index is None:
                    raise PacketLogError(f"{path} does not say on which field, and which car")
                if index >= len(message.players) > 0:
                    cars = len(message.players)
                    raise PacketLogError(f"{path} names car {index} of a packet of {cars}")
                _answer(pilot, message, index, found, clock)
    if not found.actions:
        said = next(iter(found.notes), "none of its packets is of play")
        raise PacketLogError(f"the bot would not have moved in {path}: {said}")
    return found


def _answer(
    pilot: Pilot, packet: GamePacket, index: int, found: DryRun, clock: Callable[[], float]
) -> None:
    started = clock()
    try:
        pilot.respond(packet, index)
        said = pilot.warning
    except (MatchError, PadError) as error:
        said = str(error)
    found.reply_ms.append(1e3 * (clock() - started))
    found.frames.append(packet.match_info.frame_num)
    if said:
        found.notes[said] += 1
