from collections.abc import Sequence
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

from rlbot_agent.actions import ACTION_TABLE
from tests.trainer.evaluation.players import CHASER, side
from tests.trainer.ratings.ladders import add_version, make_versions
from trainer import jsonl
from trainer.evaluation import candidates, parallel
from trainer.evaluation.contestants import Contestant, EvaluationError, load_contestant
from trainer.evaluation.engine import Game, Result, Table
from trainer.ratings import ladder as ladder_module
from trainer.ratings.ladder import Terms, climb
from trainer.ratings.ladder_players import Wishes
from trainer.ratings.ladder_table import read_ladder

SHORT = Terms(starts=2, seconds=2.0, sampled=True)


class InterruptedByTestError(Exception):
    pass


class Still:
    """Does nothing."""

    def choose(self, obs: np.ndarray, masks: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        nothing = int(np.flatnonzero(~ACTION_TABLE.any(axis=1))[0])
        return np.full(len(masks), nothing)


KNOWN = {"chaser": CHASER, "still": Contestant("still", "", None, Still())}

STRENGTH = {"chaser": 5, "still": 2, "random": 1, "100": 1}
"""Goals of everybody in every game of `goals_by_name`."""


def load_known(word: str, name: str, *, sampled: bool) -> Contestant:
    return KNOWN.get(word) or load_contestant(word, name, sampled=sampled)


@pytest.fixture(autouse=True)
def _known_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "load_contestant", load_known)
    monkeypatch.setattr(ladder_module.time, "time", lambda: 1000.0)


@pytest.fixture
def goals_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody scores by its name, whatever happens on the field."""

    def decree(games: Sequence[Game], table: Table, players: Sequence[Contestant]) -> list[Result]:
        return [
            Result(
                side(STRENGTH[players[game.blue].name]),
                side(STRENGTH[players[game.orange].name]),
                game.decisions,
                {"goal": 0},
            )
            for game in games
        ]

    monkeypatch.setattr(parallel, "play", decree)


def silent(line: str) -> None:
    pass


@pytest.mark.usefixtures("goals_by_name")
@pytest.mark.parametrize("others", permutations(("random", "chaser", "still")))
def test_players_of_known_order_come_out_in_it_whatever_order_they_are_given_in(
    tmp_path: Path, others: tuple[str, ...]
) -> None:
    run = make_versions(tmp_path / "run", 100)
    found = climb(run, Wishes(others=others), Terms(starts=8), 1, silent)
    (one,) = found.rounds
    assert [rung.name for rung in one.rungs] == ["chaser", "still", "random", "100"]
    assert [(rung.steps, rung.sha256 == "") for rung in one.rungs] == [(0, True)] * 3 + [
        (100, False)
    ]
    # 16 games with each of three: 5 goals; 2 goals; 1 goal; 1 goal.
    results = [(rung.wins, rung.draws, rung.losses) for rung in one.rungs]
    assert results == [(48, 0, 0), (32, 0, 16), (0, 16, 32), (0, 16, 32)]
    goals = [(rung.scored, rung.conceded) for rung in one.rungs]
    # 48 · 5 : 16 (2 + 1 + 1), 48 · 2 : 16 (5 + 1 + 1), 48 · 1 : 16 (5 + 2 + 1), twice
    assert goals == [(240, 64), (96, 112), (48, 128), (48, 128)]
    # 1 / (1 + z² / 16) of 16 wins: 0.806
    assert [(met.a, met.b) for met in one.meetings] == list(combinations(range(4), 2))
    assert one.meetings[0].points == (pytest.approx(0.8064, abs=1e-4), 1.0, 1.0)
    assert one.meetings[0].goal_difference == (3.0, 3.0, 3.0)
    assert [one.beaten(row) for row in range(4)] == [(1, 2, 3), (2, 3), (), ()]
    assert found == read_ladder(run.ladder)


def test_whoever_chases_the_ball_is_above_those_who_do_nothing_or_anything(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100)
    wishes = Wishes(others=("random", "chaser", "still"))
    (one,) = climb(run, wishes, Terms(starts=8), 1, silent).rounds
    assert one.rungs[0].name == "chaser"
    assert one.rungs[0].scored > 2 * max(rung.scored for rung in one.rungs[1:])


def test_the_games_of_a_pair_do_not_depend_on_who_else_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run decides every 4 ticks, and two who have no contract play by that all the same."""
    found: dict[tuple[str, str, int], Result] = {}
    play = parallel.play

    def remember(
        games: Sequence[Game], table: Table, players: Sequence[Contestant]
    ) -> list[Result]:
        results = play(games, table, players)
        for game, result in zip(games, results, strict=True):
            found[players[game.blue].name, players[game.orange].name, game.start] = result
        return results

    def games_of(name: str, *steps: int) -> dict[tuple[str, str, int], Result]:
        found.clear()
        run = make_versions(tmp_path / name, *steps, settings=("sim.tick_skip=4",))
        climb(run, Wishes(others=("still",)), SHORT, 1, silent)
        return found.copy()

    monkeypatch.setattr(parallel, "play", remember)
    # Nobody of the run meets in the first batch, and somebody does in the last.
    monkeypatch.setattr("trainer.evaluation.schedule.AT_ONCE", 4)
    few = games_of("few", 100, 200)
    # 6 pairs of random, still, 100 and 200; 2 starts from both sides; 2 s of 30 decisions
    assert len(few) == 24
    assert {result.decisions for result in few.values()} == {60}
    monkeypatch.setattr("trainer.evaluation.schedule.AT_ONCE", 64)
    many = games_of("many", 50, 100, 200, 300)
    assert len(many) == 60
    assert {names: many[names] for names in few} == few


def test_every_mode_is_a_round_of_those_who_can_play_it(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100)
    add_version(run, 200, "sim.max_team_size=2")
    lines: list[str] = []
    found = climb(run, Wishes(), SHORT._replace(modes=("2v2", "1v1")), 1, lines.append)
    assert [each.mode for each in found.rounds] == ["2v2", "1v1"]
    assert [{rung.name for rung in each.rungs} for each in found.rounds] == [
        {"200", "random"},
        {"100", "200", "random"},
    ]
    # 1 and 3 pairs, 2 starts from both sides each
    assert lines[-1] == "16 of 16 games"
    assert any(line.startswith("left out of 2v2: 100 cannot play 2v2") for line in lines)


def test_one_start_state_says_nothing_of_the_goal_difference_and_is_written_all_the_same(
    tmp_path: Path,
) -> None:
    run = make_versions(tmp_path / "run", 100)
    found = climb(run, Wishes(), SHORT._replace(starts=1), 1, silent)
    assert found.rounds[0].meetings[0].goal_difference.high == float("inf")
    assert read_ladder(run.ladder) == found


def test_an_interrupted_ladder_goes_on_and_a_finished_one_leaves_no_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainer.evaluation.schedule.AT_ONCE", 10)
    run = make_versions(tmp_path / "run", 100, 200)
    whole = climb(run, Wishes(), SHORT, 1, silent)
    before = run.ladder.read_bytes()

    def interrupt(line: str) -> None:
        if line == "10 of 12 games":
            raise InterruptedByTestError

    with pytest.raises(InterruptedByTestError):
        climb(run, Wishes(), SHORT, 1, interrupt)
    assert run.ladder.read_bytes() == before
    (log,) = run.ladder_games.iterdir()
    assert len(jsonl.read_all(log)) == 10

    played: list[int] = []
    play = parallel.play
    monkeypatch.setattr(
        parallel, "play", lambda games, *rest: played.append(len(games)) or play(games, *rest)
    )
    assert climb(run, Wishes(), SHORT, 1, silent) == whole
    assert played == [2]
    assert not run.ladder_games.exists()


def test_other_terms_begin_anew_and_keep_the_games_of_the_interrupted_ones(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100)

    def interrupt(line: str) -> None:
        if line == "4 of 4 games":
            raise InterruptedByTestError

    with pytest.raises(InterruptedByTestError):
        climb(run, Wishes(), SHORT, 1, interrupt)
    climb(run, Wishes(), SHORT._replace(seed=1), 1, silent)
    assert len(list(run.ladder_games.iterdir())) == 1


def test_a_ladder_of_strangers_needs_a_mode(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100)
    (run.versions / "000000000000100" / "contract.json").unlink()
    with pytest.raises(EvaluationError, match="nobody of the run can play, and no --mode says"):
        climb(run, Wishes(others=("still",)), SHORT, 1, silent)
    (one,) = climb(run, Wishes(others=("still",)), SHORT._replace(modes=("1v1",)), 1, silent).rounds
    assert {rung.name for rung in one.rungs} == {"random", "still"}
