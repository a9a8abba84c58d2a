import socket
from collections.abc import Iterator

import pytest
from rlbot import flat

from export.wire import LARGEST, Connection, ConnectionLostError, framed


@pytest.fixture
def ends() -> Iterator[tuple[Connection, socket.socket]]:
    """The server's end of a connection, and the client's."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        connection = Connection(listener.accept()[0])
    yield connection, client
    connection.close()
    client.close()


def input_bytes(car: int) -> bytes:
    body = flat.InterfacePacket(flat.PlayerInput(car, flat.ControllerState(throttle=1))).pack()
    return len(body).to_bytes(2, "big") + body


def cars(connection: Connection) -> list[int]:
    return [message.player_index for message in connection.take_all()]


def test_a_message_that_comes_byte_by_byte_is_read_when_it_is_whole(
    ends: tuple[Connection, socket.socket],
) -> None:
    connection, client = ends
    data = input_bytes(3)
    for byte in data[:-1]:
        client.sendall(bytes([byte]))
        connection.read()
        assert cars(connection) == []
    client.sendall(data[-1:])
    connection.read()
    assert cars(connection) == [3]
    assert cars(connection) == []


def test_messages_that_come_at_once_are_read_in_order(
    ends: tuple[Connection, socket.socket],
) -> None:
    connection, client = ends
    client.sendall(input_bytes(1) + input_bytes(2) + input_bytes(3)[:5])
    connection.read()
    assert cars(connection) == [1, 2]


def test_a_sent_message_has_its_length_in_front(ends: tuple[Connection, socket.socket]) -> None:
    connection, client = ends
    connection.send_bytes(framed(flat.DisconnectSignal()))
    data = client.recv(1000)
    assert int.from_bytes(data[:2], "big") == len(data) - 2
    assert isinstance(flat.CorePacket.unpack(data[2:]).message, flat.DisconnectSignal)


def test_a_client_that_hangs_up_is_noticed(ends: tuple[Connection, socket.socket]) -> None:
    connection, client = ends
    client.close()
    with pytest.raises(ConnectionLostError):
        connection.read()


def test_a_message_that_does_not_fit_its_length_is_refused() -> None:
    with pytest.raises(ValueError, match=f"exceeds {LARGEST}"):
        framed(flat.MatchComm(content=bytes(LARGEST)))
