from pathlib import Path

import pytest
from rlbot import flat

from rlbot_agent.packet_log import PacketLog, PacketLogError, read_packets
from tests.export.simulated import simulated_game, simulated_packets


def recorded(path: Path, frames: int) -> Path:
    view = simulated_game()
    log = PacketLog(path, view.field_info(), 0, 0, -7)
    for packet in simulated_packets(view, frames):
        log.add(packet)
    return path


def test_what_was_recorded_is_read_in_order(tmp_path: Path) -> None:
    field, car, *packets = read_packets(recorded(tmp_path / "packets", 3))
    assert len(field.boost_pads) == 34
    assert (car.team, car.controllables[0].index, car.controllables[0].identifier) == (0, 0, -7)
    assert [packet.match_info.frame_num for packet in packets] == [0, 1, 2]
    assert packets[0].players[1].team == 1


def test_half_a_message_at_the_end_is_left_out(tmp_path: Path) -> None:
    path = recorded(tmp_path / "packets", 3)
    path.write_bytes(path.read_bytes()[:-1])
    assert len(list(read_packets(path))) == 2 + 2


def test_each_message_is_framed_as_on_the_socket(tmp_path: Path) -> None:
    data = recorded(tmp_path / "packets", 0).read_bytes()
    length = data[0] * 256 + data[1]
    assert isinstance(flat.CorePacket.unpack(data[2 : 2 + length]).message, flat.FieldInfo)


@pytest.mark.parametrize("data", [b"\0\5hello", b"\0\0"])
def test_another_file_is_a_sentence(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "notes.txt").write_bytes(data)
    with pytest.raises(PacketLogError, match="holds no recorded packets: byte 0 begins no message"):
        list(read_packets(tmp_path / "notes.txt"))
    with pytest.raises(PacketLogError, match="nowhere cannot be read: No such file"):
        list(read_packets(tmp_path / "nowhere"))
