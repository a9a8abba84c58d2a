"""External viewers, which show the same game in 3D: RocketSimVis over UDP, RLViser by a child.

Whatever is wrong with one of them never disturbs who sends: it is told once, in a sentence. Knows
no game. Tested by `tests/trainer/test_viewer_external.py`.
"""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Literal, Protocol

ExternalName = Literal["off", "rlviser", "rocketsimvis"]
ROCKETSIMVIS: Final = ("127.0.0.1", 9273)
"""Where RocketSimVis listens."""
RLVISER: Final = (sys.executable, "-m", "trainer.rlviser")
"""The child that hands scenes to RLViser."""
PATIENCE_S: Final = 2.0
"""How long that child may take to end by itself."""


class External(Protocol):
    """A program that shows scenes."""

    def send(self, scene: dict[str, Any]) -> str:
        """Show a scene; what is wrong with the viewer, in a sentence that is said once, or ""."""

    def close(self) -> None:
        """End what was begun."""


class RocketSimVis:
    """A datagram a scene; whether anybody takes it is seen at the next one."""

    def __init__(self, address: tuple[str, int]) -> None:
        """Open a socket."""
        self._port = address[1]
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        # Only a connected socket hears that nobody listens.
        self._socket.connect(address)
        self._told = False

    def send(self, scene: dict[str, Any]) -> str:
        """As `External`; goes on trying, since it may be started later."""
        try:
            self._socket.send(json.dumps(scene, separators=(",", ":")).encode())
        except OSError as error:
            if not self._told:
                self._told = True
                why = error.strerror or str(error)
                return f"RocketSimVis does not listen on UDP port {self._port} ({why})"
        return ""

    def close(self) -> None:
        """As `External`."""
        self._socket.close()


class RLViser:
    """A child that renders the newest scene; one that is slow or stuck misses some."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start the child; `OSError` is left to the one who starts it."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, bufsize=0
        )
        self._newest: bytes | None = None
        self._closing = self._told = False
        self._arrived = threading.Condition()
        self._thread = threading.Thread(target=self._hand_on, daemon=True)
        self._thread.start()

    def send(self, scene: dict[str, Any]) -> str:
        """As `External`."""
        if self._process.poll() is not None:
            return self._last_words()
        with self._arrived:
            self._newest = f"{json.dumps(scene)}\n".encode()
            self._arrived.notify()
        return ""

    def close(self) -> None:
        """As `External`."""
        with self._arrived:
            self._closing = True
            self._arrived.notify()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join()
        assert self._process.stderr is not None
        self._process.stderr.close()

    def _hand_on(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError), self._process.stdin as pipe:
            while (scene := self._next()) is not None:
                pipe.write(scene)

    def _next(self) -> bytes | None:
        with self._arrived:
            self._arrived.wait_for(lambda: self._newest is not None or self._closing)
            scene, self._newest = self._newest, None
            return None if self._closing else scene

    def _last_words(self) -> str:
        if self._told:
            return ""
        self._told = True
        assert self._process.stderr is not None
        said = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return said[-1] if said else f"RLViser's process ended ({self._process.returncode})"


def open_external(name: ExternalName) -> External | None:
    """The viewer called `name`; None when it is off.

    Raises:
        OSError: When the system has no socket or no process for it.
    """
    match name:
        case "rocketsimvis":
            return RocketSimVis(ROCKETSIMVIS)
        case "rlviser":
            return RLViser(RLVISER)
        case "off":
            return None
