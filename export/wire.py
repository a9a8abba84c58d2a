"""RLBot v5's socket messages: a length of two bytes, then a flatbuffer.

The server's end of one connection. Single-threaded: reading never blocks longer than it is told.
Tested by `tests/export/test_wire.py`.
"""

import socket
from typing import Any, Final

from rlbot import flat

LENGTH_BYTES: Final = 2
LARGEST: Final = 2 ** (8 * LENGTH_BYTES) - 1
"""Bytes of the largest message."""


class ConnectionLostError(Exception):
    """The other end is gone."""


class Connection:
    """A connected client; messages are RLBot's flatbuffer objects."""

    def __init__(self, sock: socket.socket) -> None:
        """Take over an accepted socket."""
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = sock
        self._bytes = bytearray()
        self._messages: list[Any] = []

    def fileno(self) -> int:
        """So that `select` can wait for it."""
        return self._socket.fileno()

    def send_bytes(self, data: bytes) -> None:
        """Send what `framed` made.

        Raises:
            ConnectionLostError: When the client is gone.
        """
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise ConnectionLostError from error

    def read(self) -> None:
        """Read what has arrived; call it when `select` says that something has.

        Raises:
            ConnectionLostError: When the client is gone.
        """
        try:
            chunk = self._socket.recv(65536)
        except OSError as error:
            raise ConnectionLostError from error
        if not chunk:
            raise ConnectionLostError
        self._bytes += chunk
        while (message := self._cut()) is not None:
            self._messages.append(flat.InterfacePacket.unpack(message).message)

    def take_all(self) -> list[Any]:
        """Whole messages that have been read, in order."""
        taken, self._messages = self._messages, []
        return taken

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _cut(self) -> bytes | None:
        """Take one whole message off the bytes."""
        if len(self._bytes) < LENGTH_BYTES:
            return None
        end = LENGTH_BYTES + int.from_bytes(self._bytes[:LENGTH_BYTES], "big")
        if len(self._bytes) < end:
            return None
        message = bytes(self._bytes[LENGTH_BYTES:end])
        del self._bytes[:end]
        return message


def framed(message: Any) -> bytes:  # noqa: ANN401
    """The bytes of a core message on the wire.

    Raises:
        ValueError: When it is too large for its length field.
    """
    body = flat.CorePacket(message).pack()
    if len(body) > LARGEST:
        raise ValueError(f"a message of {len(body)} bytes exceeds {LARGEST}")
    return len(body).to_bytes(LENGTH_BYTES, "big") + body
