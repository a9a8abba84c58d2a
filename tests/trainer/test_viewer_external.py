"""External viewers get scenes; what is wrong with one is a sentence, said once."""

import json
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from trainer.viewer_external import RLViser, RocketSimVis, open_external

SCENE: dict[str, Any] = {"ball_phys": {"pos": [1.0, 2.0, 3.0]}, "cars": []}


@pytest.fixture
def receiver() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        found.settimeout(10)
        yield found


def trouble(external: RLViser) -> str:
    """What it says once it says something."""
    for _ in range(3_000):
        if said := external.send(SCENE):
            return said
        time.sleep(0.01)
    raise AssertionError("said nothing")


def test_a_scene_is_one_datagram_of_json(receiver: socket.socket) -> None:
    external = RocketSimVis(receiver.getsockname())
    assert external.send(SCENE) == ""
    assert json.loads(receiver.recv(65_536)) == SCENE
    external.close()


def test_nobody_who_listens_is_said_once_and_whoever_comes_later_is_served(
    receiver: socket.socket,
) -> None:
    address = receiver.getsockname()
    receiver.close()
    external = RocketSimVis(address)
    said = [external.send(SCENE) for _ in range(20)]
    told = f"RocketSimVis does not listen on UDP port {address[1]} (Connection refused)"
    assert [sentence for sentence in said if sentence] == [told]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as later:
        later.bind(address)
        later.settimeout(10)
        external.send(SCENE)  # may still hear of the datagram before
        external.send(SCENE)
        assert json.loads(later.recv(65_536)) == SCENE
    external.close()


def test_a_child_gets_scenes_and_ends_with_its_input(tmp_path: Any) -> None:  # noqa: ANN401
    out = tmp_path / "out"
    code = f"import sys; open({str(out)!r}, 'wb').write(sys.stdin.buffer.read())"
    external = RLViser((sys.executable, "-c", code))
    assert external.send(SCENE) == ""
    while external._newest is not None:
        time.sleep(0.01)
    external.close()
    assert [json.loads(line) for line in out.read_text().splitlines()] == [SCENE]


def test_a_child_that_fails_is_told_of_once_in_its_own_words() -> None:
    external = RLViser((sys.executable, "-c", "import sys; sys.exit('RLViser is not there')"))
    assert trouble(external) == "RLViser is not there"
    assert external.send(SCENE) == ""
    external.close()


def test_a_child_that_dies_without_a_word_is_told_of() -> None:
    external = RLViser((sys.executable, "-c", "import os; os.abort()"))
    assert trouble(external) == "RLViser's process ended (-6)"
    external.close()


def test_a_child_that_never_reads_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainer.viewer_external.PATIENCE_S", 0.1)
    external = RLViser((sys.executable, "-c", "import time; time.sleep(600)"))
    large = {"cars": ["x" * 50_000]}
    for _ in range(100):  # 5 MB, of which a pipe takes 64 kB
        assert external.send(large) == ""
    external.close()
    assert external._process.returncode is not None


def test_off_is_nobody() -> None:
    assert open_external("off") is None
