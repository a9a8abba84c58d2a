"""From packets to rows of the action table: everything a bot does between hearing and answering.

Composes reader, observation, policy and clock. Needs the attributes of RLBot's types, not the
types, and any `Policy`. Tested by `tests/rlbot_agent/test_decide.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rlbot_agent.actions import ACTION_TABLE, action_masks
from rlbot_agent.clock import Clock
from rlbot_agent.contract import Contract
from rlbot_agent.field import BLUE, ORANGE
from rlbot_agent.modes import mode_of, teams_of
from rlbot_agent.observation import make_observation
from rlbot_agent.packet import PacketReader
from rlbot_agent.state import Array

KICKOFF, ACTIVE, PAUSED = 2, 3, 6
"""Values of RLBot's MatchPhase."""

OnDecision = Callable[[int, int, int, int, Array], None]
"""Called with a row of `record.py` for each decision."""


class MatchError(Exception):
    """The bot cannot play in this match; one sentence says why."""


class Policy(Protocol):
    """What chooses; see `rlbot_agent.policy.OnnxPolicy`."""

    contract: Contract

    def act(self, obs: Array, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        """(n, D) observations and (n, A) masks to (n,) rows of the action table."""


class Pilot:
    """Drives one car of a match."""

    def __init__(
        self,
        policy: Policy,
        pads: Sequence[Any],
        on_decision: OnDecision = lambda *_: None,
        input_delay: int = 0,
    ) -> None:
        """Prepare for a field with `pads` (`FieldInfo.boost_pads`).

        Args:
            policy: Decides.
            pads: `FieldInfo.boost_pads`.
            on_decision: Told of every decision.
            input_delay: Ticks from an answer to its effect in the game.

        Raises:
            PadError: When the field is not the standard one.
        """
        contract = policy.contract
        self._policy, self._pads, self._on_decision = policy, pads, on_decision
        self._clock = Clock(contract.tick_skip, contract.action_delay, input_delay)
        self._phase: int | None = None
        self.warning = ""
        """What a person should know of the match being played, one sentence, or nothing."""
        self._sit_down(contract.teams)

    def respond(self, packet: Any, index: int) -> int | None:  # noqa: ANN401
        """The row of the action table to hold now, or None for neutral controls.

        Args:
            packet: A GamePacket.
            index: Of the own car in `packet.players`.

        Raises:
            MatchError: When there are other cars than the policy can see.
            PadError: When the packet's pads are not the field's.
        """
        phase = int(packet.match_info.match_phase)
        if phase == PAUSED:  # play goes on where it stopped
            return None
        starts = phase == KICKOFF and self._phase != KICKOFF
        self._phase = phase
        if starts or phase not in (KICKOFF, ACTIVE):
            self._forget()
        if phase not in (KICKOFF, ACTIVE) or not packet.balls:
            return None
        teams = tuple(player.team for player in packet.players)
        if teams != self._teams:
            self._sit_down(teams)
        return self._play(packet, index)

    def _play(self, packet: Any, index: int) -> int | None:  # noqa: ANN401
        frame = packet.match_info.frame_num
        state = self._reader.read(packet)
        if self._clock.is_due(frame):
            chosen = self._clock.chosen
            state.controls[0, index] = 0 if chosen is None else ACTION_TABLE[chosen]
            obs = self._obs.build(state)[0, index]
            (action,) = self._policy.act(obs[None], action_masks(state)[0, index][None]).tolist()
            self._clock.choose(frame, action)
            self._on_decision(frame, index, action, self._reader.skipped, obs)
        return self._clock.held(frame)

    def _sit_down(self, teams: tuple[int, ...]) -> None:
        """Get ready for a match of `teams`."""
        contract = self._policy.contract
        require_size(contract, teams)
        self._teams, self.warning = teams, untrained(contract, teams)
        self._obs = make_observation(contract.obs_name, teams, contract.max_team_size)
        self._reader = PacketReader(self._pads, teams)
        self._clock.reset()

    def _forget(self) -> None:
        self._reader.reset()
        self._clock.reset()


def require_size(contract: Contract, teams: tuple[int, ...]) -> None:
    """Refuse a match of `teams` (0 blue, 1 orange) that does not fit what the policy can see.

    Raises:
        MatchError: With both sizes.
    """
    mode, largest = mode_of(teams), contract.max_team_size
    sizes = _sizes(teams)
    fits = max(sizes) <= largest if largest else sizes == _sizes(contract.teams)
    if not fits or sum(sizes) != len(teams):
        trained = f"up to {largest}v{largest}" if largest else contract.modes[0]
        raise MatchError(f"this policy was trained for {trained}, it does not move in {mode}")


def untrained(contract: Contract, teams: tuple[int, ...]) -> str:
    """A sentence that the policy was not trained in a match of `teams`; empty when it was.

    Blue and orange see the same, so whoever was trained in 1v2 was trained in 2v1.
    """
    if _sizes(teams) in [_sizes(teams_of(mode)) for mode in contract.modes]:
        return ""
    trained = ", ".join(contract.modes)
    return f"this policy was trained in {trained}, it plays {mode_of(teams)} untrained"


def _sizes(teams: tuple[int, ...]) -> list[int]:
    """Cars of the smaller and of the larger team."""
    return sorted((teams.count(BLUE), teams.count(ORANGE)))
