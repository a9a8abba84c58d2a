"""A process that speaks RLBot's protocol and misbehaves: `fake_bot.py MODE`."""

import os
import socket
import sys
import time

from rlbot_flatbuffers import (
    ConnectionSettings,
    ControllerState,
    CorePacket,
    GamePacket,
    InitComplete,
    InterfacePacket,
    PlayerInput,
)


def main(mode: str) -> None:
    port = int(os.environ["RLBOT_SERVER_PORT"])
    agent_id = "a stranger" if mode == "stranger" else os.environ["RLBOT_AGENT_ID"]
    with socket.create_connection(("127.0.0.1", port)) as sock, sock.makefile("rb") as stream:

        def send(message: object) -> None:
            body = InterfacePacket(message).pack()  # type: ignore[arg-type]
            sock.sendall(len(body).to_bytes(2, "big") + body)

        send(ConnectionSettings(agent_id=agent_id, close_between_matches=True))
        if mode == "never ready":
            time.sleep(600)
        send(InitComplete())
        packets = 0
        while header := stream.read(2):
            message = CorePacket.unpack(stream.read(int.from_bytes(header, "big"))).message
            if not isinstance(message, GamePacket):
                continue
            packets += 1
            if mode == "quits" and packets == 5:
                return
            if mode == "is silent" and packets == 5:
                time.sleep(600)
            car = 1 if mode == "steers another car" else 0
            throttle = 0.5 if mode == "invents controls" else 0.0
            send(PlayerInput(car, ControllerState(throttle=throttle)))


main(sys.argv[1])
