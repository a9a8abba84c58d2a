"""Anybody's bots in a match: real processes of RLBot's own Python interface, over real sockets."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import export.game
import export.match
import export.server
from export.client import HostError
from export.game import Game
from export.match import play
from export.match_command import match_command
from export.parity import require_parity
from export.terms import Fps, InputDelay, Terms
from rlbot_agent.state import Array
from tests.export.bundles import make_bundle, started_by_this_python
from trainer.replay import read_replay

BOTS = Path(__file__).with_name("other_bots")
PAUSED, COUNTDOWN, KICKOFF, ACTIVE, GOAL, REPLAY = 6, 1, 2, 3, 4, 5


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = "sim.modes={1v1=1, 2v2=1}"
    return started_by_this_python(make_bundle(tmp_path_factory.mktemp("bundle"), settings))


@pytest.fixture
def games(monkeypatch: pytest.MonkeyPatch) -> list[Game]:
    """Those that are played."""
    made: list[Game] = []

    class Kept(Game):
        def advance(self, controls: Array) -> None:
            if self not in made:
                made.append(self)
            super().advance(controls)

    monkeypatch.setattr(export.match, "Game", Kept)
    return made


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packets that another bot leaves unanswered are many in these tests."""
    monkeypatch.setattr(export.server, "OTHERS_REPLY_S", 0.25)


def write_bot(folder: Path, script: str, hivemind: bool = False) -> Path:
    """A bot as people ship it: NAME.bot.toml, its code in a folder of its own."""
    code = folder / "the code"
    code.mkdir(parents=True)
    (code / script).write_text((BOTS / script).read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "mine.bot.toml").write_text(
        "[settings]\n"
        f'agent_id = "somebody/{script}/1"\nname = "{script}"\nroot_dir = "the code"\n'
        f"hivemind = {str(hivemind).lower()}\n"
        f"run_command_linux = '{sys.executable} {script}'\nrun_command = 'py {script}'\n"
        f"[settings.environment]\nDIARY = '{folder / 'diary.json'}'\n",
        encoding="utf-8",
    )
    return folder


def diary(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "diary.json").read_text(encoding="utf-8"))
    return record


def test_another_bot_plays_with_analogue_controls_and_misses_what_it_misses(
    bundle: Path, tmp_path: Path
) -> None:
    other, replay = write_bot(tmp_path / "other", "chaser.py"), tmp_path / "match.jsonl.gz"
    report = play((bundle, other), Terms(3), np.random.default_rng(0), record=replay)
    require_parity(report.hindsight.agreements)
    assert report.names[1] == "chaser.py"
    ours, theirs = sorted(report.bots, key=lambda bot: bot.names[0] == "chaser.py")
    assert (ours.packets, ours.missed_frames, ours.deadline_misses) == (360, 0, 0)
    # Loading has 12 packets and the countdown 120, so play has those numbered 133 to 492: of the
    # fortieths 160 to 480.
    assert (theirs.packets, theirs.missed_frames, theirs.deadline_misses) == (360, 9, 9)
    said = diary(other)
    assert (said["folder"], said["slices"], said["phases"][:3]) == (
        "the code",
        720,
        [PAUSED, COUNTDOWN, KICKOFF],
    )
    assert (said["packets"], said["gaps"]) == (12 + 120 + 360, [0, 1])
    header, frames = read_replay(replay)
    pictures = list(frames)
    assert (header.fps, header.names[1], header.teams) == (30, "chaser.py", (0, 1))
    # The kickoff, and 30 a second for 3 s.
    assert [len(pictures), pictures[0].time_s, pictures[-1].time_s] == [91, 0, 3]
    assert len({(car.x, car.y) for frame in pictures for car in frame.cars[1:]}) > 50


def test_a_hivemind_drives_all_cars_of_its_team_in_a_match_of_any_order(
    bundle: Path, tmp_path: Path, games: list[Game]
) -> None:
    swarm = write_bot(tmp_path / "swarm", "swarm.py", hivemind=True)
    terms = Terms(1, mode="2v2", shuffled=True)
    report = play((bundle, swarm), terms, np.random.default_rng(1))
    require_parity(report.hindsight.agreements)
    hive = [bot for bot in report.bots if bot.names[0].startswith("swarm.py")]
    assert [sorted(bot.names) for bot in hive] == [["swarm.py", "swarm.py (2)"]]
    assert (hive[0].packets, hive[0].missed_frames) == (120, 0)
    for played in games[0].played.values():
        held = {(throttle, boost) for throttle, boost in played.controls[:, [0, 6]].tolist()}
        assert {(0.25, 1.0), (0.5, 0.0)} <= held


def test_a_car_need_not_stand_in_the_packets_where_it_stands_in_the_configuration(
    bundle: Path, tmp_path: Path
) -> None:
    other = write_bot(tmp_path / "other", "chaser.py")
    terms = Terms(0.25, shuffled=True)
    report = play((bundle, other), terms, np.random.default_rng(0))
    require_parity(report.hindsight.agreements)
    said = diary(other)
    assert said["index"] != said["place"]


@pytest.mark.parametrize(("fps", "gaps"), [("60", [0, 2]), ("irregular", [0, 1, 2, 3, 4])])
def test_a_slow_game_skips_frames_and_bundles_see_what_is_left_right(
    bundle: Path, tmp_path: Path, fps: Fps, gaps: list[int]
) -> None:
    other = write_bot(tmp_path / "other", "chaser.py")
    report = play((bundle, other), Terms(2, fps=fps), np.random.default_rng(0))
    require_parity(report.hindsight.agreements)
    assert diary(other)["gaps"] == gaps
    ours = next(bot for bot in report.bots if bot.names != ("chaser.py",))
    assert ours.missed_frames == 0
    if fps == "60":
        assert ours.packets == 120
    # Actions that were due in a skipped frame act in the next one.
    assert 0 < report.hindsight.late_actions <= report.hindsight.decisions


@pytest.mark.parametrize("delay", [0, 1])
def test_a_bundle_acts_in_time_in_a_game_with_or_without_a_delay(
    bundle: Path, delay: InputDelay
) -> None:
    report = play((bundle, bundle), Terms(1, input_delay=delay), np.random.default_rng(0))
    require_parity(report.hindsight.agreements)
    assert (report.hindsight.decisions, report.hindsight.late_actions) == (30, 0)


class Eventful(Game):
    """A goal after half a second; then a touch, a demolition, and pauses."""

    def advance(self, controls: Array) -> None:
        if self.is_live and self.ticks == 60:
            ball = self._sim.arenas[0].ball.get_state()
            ball.pos = type(ball.pos)(0, 5300, 300)
            self._sim.arenas[0].ball.set_state(ball)
        if self.is_live and self.ticks == 65:
            ball = self._sim.arenas[0].ball.get_state()
            x, y, _ = self._sim.state.position[0, 1].tolist()
            ball.pos = type(ball.pos)(x, y, 160)  # it falls on orange's roof
            ball.vel = type(ball.vel)(0, 0, -500)
            self._sim.arenas[0].ball.set_state(ball)
        if self.is_live and self.ticks == 120:
            self._sim.cars[0][0].demolish()
        super().advance(controls)


def test_goals_replays_pauses_and_demolitions_reach_the_bots(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export.match, "Game", Eventful)
    monkeypatch.setattr(export.game, "PAUSE_CHANCE", 1 / 100)
    monkeypatch.setattr(export.server, "OTHERS_REPLY_S", 0.05)
    other = write_bot(tmp_path / "other", "chaser.py")
    report = play((bundle, other), Terms(4.5, pauses=True), np.random.default_rng(0))
    require_parity(report.hindsight.agreements)
    assert report.score[0] >= 1
    assert report.result.orange.touches >= 1
    said = diary(other)
    assert said["phases"][:9] == [
        *(PAUSED, COUNTDOWN, KICKOFF, GOAL, REPLAY, COUNTDOWN, KICKOFF, ACTIVE, PAUSED)
    ]
    assert said["touched_s"] > 100_000 / 120
    assert report.hindsight.agreements["demo_timer"].compared > 30
    # A demolished car is gone for 3 s, of which the bundle decides 15 times a second.
    assert said["demolished"] >= 300


def test_two_other_bots_play_without_any_bundle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write_bot(tmp_path / "other", "chaser.py")
    swarm = write_bot(tmp_path / "swarm", "swarm.py", hivemind=True)
    assert match_command((other, swarm / "mine.bot.toml"), Terms(0.25)) == 0
    said = capsys.readouterr().out
    assert "answers       59 of 60 packets" in said  # the chaser's 160th has none
    assert said.endswith("no bundle took part, so no observation was compared\n")


def test_another_bot_that_never_answers_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export.server, "OTHERS_REPLY_S", 0.05)
    other = write_bot(tmp_path / "other", "chaser.py")
    script = other / "the code" / "chaser.py"
    script.write_text(script.read_text().replace("self.packets % 40 == 0", "True"))
    with pytest.raises(HostError, match=r"chaser.py.* did not answer frame 100000"):
        play((other, other), Terms(1), np.random.default_rng(0))
