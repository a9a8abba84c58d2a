"""The RLBot v5 bot: answers every packet, decides with the exported policy, never throws.

The only import of `rlbot`. It says what it loaded; where it cannot start it says one plain sentence
and ends with code 1, and where it cannot play it says why once and sends neutral controls.
Environment: `RLPPO_BUNDLE` is a bundle, a run, or a folder of bundles, to play instead of the one
that this package lies in; `RLPPO_RECORD` a file to append every decision to (`record.py`);
`RLPPO_PACKETS` one to append every packet to, with the car's index behind its name
(`packet_log.py`); `RLPPO_INPUT_DELAY` the ticks from an answer to its effect in the game, 0 unless
set. Tested by `tests/rlbot_agent/test_bot.py`.
"""

import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import NoReturn

from rlbot import flat
from rlbot.managers import Bot

from rlbot_agent.actions import (
    ACTION_TABLE,
    BOOST,
    HANDBRAKE,
    JUMP,
    PITCH,
    ROLL,
    STEER,
    THROTTLE,
    YAW,
)
from rlbot_agent.activation import BUNDLE, HOME, activate, find_bundle
from rlbot_agent.contract import ContractError
from rlbot_agent.decide import MatchError, OnDecision, Pilot
from rlbot_agent.manifest import BundleError
from rlbot_agent.packet_log import PacketLog
from rlbot_agent.pads import PadError
from rlbot_agent.policy import OnnxPolicy, PolicyError
from rlbot_agent.record import append_record

RECORD, PACKETS, INPUT_DELAY = "RLPPO_RECORD", "RLPPO_PACKETS", "RLPPO_INPUT_DELAY"
"""Environment variables."""


class StartError(Exception):
    """The bot cannot start; one sentence says why."""


class RlppoBot(Bot):
    """One car that a policy drives."""

    def __init__(
        self, policy: OnnxPolicy, on_decision: OnDecision, input_delay: int, packets: str = ""
    ) -> None:
        """A bot for the agent id in `RLBOT_AGENT_ID`.

        Args:
            policy: As in `Pilot`.
            on_decision: As in `Pilot`.
            input_delay: As in `Pilot`.
            packets: Begins the name of a file to append every packet to; empty for none.
        """
        super().__init__()
        self._policy, self._on_decision, self._input_delay = policy, on_decision, input_delay
        self._packets = packets
        self._log: PacketLog | None = None
        self._said: set[str] = set()

    def initialize(self) -> None:
        """Learn the field; a field that the bot cannot play on ends the process."""
        try:
            self._pilot = Pilot(
                self._policy, self.field_info.boost_pads, self._on_decision, self._input_delay
            )
            if self._packets:
                path = Path(f"{self._packets}.{self.index}")
                self._log = PacketLog(path, self.field_info, self.team, self.index, self.player_id)
        except (MatchError, PadError, OSError) as error:
            give_up(str(error))

    def get_output(self, packet: flat.GamePacket) -> flat.ControllerState:
        """Answer a packet; whatever goes wrong, answer it."""
        try:
            self._record(packet)
            answer = controls(self._pilot.respond(packet, self.index))
            if self._pilot.warning:
                self._say_once(self._pilot.warning)
            return answer
        except (MatchError, PadError) as error:
            self._say_once(str(error))
        except Exception as error:
            # RLBot would print it every tick, and not answer at all.
            self._say_once(f"{type(error).__name__}: {error}")
        return flat.ControllerState()

    def _record(self, packet: flat.GamePacket) -> None:
        """Append a packet, if that is wished; a disk that refuses must not stop the car."""
        if self._log:
            try:
                self._log.add(packet)
            except OSError as error:
                self._log = None
                self._say_once(f"packets are recorded no more: {error}")

    def _say_once(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            print(f"rlppo bot: {self.name}: {sentence}", file=sys.stderr, flush=True)


def controls(action: int | None) -> flat.ControllerState:
    """A row of the action table, or neutral for None, as RLBot takes it."""
    if action is None:
        return flat.ControllerState()
    row = ACTION_TABLE[action].tolist()
    return flat.ControllerState(
        throttle=row[THROTTLE],
        steer=row[STEER],
        pitch=row[PITCH],
        yaw=row[YAW],
        roll=row[ROLL],
        jump=row[JUMP] > 0,
        boost=row[BOOST] > 0,
        handbrake=row[HANDBRAKE] > 0,
    )


def give_up(sentence: str) -> NoReturn:
    """Say why, and end with code 1; RLBot's own way out of an error is code 0."""
    print(f"rlppo bot: {sentence}", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


def main() -> None:
    """Play one match for the server that started this process."""
    started = time.perf_counter()
    try:
        loaded = activate(find_bundle(HOME, os.environ.get(BUNDLE, "")))
        on_decision = _recorder(os.environ.get(RECORD, ""))
        input_delay = _input_delay(os.environ.get(INPUT_DELAY, "0"))
    except (StartError, BundleError, PolicyError, ContractError, OSError) as error:
        give_up(str(error))
    files, seconds = len(loaded.manifest.files), time.perf_counter() - started
    for line in (
        f"loaded {loaded.words}; {files} files checked in {seconds:.2f} s",
        *loaded.notes,
    ):
        print(f"rlppo bot: {line}", flush=True)
    packets = os.environ.get(PACKETS, "")
    RlppoBot(loaded.policy, on_decision, input_delay, packets).run(
        wants_match_communications=False, wants_ball_predictions=False
    )


def _recorder(path: str) -> OnDecision:
    return partial(append_record, Path(path)) if path else lambda *_: None


def _input_delay(text: str) -> int:
    if not text.isdecimal():
        raise StartError(f"{INPUT_DELAY} is {text!r}, it must be a number of ticks")
    return int(text)
