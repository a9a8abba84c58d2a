"""RLBot v5's server for one match: admits the bots, sends them packets, hears their controls.

Single-threaded, on a loopback port. Knows no simulator, no rules and no processes. Tested by
`tests/export/test_match.py`.
"""

import select
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from rlbot import flat

from export.packets import Player
from export.wire import Connection, ConnectionLostError, framed
from rlbot_agent.actions import ACTION_TABLE

POLL_S: Final = 0.2
"""How often somebody may look whether waiting still makes sense."""

_ROWS: Final = {tuple(row): index for index, row in enumerate(ACTION_TABLE.tolist())}


class HostError(Exception):
    """The match cannot go on; one sentence says why."""


class Client:
    """A connected bot and what is known of its answers."""

    def __init__(self, connection: Connection) -> None:
        """A bot that has not said who it is."""
        self.connection = connection
        self.player: int | None = None
        """Index of its car."""
        self.is_ready = False
        """Whether it may be sent packets."""
        self.row: int | None = None
        """The row of the action table it holds; None before its first answer."""
        self.reply_s: list[float] = []
        """Seconds from each packet to its answer; a late answer counts from the oldest packet
        that had none."""
        self.asked_at: float | None = None
        """When the oldest unanswered packet was sent."""

    def hear(self, message: Any, name: str) -> None:  # noqa: ANN401
        """Take in a message in the middle of a match.

        Raises:
            HostError: When it cannot be what a bot of this project says.
        """
        if isinstance(message, flat.DisconnectSignal):
            raise HostError(f"{name} left the match")
        if not isinstance(message, flat.PlayerInput):
            return
        if message.player_index != self.player:
            raise HostError(f"{name} is car {self.player} and steered car {message.player_index}")
        self.row = row_of(message.controller_state, name)
        if self.asked_at is not None:
            self.reply_s.append(time.monotonic() - self.asked_at)
            self.asked_at = None


def row_of(controls: flat.ControllerState, name: str) -> int:
    """The row of the action table that a bot holds.

    Raises:
        HostError: When no row is like that.
    """
    held = (
        *(controls.throttle, controls.steer, controls.pitch, controls.yaw, controls.roll),
        *(float(controls.jump), float(controls.boost), float(controls.handbrake)),
    )
    row = _ROWS.get(held)
    if row is None:
        raise HostError(f"{name} sent controls that are no row of the action table: {held}")
    return row


class Server:
    """Listens from the start; `admit`, then `exchange` for every frame, then `close`."""

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
        while sum(client.is_ready for client in self.clients) < len(self._players):
            still_hoping()
            if time.monotonic() > deadline:
                raise HostError(f"{self._missing()} did not get ready in time")
            waiting: list[Any] = [self._socket, *self._connections()]
            readable = select.select(waiting, [], [], POLL_S)[0]
            if self._socket in readable:
                self.clients.append(Client(Connection(self._socket.accept()[0])))
            for client in self.clients:
                if client.connection in readable:
                    self._greet(client, introduction)

    def exchange(self, packet: flat.GamePacket, deadline: float, lockstep: bool) -> None:
        """Send a packet to every bot and hear answers until `deadline`.

        Args:
            packet: Of this frame.
            deadline: Of `time.monotonic`.
            lockstep: Return as soon as every bot has answered; a bot that has not by the deadline
                is an error.

        Raises:
            HostError: When a bot hangs up, or is not heard in lockstep.
        """
        data = framed(packet)
        for client in self.clients:
            self._guard(client, client.connection.send_bytes, data)
            client.asked_at = client.asked_at or time.monotonic()
        while True:
            left = deadline - time.monotonic()
            self._listen(max(left, 0))
            if lockstep and not any(client.asked_at for client in self.clients):
                return
            if left <= 0:
                break
        if lockstep:
            silent = [self._name(client) for client in self.clients if client.asked_at]
            raise HostError(
                f"{' and '.join(silent)} did not answer frame {packet.match_info.frame_num}"
            )

    @property
    def rows(self) -> list[int | None]:
        """The row of the action table that each bot holds; None before its first answer."""
        held = {client.player: client.row for client in self.clients}
        return [held.get(car) for car in range(len(self._players))]

    def close(self) -> None:
        """Tell every bot that the match is over, and hang up."""
        goodbye = framed(flat.DisconnectSignal())
        for client in self.clients:
            with suppress(ConnectionLostError):  # a bot that is gone is as it should be
                client.connection.send_bytes(goodbye)
            client.connection.close()
        self._socket.close()

    def _listen(self, seconds: float) -> None:
        readable = select.select(self._connections(), [], [], seconds)[0]
        for client in self.clients:
            if client.connection in readable:
                self._guard(client, client.connection.read)
                for message in client.connection.take_all():
                    client.hear(message, self._name(client))

    def _greet(self, client: Client, introduction: Sequence[Any]) -> None:
        """Answer a bot that is not ready yet."""
        self._guard(client, client.connection.read)
        for message in client.connection.take_all():
            if isinstance(message, flat.ConnectionSettings):
                client.player = index = self._assign(message.agent_id)
                player = self._players[index]
                car = flat.ControllableInfo(index, player.player_id)
                assignment = flat.ControllableTeamInfo(player.team, [car])
                for part in (*introduction, assignment):
                    self._guard(client, client.connection.send_bytes, framed(part))
            elif isinstance(message, flat.InitComplete):
                client.is_ready = True

    def _assign(self, agent_id: str) -> int:
        """The first free car of an agent, as RLBotServer does."""
        taken = {client.player for client in self.clients}
        for index, player in enumerate(self._players):
            if player.agent_id == agent_id and index not in taken:
                return index
        raise HostError(f"a bot called itself {agent_id!r}, and no free car is waiting for that")

    def _guard(self, client: Client, act: Callable[..., None], *arguments: Any) -> None:  # noqa: ANN401
        try:
            act(*arguments)
        except ConnectionLostError:
            raise HostError(f"{self._name(client)} hung up") from None

    def _connections(self) -> list[Connection]:
        return [client.connection for client in self.clients]

    def _name(self, client: Client) -> str:
        return "a bot" if client.player is None else self._players[client.player].name

    def _missing(self) -> str:
        ready = {client.player for client in self.clients if client.is_ready}
        absent = (player.name for car, player in enumerate(self._players) if car not in ready)
        return " and ".join(absent)
