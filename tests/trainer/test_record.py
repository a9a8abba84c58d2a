"""Rallies are recorded without a watcher, between whoever was asked for."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from tests.trainer.tiny import tiny_config
from tests.trainer.watched import publish, run_in, save_checkpoint
from trainer import record as recording
from trainer.checkpoint import CheckpointError
from trainer.record import Asked, record
from trainer.replay import read_replay
from trainer.run_dir import RunDir

OLD = "000000000000100"
DATE = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    # 1 s without a touch: nobody who idles gets to the ball.
    run = run_in(tmp_path / "mine", tiny_config("episodes.no_touch_s=1", "viewer.fps=30"))
    save_checkpoint(run, action=3, steps=100, written=1_000)
    return run


def recorded(asked: Asked) -> Path:
    return record(asked, np.random.default_rng(0), DATE)


def test_rallies_are_in_the_replay_one_after_the_other(run: RunDir) -> None:
    path = recorded(Asked(run, 3, ("newest", OLD), deterministic=True))
    assert path == run.replays / "2026-03-04_05-06-07_100.jsonl.gz"
    header, read = read_replay(path)
    frames = list(read)
    assert header.fps == 30
    assert header.names == ("newest, 100 steps", "100 steps")
    # 1 s are 120 ticks, 15 decisions: the picture of the kickoff and 30 more, three times.
    assert [frame.rally for frame in frames] == [1] * 31 + [2] * 31 + [3] * 31
    assert [frame.note for frame in frames[30::31]] == ["Nobody touched the ball"] * 3
    assert frames[-1].time_s == 3.0
    assert all(frame.deterministic and frame.names == header.names for frame in frames)


def test_it_goes_where_it_is_asked_to(run: RunDir, tmp_path: Path) -> None:
    out = tmp_path / "new" / "game.jsonl.gz"
    assert recorded(Asked(run, 1, ("newest", "newest"), False, out)) == out
    assert len(list(read_replay(out)[1])) == 31
    assert not run.replays.exists()


def test_a_rally_without_an_end_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "LONGEST_RALLY_S", 2.0)
    run = run_in(tmp_path / "endless", tiny_config("episodes.no_touch_s=0"))
    publish(run, action=0)
    path = recorded(Asked(run, 2, ("newest", "newest"), deterministic=True))
    frames = list(read_replay(path)[1])
    assert [frame.rally for frame in frames].count(1) == 31
    assert {frame.rally for frame in frames} == {1, 2}


def test_who_cannot_play_is_refused_in_a_sentence(run: RunDir, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="there is no checkpoint 000000000000777"):
        recorded(Asked(run, 1, ("newest", "000000000000777"), False))
    empty = run_in(tmp_path / "empty")
    with pytest.raises(CheckpointError, match="has no policy to play: train it first"):
        recorded(Asked(empty, 1, ("newest", "newest"), False))
    assert not run.replays.exists()
