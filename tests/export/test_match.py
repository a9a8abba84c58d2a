import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

import export.match
import export.server
from export.client import HostError
from export.match import play
from export.match_command import match_command
from export.parity import require_parity
from export.terms import Terms
from rlbot_agent.decide import MatchError
from rlbot_agent.observation import make_observation
from tests.export.bundles import AGENT, make_bundle, reseal, started_by_this_python

FAKE = f"{sys.executable} {Path(__file__).with_name('fake_bot.py')}"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A 1v1 bundle that runs in this environment instead of one of its own."""
    return started_by_this_python(make_bundle(tmp_path_factory.mktemp("bundle")))


def copy_of(bundle: Path, folder: Path) -> Path:
    return shutil.copytree(bundle, folder / "copy")


def replace_in(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(autouse=True)
def _no_process_is_left_behind() -> Iterator[None]:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert not left


def test_in_lockstep_every_packet_is_answered_and_every_observation_agrees(bundle: Path) -> None:
    report = play((bundle, bundle), Terms(3), np.random.default_rng(0))
    assert report.packets == 2 * 120 * 3
    if report.score == (0, 0):  # a goal would begin a new grid of decisions
        assert report.hindsight.decisions == 2 * 3 * 15
    assert (report.missed_frames, report.deadline_misses) == (0, 0)
    assert report.hindsight.late_actions == 0
    assert len(report.reply_s) == report.packets
    assert all(found.compared for found in report.hindsight.agreements.values())
    require_parity(report.hindsight.agreements)
    assert report.names == ("my run 64", "my run 64")


def test_in_real_time_a_second_takes_a_second(bundle: Path) -> None:
    report = play((bundle, bundle), Terms(1, realtime=True), np.random.default_rng(0))
    assert 2.1 <= report.wall_s < 3.5  # with 12 packets of loading and the countdown
    assert report.packets == 2 * 120
    assert len(report.reply_s) > report.packets / 2
    require_parity(report.hindsight.agreements)


def test_the_command_reports_and_ends_with_zero(
    bundle: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert match_command((bundle, bundle), Terms(1)) == 0
    said = capsys.readouterr().out
    assert "score         my run 64 0 : 0 my run 64\n" in said
    assert "answers       240 of 240 packets; p50 " in said
    assert "misses        0 frames missed, 0 deadlines (0.000% of packets), " in said
    assert "decisions     30, 0 acted late; " in said
    assert said.endswith("good: the bots saw what the simulator shows in training\n")


def test_a_bot_that_sees_something_else_fails_the_match_by_term_frame_and_values(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = copy_of(bundle, tmp_path)
    packet = other / "rlbot_agent" / "packet.py"
    replace_in(packet, "] = player.boost", "] = player.boost / 100")
    reseal(other)
    assert match_command((bundle, other), Terms(0.5)) == 1
    verdict = capsys.readouterr().out.splitlines()[-1]
    assert verdict.startswith(
        "verdict       failed: own.boost[0] of car 1 in frame 100120 is 0.0033"
    )
    assert " to the bot and 0.333333 in the simulator: more than 1e-05 apart" in verdict


@pytest.mark.parametrize(("mode", "cars"), [("2v2", 4), ("3v3", 6)])
def test_team_mates_with_one_agent_id_get_a_car_each(tmp_path: Path, mode: str, cars: int) -> None:
    bundle = started_by_this_python(make_bundle(tmp_path, f"sim.modes.{mode}=1"))
    terms = Terms(0.5, shuffled=True)
    report = play((bundle, bundle), terms, np.random.default_rng(0))
    assert len(report.reply_s) == report.packets == cars * 60
    assert report.hindsight.decisions == cars * 8
    require_parity(report.hindsight.agreements)


def test_a_policy_of_several_modes_plays_the_first_or_the_one_asked_for(tmp_path: Path) -> None:
    settings = "sim.modes={1v1=1, 2v1=1}"
    bundle = started_by_this_python(make_bundle(tmp_path, settings))
    for mode, cars in ((None, 2), ("2v1", 3)):
        report = play((bundle, bundle), Terms(0.5, mode=mode), np.random.default_rng(0))
        assert len(report.reply_s) == report.packets == cars * 60
        assert report.hindsight.decisions == cars * 8
        require_parity(report.hindsight.agreements)
    with pytest.raises(MatchError, match="trained for up to 2v2, it does not move in 3v1"):
        play((bundle, bundle), Terms(1, mode="3v1"), np.random.default_rng(0))


@pytest.mark.parametrize("observation", ["local", "rlgymppo_advanced"])
def test_bots_of_another_observation_see_it_as_in_training(
    bundle: Path, tmp_path: Path, observation: str
) -> None:
    other = started_by_this_python(make_bundle(tmp_path, f"sim.observation={observation}"))
    report = play((bundle, other), Terms(2), np.random.default_rng(0))
    require_parity(report.hindsight.agreements)
    terms = make_observation(observation, (0, 1)).terms
    assert all(report.hindsight.agreements[term.field].compared for term in terms)


def test_bundles_for_different_team_sizes_are_refused(bundle: Path, tmp_path: Path) -> None:
    doubles = make_bundle(tmp_path, "sim.modes.2v2=1")
    with pytest.raises(MatchError, match="trained for 2v2, it does not move in 1v1"):
        play((bundle, doubles), Terms(1), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("quits", "my run 64 hung up"),
        ("is silent", r"my run 64 did not answer frame 100000"),
        ("steers another car", "my run 64 is car 0 and steered car 1"),
        ("invents controls", r"my run 64 sent controls that are no row .* \(0.5, 0"),
        ("stranger", "a bot called itself 'a stranger'"),
        ("never ready", r"my run 64 and my run 64 \(2\) did not get ready in time"),
    ],
)
def test_a_bot_that_misbehaves_ends_the_match_with_a_sentence(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str, words: str
) -> None:
    monkeypatch.setattr(export.server, "REPLY_S", 1.0)
    fake = copy_of(bundle, tmp_path)
    replace_in(fake / "bot.toml", AGENT, f'{FAKE} "{mode}"')
    other = fake if mode == "never ready" else bundle
    start_s = 1.0 if mode == "never ready" else 60.0
    with pytest.raises(HostError, match=words):
        play((fake, other), Terms(5), np.random.default_rng(0), start_s=start_s)


def test_a_bot_that_cannot_start_is_reported_in_its_own_words(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = copy_of(bundle, tmp_path)
    (broken / "policy.onnx").write_bytes(b"not a model")
    assert match_command((bundle, broken), Terms(1)) == 1
    said = capsys.readouterr().out
    assert "failed: a bot ended with code 1, saying: rlppo bot: " in said
    assert "policy.onnx was changed after the export" in said


def test_an_interrupted_match_leaves_no_process(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(export.match, "_play_frames", interrupt)
    with pytest.raises(KeyboardInterrupt):
        play((bundle, bundle), Terms(1), np.random.default_rng(0))
