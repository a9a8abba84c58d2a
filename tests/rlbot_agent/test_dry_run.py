from itertools import count
from pathlib import Path

import numpy as np
import pytest
from rlbot import flat

from export.packets import Moment
from rlbot_agent.dry_run import dry_run
from rlbot_agent.packet_log import PacketLog, PacketLogError, read_packets
from rlbot_agent.policy import OnnxPolicy
from tests.export.simulated import simulated_game, simulated_packets
from tests.rlbot_agent.models import contract, write_model
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of


@pytest.fixture
def policy(tmp_path: Path) -> OnnxPolicy:
    """Always takes the first action."""
    weights = np.zeros((92, 90), np.float32)
    return OnnxPolicy(write_model(tmp_path / "policy.onnx", contract(), weights))


def test_every_packet_is_answered_and_counted(tmp_path: Path, policy: OnnxPolicy) -> None:
    view = simulated_game()
    log = PacketLog(tmp_path / "packets", view.field_info(), 0, 0, -7)
    for packet in simulated_packets(view, 25):
        log.add(packet)
    # A clock that is 2 ms later each time it is looked at.
    ticks = (0.002 * reading for reading in count())
    found = dry_run(policy, tmp_path / "packets", lambda: next(ticks))
    # Decided at frames 0, 8, 16 and 24, and 24 frames last 0.2 s.
    assert found.words == (
        "25 packets over 0.2 s, 4 decisions, 1 different actions; "
        "reply p50 2.00 ms, p99 2.00 ms, longest 2.00 ms of the 8.3 ms that a tick lasts"
    )
    assert not found.notes


def test_packets_in_which_the_bot_stands_still_are_refused(
    tmp_path: Path, policy: OnnxPolicy
) -> None:
    view = simulated_game()
    log = PacketLog(tmp_path / "packets", view.field_info(), 0, 0, -7)
    log.add(view.packet(Moment(1, flat.MatchPhase.Countdown, (0, 0), 300.0)))
    with pytest.raises(
        PacketLogError, match=r"would not have moved .* none of its packets is of play"
    ):
        dry_run(policy, tmp_path / "packets")


def recorded_1v1(path: Path) -> Path:
    view = simulated_game()
    log = PacketLog(path, view.field_info(), 0, 0, -7)
    for packet in simulated_packets(view, 3):
        log.add(packet)
    return path


def policy_of(mode: str, path: Path) -> OnnxPolicy:
    words = contract_of(tiny_config(f"sim.modes.{mode}=1"), 0)
    return OnnxPolicy(write_model(path, words, np.zeros((132, 90), np.float32)))


def test_a_match_that_the_policy_does_not_know_is_refused_in_its_words(tmp_path: Path) -> None:
    packets, policy = recorded_1v1(tmp_path / "packets"), policy_of("2v2", tmp_path / "policy.onnx")
    with pytest.raises(PacketLogError, match="trained for 2v2, it does not move in 1v1"):
        dry_run(policy, packets)


def test_what_the_bot_says_of_a_match_is_counted(tmp_path: Path) -> None:
    packets, policy = recorded_1v1(tmp_path / "packets"), policy_of("1v2", tmp_path / "policy.onnx")
    assert dry_run(policy, packets).notes == {
        "this policy was trained in 1v2, it plays 1v1 untrained": 3
    }


def test_packets_without_a_field_are_refused(tmp_path: Path, policy: OnnxPolicy) -> None:
    view = simulated_game()
    (packet,) = simulated_packets(view, 1)
    body = flat.CorePacket(packet).pack()
    (tmp_path / "packets").write_bytes(len(body).to_bytes(2, "big") + body)
    with pytest.raises(PacketLogError, match="does not say on which field, and which car"):
        dry_run(policy, tmp_path / "packets")


def test_a_recording_that_names_no_car_is_refused(tmp_path: Path, policy: OnnxPolicy) -> None:
    path = recorded_1v1(tmp_path / "packets")
    field, team, *_ = read_packets(path)
    assert isinstance(team, flat.ControllableTeamInfo)
    nobody = flat.ControllableTeamInfo(0, [])
    parts = (field, nobody, simulated_game().packet(Moment(1, flat.MatchPhase.Active, (0, 0), 9.0)))
    bodies = [flat.CorePacket(part).pack() for part in parts]
    path.write_bytes(b"".join(len(body).to_bytes(2, "big") + body for body in bodies))
    with pytest.raises(PacketLogError, match="does not say on which field, and which car"):
        dry_run(policy, path)


def test_a_recording_of_a_car_that_is_not_there_is_refused(
    tmp_path: Path, policy: OnnxPolicy
) -> None:
    view = simulated_game()
    log = PacketLog(tmp_path / "packets", view.field_info(), 0, 7, -7)
    for packet in simulated_packets(view, 3):
        log.add(packet)
    with pytest.raises(PacketLogError, match="names car 7 of a packet of 2"):
        dry_run(policy, tmp_path / "packets")
