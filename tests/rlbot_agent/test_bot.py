import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rlbot import flat

from rlbot_agent.actions import ACTION_TABLE
from rlbot_agent.activation import HOME, activate
from rlbot_agent.bot import RlppoBot, controls
from rlbot_agent.dry_run import dry_run
from rlbot_agent.policy import OnnxPolicy
from rlbot_agent.record import append_record, read_records
from tests.export.bundles import make_bundle
from tests.export.simulated import simulated_game, simulated_packets
from tests.patience import PATIENCE_S
from tests.rlbot_agent.game import field_pads, packet, player
from tests.rlbot_agent.models import contract, write_model
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of

ON_GROUND = 69
"""Column of the observation that is 1 for a car on the ground."""
ANSWER = 3
"""A row of the action table that is possible there."""


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RlppoBot:
    """A bot on the standard field that always chooses the same, as after RLBot's introduction."""
    weights = np.zeros((92, 90), np.float32)
    weights[ON_GROUND, ANSWER] = 1
    return make_bot(
        write_model(tmp_path / "policy.onnx", contract(action_delay=0), weights), monkeypatch
    )


def make_bot(model: Path, monkeypatch: pytest.MonkeyPatch) -> RlppoBot:
    monkeypatch.setenv("RLBOT_AGENT_ID", "test")
    found = RlppoBot(OnnxPolicy(model), lambda *_: None, 0)
    found.field_info = SimpleNamespace(boost_pads=field_pads())  # type: ignore[assignment]
    found.index, found.team, found.name = 0, 0, "Tester"
    found.initialize()
    return found


def row_of(answer: flat.ControllerState) -> list[float]:
    return [float(getattr(answer, name)) for name in flat.ControllerState.__match_args__[:8]]


def test_every_row_of_the_table_reaches_the_game_as_it_is() -> None:
    for action, row in enumerate(ACTION_TABLE.tolist()):
        assert row_of(controls(action)) == row
    assert row_of(controls(None)) == [0] * 8
    assert isinstance(controls(0).jump, bool)


def test_it_answers_with_what_the_policy_chose(driver: RlppoBot) -> None:
    answer = driver.get_output(packet(10))  # type: ignore[arg-type]
    assert row_of(answer) == ACTION_TABLE[ANSWER].tolist()


@pytest.mark.parametrize(
    ("breaks", "sentence"),
    [
        (lambda shown: shown.players.pop(), "rlppo bot: Tester: this policy was trained for 1v1"),
        (lambda shown: shown.boost_pads.clear(), "rlppo bot: Tester: a packet shows 0 boost pads"),
        (lambda shown: delattr(shown, "match_info"), "rlppo bot: Tester: AttributeError: "),
    ],
)
def test_what_goes_wrong_is_said_once_and_answered_with_neutral_controls(
    driver: RlppoBot,
    breaks: Callable[[SimpleNamespace], object],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for frame in range(10, 14):
        shown = packet(frame)
        breaks(shown)
        assert row_of(driver.get_output(shown)) == [0] * 8  # type: ignore[arg-type]
    said = capsys.readouterr().err
    assert said.startswith(sentence)
    assert said.count("\n") == 1


def test_a_match_it_was_not_trained_in_is_played_and_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Padded to 2v2 the observation is 40 numbers wider.
    words = contract_of(tiny_config("sim.max_team_size=2", "sim.action_delay=0"), 0)
    weights = np.zeros((132, 90), np.float32)
    weights[ON_GROUND, ANSWER] = 1
    found = make_bot(write_model(tmp_path / "policy.onnx", words, weights), monkeypatch)
    for frame in range(10, 14):
        shown = packet(frame, player(), player(team=1, player_id=7), player(team=1, player_id=8))
        assert row_of(found.get_output(shown)) == ACTION_TABLE[ANSWER].tolist()  # type: ignore[arg-type]
    said = capsys.readouterr().err
    assert said == "rlppo bot: Tester: this policy was trained in 1v1, it plays 1v2 untrained\n"


def test_it_recovers_when_the_match_is_right_again(driver: RlppoBot) -> None:
    driver.get_output(packet(10, player(), player(), player()))  # type: ignore[arg-type]
    answer = driver.get_output(packet(11))  # type: ignore[arg-type]
    assert row_of(answer) == ACTION_TABLE[ANSWER].tolist()


def test_decisions_are_recorded_row_for_row(tmp_path: Path) -> None:
    path = tmp_path / "records"
    append_record(path, 2**40, 1, 89, 3, np.arange(5, dtype=np.float32))
    append_record(path, 2**40 + 8, 1, 0, 3, np.ones(5, np.float32))
    with path.open("ab") as file:
        file.write(b"half a row")
    rows = read_records(path, 5)
    assert rows["frame"].tolist() == [2**40, 2**40 + 8]
    assert rows["car"].tolist() == [1, 1]
    assert rows["action"].tolist() == [89, 0]
    assert rows["skipped"].tolist() == [3, 3]
    assert rows["obs"].tolist() == [[0, 1, 2, 3, 4], [1, 1, 1, 1, 1]]
    assert len(read_records(tmp_path / "none", 5)) == 0


def start(**environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "rlbot_agent"],
        env={**os.environ, "RLBOT_AGENT_ID": "test", **environment},
        cwd=HOME,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_a_bot_that_cannot_start_says_one_sentence_and_ends_with_code_1(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    (bundle / "policy.onnx").write_bytes(b"another")
    for chosen, sentence in (
        (tmp_path / "no", "rlppo bot: there is no bundle in "),
        (bundle, "rlppo bot: policy.onnx was changed after the export: copy the bundle anew"),
    ):
        ended = start(RLPPO_BUNDLE=str(chosen))
        assert ended.returncode == 1
        assert ended.stderr.startswith(sentence)
        assert ended.stderr.count("\n") == 1


def test_packets_are_recorded_for_a_dry_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A real bundle of a real actor, on packets of a real simulator.
    policy = activate(make_bundle(tmp_path)).policy
    packets, actions = tmp_path / "packets", []
    monkeypatch.setenv("RLBOT_AGENT_ID", "test")
    found = RlppoBot(policy, lambda *row: actions.append(row[2]), 0, str(packets))
    view = simulated_game()
    found.field_info = view.field_info()
    found.index, found.team, found.player_id = 1, 1, -6
    found.initialize()
    answers = [found.get_output(shown) for shown in simulated_packets(view, 40)]
    again = dry_run(policy, tmp_path / "packets.1")
    # Frames 0 to 39 are decided upon at 0, 8, 16, 24 and 32.
    assert (len(answers), len(again.frames), again.actions.total()) == (40, 40, 5)
    assert again.actions == Counter(actions)


def test_an_unknown_field_ends_the_process_with_a_sentence(
    driver: RlppoBot, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Ended(BaseException):
        pass

    def end(code: int) -> None:
        raise Ended(code)

    monkeypatch.setattr(os, "_exit", end)
    driver.field_info = SimpleNamespace(boost_pads=field_pads()[:6])  # type: ignore[assignment]
    with pytest.raises(Ended, match="1"):
        driver.initialize()
    assert capsys.readouterr().err == (
        "rlppo bot: this map has 6 boost pads, the bot knows only fields with 34\n"
    )


def test_a_disk_that_takes_no_more_packets_ends_their_recording_and_not_the_play(
    driver: RlppoBot, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class FullDisk:
        def add(self, packet: object) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(driver, "_log", FullDisk())
    for frame in range(10, 14):
        answer = driver.get_output(packet(frame))  # type: ignore[arg-type]
        assert row_of(answer) == ACTION_TABLE[ANSWER].tolist()
    assert capsys.readouterr().err == (
        "rlppo bot: Tester: packets are recorded no more: [Errno 28] No space left on device\n"
    )
