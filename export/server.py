"""RLBot v5's server for one match: admits the bots, sends them packets, hears their controls.

Single-threaded, on a loopback port. Knows no simulator, no rules and no processes. What bots say to
each other, draw, or wish of the game is not passed on. Tested by `tests/export/test_match.py`.
"""

import select
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import numpy as np
from rlbot import flat

from export.client import Client, HostError
from export.packets import Player
from export.wire import Connection, ConnectionLostError, framed
from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.state import Array

POLL_S: Final = 0.2
"""How often somebody may look whether waiting still makes sense."""
REPLY_S: Final = 10.0
"""For a bundle's answer in lockstep."""
OTHERS_REPLY_S: Final = 1.0
"""For another's, which may fail in some frames and play on."""
MOST_SILENT: Final = 10
"""Packets in a row that another bot may leave unanswered in lockstep."""


class Server:
    """Listens from the start; `admit`, then `exchange` for every packet, then `close`."""

    def __init__(self, players: Sequence[Player]) -> None:
        """Open a port for the bots of `players`."""
        self._players = players
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        """On 127.0.0.1."""
        self.clients: list[Client] = []
        """In the order in which they came; all players' once `admit` returned."""

    def admit(
        self,
        introduction: Sequence[Any],
        deadline: float,
        still_hoping: Callable[[], None] = lambda: None,
    ) -> None:
        """Wait until every player's bot has connected and got ready.

        Args:
            introduction: Messages that each bot is sent before its own assignment.
            deadline: Of `time.monotonic`.
            still_hoping: Called every moment; may raise to give up.

        Raises:
            HostError: When the deadline passes, or a bot hangs up or is a stranger.
        """
        while missing := self._missing():
            still_hoping()
            if time.monotonic() > deadline:
                raise HostError(f"{' and '.join(missing)} did not get ready in time")
            waiting: list[Any] = [self._socket, *self._connections()]
            readable = select.select(waiting, [], [], POLL_S)[0]
            if self._socket in readable:
                self.clients.append(Client(Connection(self._socket.accept()[0])))
            for client in self.clients:
                if client.connection in readable:
                    self._greet(client, introduction)

    @property
    def wants_predictions(self) -> bool:
        """Whether any bot does."""
        return any(client.wants_predictions for client in self.clients)

    def exchange(
        self,
        packet: flat.GamePacket,
        due: float | None,
        counts: bool,
        prediction: flat.BallPrediction | None = None,
    ) -> None:
        """Send a packet to every bot and hear answers.

        Args:
            packet: Of this frame.
            due: Of `time.monotonic`: when to stop listening. None, in lockstep, stops as soon as
                every bot has answered.
            counts: Whether the answers count, as those of kickoffs and play do.
            prediction: Sent before the packet to those who want it.

        Raises:
            HostError: When a bot hangs up, says what it may not, or is not heard in lockstep.
        """
        data = framed(packet)
        foresight = framed(prediction) if prediction else b""
        for client in self.clients:
            message = foresight + data if client.wants_predictions else data
            self._guard(client, client.connection.send_bytes, message)
            client.asked(counts)
        if due is None:
            self._await_answers()
        else:
            self._listen_until(due)
        for client in self.clients:
            client.settle()
        if due is None:
            self._require_answers(packet.match_info.frame_num)

    @property
    def controls(self) -> Array:
        """(P, 8) what each car's bot holds; neutral before its first answer."""
        held = np.zeros((len(self._players), ACTION_TABLE.shape[1]), np.float32)
        for client in self.clients:
            for car, controls in client.controls.items():
                held[car] = controls
        return held

    def close(self) -> None:
        """Tell every bot that the match is over, and hang up."""
        goodbye = framed(flat.DisconnectSignal())
        for client in self.clients:
            with suppress(ConnectionLostError):  # a bot that is gone is as it should be
                client.connection.send_bytes(goodbye)
            client.connection.close()
        self._socket.close()

    def _await_answers(self) -> None:
        asked_at = time.monotonic()
        while silent := [client for client in self.clients if client.owes]:
            patience = REPLY_S if any(client.is_ours for client in silent) else OTHERS_REPLY_S
            left = asked_at + patience - time.monotonic()
            self._listen(max(left, 0))
            if left <= 0:
                return

    def _require_answers(self, frame: int) -> None:
        """Nothing is missed in lockstep but what others' bots may miss."""
        silent = [
            client.name
            for client in self.clients
            if client.silent_in_a_row > (0 if client.is_ours else MOST_SILENT)
        ]
        if silent:
            raise HostError(f"{' and '.join(silent)} did not answer frame {frame}")

    def _listen_until(self, due: float) -> None:
        """What has arrived by then is heard, however late we look."""
        while (left := due - time.monotonic()) > 0:
            self._listen(left)
        self._listen(0)

    def _listen(self, seconds: float) -> None:
        readable = select.select(self._connections(), [], [], seconds)[0]
        for client in self.clients:
            if client.connection in readable:
                self._guard(client, client.connection.read)
                for message in client.connection.take_all():
                    client.hear(message)

    def _greet(self, client: Client, introduction: Sequence[Any]) -> None:
        """Answer a bot that is not ready yet."""
        self._guard(client, client.connection.read)
        for message in client.connection.take_all():
            if isinstance(message, flat.ConnectionSettings):
                client.cars = self._assign(message.agent_id)
                client.wants_predictions = message.wants_ball_predictions
                for part in (*introduction, _assignment(client.cars)):
                    self._guard(client, client.connection.send_bytes, framed(part))
            elif isinstance(message, flat.InitComplete):
                client.is_ready = True

    def _assign(self, agent_id: str) -> dict[int, Player]:
        """The first free car of an agent, or all that are free for a hivemind."""
        taken = {car for client in self.clients for car in client.cars}
        free = {
            car: player
            for car, player in enumerate(self._players)
            if player.agent_id == agent_id and car not in taken
        }
        if not free:
            raise HostError(
                f"a bot called itself {agent_id!r}, and no free car is waiting for that"
            )
        first = min(free)
        return free if free[first].hivemind else {first: free[first]}

    def _guard(self, client: Client, act: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401
        try:
            act(*arguments)
        except ConnectionLostError:
            raise HostError(f"{client.name} hung up") from None

    def _connections(self) -> list[Connection]:
        return [client.connection for client in self.clients]

    def _missing(self) -> list[str]:
        """Names of the cars whose bot is not ready."""
        ready = {car for client in self.clients if client.is_ready for car in client.cars}
        return [player.name for car, player in enumerate(self._players) if car not in ready]


def _assignment(cars: dict[int, Player]) -> flat.ControllableTeamInfo:
    team = next(iter(cars.values())).team
    return flat.ControllableTeamInfo(
        team, [flat.ControllableInfo(car, player.player_id) for car, player in cars.items()]
    )
