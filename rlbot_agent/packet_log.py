"""A file of recorded packets: what RLBot told one bot in one match.

Each message is framed as on RLBot's socket: its length in two bytes, the higher first, then a
CorePacket as a flatbuffer. A FieldInfo and a ControllableTeamInfo, which names the bot's car, come
before the GamePackets; a process that is killed leaves whole messages. Tested by
`tests/rlbot_agent/test_packet_log.py`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from rlbot_flatbuffers import (
    ControllableInfo,
    ControllableTeamInfo,
    CorePacket,
    FieldInfo,
    GamePacket,
)

LENGTH_BYTES: Final = 2


class PacketLogError(Exception):
    """A file holds no recorded packets; one sentence says why."""


class PacketLog:
    """Appends a match to a file."""

    def __init__(self, path: Path, field: FieldInfo, team: int, index: int, player_id: int) -> None:
        """Begin a match of the car at `index` of the packets' players.

        Raises:
            OSError: When the file cannot be written.
        """
        self._path = path
        self._append(field)
        self._append(ControllableTeamInfo(team, [ControllableInfo(index, player_id)]))

    def add(self, packet: GamePacket) -> None:
        """Append a packet.

        Raises:
            OSError: When the disk refuses.
        """
        self._append(packet)

    def _append(self, message: FieldInfo | ControllableTeamInfo | GamePacket) -> None:
        body = CorePacket(message).pack()
        with self._path.open("ab") as file:
            file.write(len(body).to_bytes(LENGTH_BYTES, "big") + body)


def read_packets(path: Path) -> Iterator[Any]:
    """Every message of a file, in order; half a message at its end is left out.

    Raises:
        PacketLogError: When it is missing, or holds something else.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PacketLogError(f"{path} cannot be read: {error.strerror}") from error
    start = 0
    while (body := start + LENGTH_BYTES) <= len(data):
        end = body + int.from_bytes(data[start:body], "big")
        if end > len(data):
            return
        try:
            yield CorePacket.unpack(data[body:end]).message
        except ValueError:
            raise PacketLogError(
                f"{path} holds no recorded packets: byte {start} begins no message of RLBot"
            ) from None
        start = end
