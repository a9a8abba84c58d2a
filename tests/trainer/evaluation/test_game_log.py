from pathlib import Path

from tests.trainer.evaluation.players import side
from trainer.evaluation.engine import Result
from trainer.evaluation.game_log import GameLog

RESULTS = [
    Result(side(n, speed=1 / (n + 3)), side(), 9, {"goal": n, "no_touch": 0, "broken": 0})
    for n in range(4)
]


def test_results_are_read_back_to_the_last_bit(tmp_path: Path) -> None:
    GameLog(tmp_path / "games.jsonl").add(5, RESULTS)
    found = GameLog(tmp_path / "games.jsonl").results
    assert found == dict(zip((5, 6, 7, 8), RESULTS, strict=True))


def test_a_game_that_is_known_is_not_written_twice(tmp_path: Path) -> None:
    log = GameLog(tmp_path / "games.jsonl")
    log.add(0, RESULTS[:2])
    log.add(0, RESULTS[1:])
    assert log.results == {0: RESULTS[0], 1: RESULTS[1], 2: RESULTS[3]}
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 3


def test_half_a_line_costs_no_other_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    GameLog(path).add(0, RESULTS)
    text = path.read_text()
    path.write_text(text[:-30])
    log = GameLog(path)
    assert list(log.results) == [0, 1, 2]
    log.add(0, RESULTS)
    assert GameLog(path).results == dict(enumerate(RESULTS))


def test_a_line_that_is_no_game_is_passed_over_and_the_game_played_again(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text('{"game": 0}\n{"blue": 1}\n{"game": [1], "blue": {}}\n')
    log = GameLog(path)
    assert log.results == {}
    log.add(0, RESULTS)
    assert GameLog(path).results == dict(enumerate(RESULTS))
