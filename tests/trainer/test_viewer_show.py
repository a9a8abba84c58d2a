"""Wishes are granted between two pictures, by an audience that follows a script."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.trainer.watched import CONFIG, publish, run_in, save_checkpoint
from trainer.frames import Frame
from trainer.replay import read_replay
from trainer.run_dir import RunDir
from trainer.viewer_clock import GameClock
from trainer.viewer_game import Game
from trainer.viewer_recording import Recording
from trainer.viewer_show import Notes, Show
from trainer.viewer_teams import Teams
from trainer.viewer_wishes import Wishes

OLD = "000000000000100"
Wish = Callable[[Wishes], Wishes]


class Scripted:
    """Wishes something after the n-th picture, leaves after the last, and turns the clock."""

    def __init__(self, last: int, script: dict[int, Wish]) -> None:
        self.wishes, self.gone = Wishes(), False
        self.frames: list[Frame] = []
        self.came: list[float] = []
        self._seconds = 0.0
        self._last, self._script = last, script

    def now(self) -> float:
        return self._seconds

    def show(self, frame: Frame) -> None:
        self.frames.append(frame)
        self.came.append(self._seconds)
        if wish := self._script.get(len(self.frames)):
            self.wishes = wish(self.wishes)
        self.gone = len(self.frames) >= self._last

    def wait(self, seconds: float, known: Wishes) -> None:
        """Time passes only here, and only while there is nothing new to know."""
        if self.wishes is known:
            self._seconds += max(seconds, 1e-6)


class Broken:
    """An external viewer that has only trouble to tell."""

    def __init__(self) -> None:
        self.scenes: list[dict[str, Any]] = []

    def send(self, scene: dict[str, Any]) -> str:
        self.scenes.append(scene)
        return "It does not listen" if len(self.scenes) == 1 else ""

    def close(self) -> None:
        pass


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    run = run_in(tmp_path / "mine")
    save_checkpoint(run, action=3, steps=100, written=1_000)
    publish(run, action=5, written=2_000, value=1.5)
    return run


def shown(
    run: RunDir, last: int, script: dict[int, Wish], external: Broken | None = None
) -> tuple[list[Frame], list[float]]:
    """The pictures, and when each came."""
    audience = Scripted(last, script)
    rng, notes = np.random.default_rng(0), Notes(audience.now)
    game, teams = Game(CONFIG, rng), Teams(run, CONFIG, rng)
    teams.refresh()
    date = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    recording = Recording(run, 15, lambda: date, notes.say)
    clock = GameClock(audience.now)
    Show(audience, game, teams, 15, recording, notes, external, clock).run()
    recording.finish()
    return audience.frames, audience.came


def test_pictures_come_in_real_time_and_say_who_plays(run: RunDir) -> None:
    frames, came = shown(run, 4, {})
    assert [frame.time_s for frame in frames] == pytest.approx(
        [0, 1 / 15, 2 / 15, 3 / 15], abs=1e-3
    )
    assert came == pytest.approx([0, 1 / 15, 2 / 15, 3 / 15], abs=1e-4)
    assert {frame.names for frame in frames} == {("newest, 0 steps", "newest, 0 steps")}
    assert {(frame.speed, frame.paused, frame.mind, frame.note) for frame in frames} == {
        (1.0, False, None, "")
    }


def test_a_pause_is_shown_now_and_then_and_ends_with_the_next_picture_at_once(run: RunDir) -> None:
    script: dict[int, Wish] = {
        2: lambda wishes: replace(wishes, paused=True),
        5: lambda wishes: replace(wishes, paused=False),
    }
    frames, came = shown(run, 7, script)
    assert [frame.paused for frame in frames] == [False, False, True, True, True, False, False]
    assert len({frame.time_s for frame in frames[2:6]}) == 1
    # Shown at once, then every second; and the next one is a picture later, not three.
    begun, resumed = came[2], came[5]
    assert came[2:5] == pytest.approx([begun, begun + 1, begun + 2], abs=1e-3)
    assert begun == pytest.approx(came[1], abs=1e-3)
    assert resumed == pytest.approx(came[4], abs=1e-3)
    assert came[6] - resumed == pytest.approx(1 / 15, abs=1e-3)
    assert frames[6].time_s - frames[5].time_s == pytest.approx(1 / 15, abs=2e-3)


def test_a_change_of_speed_neither_jumps_nor_changes_the_rate_of_pictures(run: RunDir) -> None:
    frames, came = shown(run, 12, {3: lambda wishes: replace(wishes, speed=0.5)})
    game_s = np.diff([frame.time_s for frame in frames])
    wall_s = np.diff(came)
    assert game_s[:2] == pytest.approx([1 / 15] * 2, abs=2e-3)
    assert game_s[2:] == pytest.approx([1 / 30] * 9, abs=2e-3)
    assert wall_s == pytest.approx([1 / 15] * 11, abs=1e-3)
    assert [frame.speed for frame in frames] == [1.0] * 3 + [0.5] * 9


def test_a_wished_kickoff_ends_the_rally_also_in_a_pause(run: RunDir) -> None:
    def kickoff(wishes: Wishes) -> Wishes:
        return replace(wishes, kickoffs=wishes.kickoffs + 1)

    script: dict[int, Wish] = {
        2: kickoff,
        4: lambda wishes: replace(wishes, paused=True),
        6: kickoff,
    }
    frames, _ = shown(run, 8, script)
    assert [frame.rally for frame in frames] == [1, 1, 2, 2, 2, 2, 3, 3]
    assert [frame.paused for frame in frames] == [False] * 4 + [True] * 4
    assert frames[6].ball_x == frames[6].ball_y == 0.0


def test_another_player_and_a_followed_car_are_granted_also_in_a_pause(run: RunDir) -> None:
    script: dict[int, Wish] = {
        2: lambda wishes: replace(wishes, paused=True),
        3: lambda wishes: replace(wishes, players=("newest", OLD)),
        4: lambda wishes: replace(wishes, follow=0, deterministic=True),
        5: lambda wishes: replace(wishes, follow=9),
    }
    frames, _ = shown(run, 6, script)
    assert frames[2].names == ("newest, 0 steps", "newest, 0 steps")
    assert frames[3].names == ("newest, 0 steps", "100 steps")
    assert frames[3].mind is None
    assert frames[4].mind is not None
    assert (frames[4].mind.car, frames[4].mind.value) == (0, 1.5)
    assert frames[5].mind is None


def test_a_checkpoint_that_cannot_be_loaded_is_a_note_for_a_while(run: RunDir) -> None:
    missing = "000000000000777"
    script: dict[int, Wish] = {2: lambda wishes: replace(wishes, players=(missing, "newest"))}
    frames, came = shown(run, 120, script)
    told = [at for frame, at in zip(frames, came, strict=True) if missing in frame.note]
    assert told[0] == pytest.approx(2 / 15, abs=1e-3)
    assert 5.5 < told[-1] - told[0] < 6.5
    assert frames[-1].names == ("newest, 0 steps", "newest, 0 steps")


def test_what_is_recorded_is_what_was_shown_without_the_pause(run: RunDir) -> None:
    script: dict[int, Wish] = {
        2: lambda wishes: replace(wishes, recording=True),
        4: lambda wishes: replace(wishes, paused=True),
        7: lambda wishes: replace(wishes, paused=False),
        9: lambda wishes: replace(wishes, recording=False),
    }
    frames, _ = shown(run, 12, script)
    path = run.replays / "2026-03-04_05-06-07_0.jsonl.gz"
    header, recorded = read_replay(path)
    assert (header.fps, header.run, header.teams) == (15, "mine", (0, 1))
    assert header.names == ("newest, 0 steps", "newest, 0 steps")
    assert list(recorded) == [*frames[2:4], *frames[7:9]]
    assert "Recorded to replays/2026-03-04_05-06-07_0.jsonl.gz" in frames[-1].note


def test_an_external_viewer_gets_every_picture_and_its_trouble_is_told_once(run: RunDir) -> None:
    external = Broken()
    frames, _ = shown(run, 130, {}, external)
    assert len(external.scenes) == 130
    assert external.scenes[50]["ball_phys"]["pos"] == [
        frames[50].ball_x,
        frames[50].ball_y,
        frames[50].ball_z,
    ]
    assert frames[0].note == "It does not listen"
    assert frames[-1].note == ""
