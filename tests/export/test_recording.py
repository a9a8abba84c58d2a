from pathlib import Path

import numpy as np
import pytest

from export.game import Game
from export.recording import recorded
from trainer.frames import Frame
from trainer.free_sim import FreeSimulator
from trainer.meshes import find_meshes
from trainer.replay import read_replay

NEUTRAL = np.zeros((2, 8), np.float32)


def record_match(path: Path, goal_at: int) -> list[Frame]:
    """A second of play with a goal after `goal_at` ticks."""
    rng = np.random.default_rng(0)
    sim = FreeSimulator(1, (0, 1), 1, 0, find_meshes(""), rng)
    game = Game(sim, 1, rng)
    with recorded(path, sim, ("A\n", "B"), 77) as recording:
        assert recording is not None
        while not game.is_over:
            if game.is_live and game.ticks == goal_at:
                ball = sim.arenas[0].ball.get_state()
                ball.pos = type(ball.pos)(0, -5300, 300)
                sim.arenas[0].ball.set_state(ball)
            game.advance(NEUTRAL)
            recording.take(game)
    _, frames = read_replay(path)
    return list(frames)


def test_a_replay_holds_kickoffs_thirty_pictures_a_second_and_goals(tmp_path: Path) -> None:
    frames = record_match(tmp_path / "m.jsonl.gz", goal_at=50)
    # 1 kickoff; ticks 4 to 48; the goal in tick 51; a kickoff as old; ticks 52 to 120.
    assert [frame.time_s for frame in frames[:3]] == [0, 0.033, 0.067]
    times = [round(frame.time_s * 120) for frame in frames]
    assert times == [0, *range(4, 49, 4), 51, 51, *range(52, 121, 4)]
    goal, kickoff = frames[13], frames[14]
    assert (goal.note, goal.orange, goal.rally) == ("Orange scores", 1, 1)
    assert (kickoff.note, kickoff.rally, kickoff.ball_y) == ("", 2, 0)
    assert (kickoff.names, kickoff.steps) == (("A", "B"), 77)


def test_without_a_file_nothing_is_recorded(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sim = FreeSimulator(1, (0, 1), 1, 0, find_meshes(""), rng)
    with recorded(None, sim, ("A", "B"), 0) as recording:
        assert recording is None
    assert not list(tmp_path.iterdir())


def test_a_match_that_fails_leaves_what_was_played_under_a_temporary_name(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    sim = FreeSimulator(1, (0, 1), 1, 0, find_meshes(""), rng)
    path = tmp_path / "m.jsonl.gz"
    with pytest.raises(KeyboardInterrupt), recorded(path, sim, ("A", "B"), 0):
        raise KeyboardInterrupt
    assert [file.name for file in tmp_path.iterdir()] == ["m.jsonl.gz.tmp"]
