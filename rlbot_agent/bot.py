"""The RLBot v5 bot: answers every packet, decides with the exported policy, never throws.

The only import of `rlbot`. Where it cannot start it says one plain sentence and ends with code 1;
where it cannot play it says why once and sends neutral controls. Environment: `RLPPO_BUNDLE` is a
bundle, or a folder of bundles, to play instead of the one this package lies in; `RLPPO_RECORD` a
file to append every decision to (`record.py`); `RLPPO_INPUT_DELAY` the ticks from an answer to its
effect in the game, 0 unless set. Tested by `tests/rlbot_agent/test_bot.py`.
"""

import os
import sys
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

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
from rlbot_agent.contract import ContractError
from rlbot_agent.decide import MatchError, OnDecision, Pilot
from rlbot_agent.pads import PadError
from rlbot_agent.policy import OnnxPolicy, PolicyError
from rlbot_agent.record import append_record

BUNDLE, RECORD, INPUT_DELAY = "RLPPO_BUNDLE", "RLPPO_RECORD", "RLPPO_INPUT_DELAY"
"""Environment variables."""
POLICY_FILE: Final = "policy.onnx"
HOME: Final = Path(__file__).resolve().parent.parent
"""The bundle, or the checkout, that this package lies in."""


class StartError(Exception):
    """The bot cannot start; one sentence says why."""


class RlppoBot(Bot):
    """One car that a policy drives."""

    def __init__(self, policy: OnnxPolicy, on_decision: OnDecision, input_delay: int) -> None:
        """A bot for the agent id in `RLBOT_AGENT_ID`; the arguments are those of `Pilot`."""
        super().__init__()
        self._policy, self._on_decision, self._input_delay = policy, on_decision, input_delay
        self._said: set[str] = set()

    def initialize(self) -> None:
        """Learn the field; a field that the bot cannot play on ends the process."""
        try:
            self._pilot = Pilot(
                self._policy, self.field_info.boost_pads, self._on_decision, self._input_delay
            )
        except (MatchError, PadError) as error:
            give_up(str(error))

    def get_output(self, packet: flat.GamePacket) -> flat.ControllerState:
        """Answer a packet; whatever goes wrong, answer it."""
        try:
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


def find_policy(home: Path, chosen: str) -> Path:
    """The policy to play: the newest that was chosen, else that of `home`, else of home/bundle.

    Args:
        home: Folder that holds this package.
        chosen: A bundle or a folder of bundles; empty for none.

    Raises:
        StartError: When there is no policy.
    """
    if not chosen and (home / POLICY_FILE).is_file():
        return home / POLICY_FILE
    place = Path(chosen).expanduser() if chosen else home / "bundle"
    found = [*place.glob(POLICY_FILE), *place.glob(f"*/{POLICY_FILE}")]
    if not found:
        raise StartError(
            f"there is no {POLICY_FILE} in {place}: export one with rlppo export, "
            f"or set {BUNDLE} to a bundle"
        )
    return max(found, key=lambda path: path.stat().st_mtime)


def give_up(sentence: str) -> NoReturn:
    """Say why, and end with code 1; RLBot's own way out of an error is code 0."""
    print(f"rlppo bot: {sentence}", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)


def main() -> None:
    """Play one match for the server that started this process."""
    try:
        policy = OnnxPolicy(find_policy(HOME, os.environ.get(BUNDLE, "")))
        on_decision = _recorder(os.environ.get(RECORD, ""))
        input_delay = _input_delay(os.environ.get(INPUT_DELAY, "0"))
    except (StartError, PolicyError, ContractError, OSError) as error:
        give_up(str(error))
    RlppoBot(policy, on_decision, input_delay).run(
        wants_match_communications=False, wants_ball_predictions=False
    )


def _recorder(path: str) -> OnDecision:
    return partial(append_record, Path(path)) if path else lambda *_: None


def _input_delay(text: str) -> int:
    if not text.isdecimal():
        raise StartError(f"{INPUT_DELAY} is {text!r}, it must be a number of ticks")
    return int(text)
