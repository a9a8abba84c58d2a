from tests.trainer.evaluation.test_standings import played
from trainer.evaluation.gate import judge
from trainer.evaluation.protocol import GateConfig
from trainer.evaluation.standings import Record, record_of


def record(wins: int, draws: int, losses: int) -> Record:
    scores = [(1, 0)] * wins + [(0, 0)] * draws + [(0, 1)] * losses
    return record_of([played(0, 1, score) for score in scores], 0)


def test_random_must_be_beaten_by_the_margin_at_the_lower_end_of_the_interval() -> None:
    # 8 of 10 points: 0.490 to 0.943; 80 of 100: 0.711 to 0.867
    (few,) = judge(GateConfig(), record(8, 0, 2), None)
    (many,) = judge(GateConfig(), record(80, 0, 20), None)
    (more,) = judge(GateConfig(random_margin=0.22), record(80, 0, 20), None)
    assert (few.passed, many.passed, more.passed) == (False, True, False)
    assert few.words == "0.800 points a game against random, at least 0.490; 0.600 was needed"
    assert many.words == "0.800 points a game against random, at least 0.711; 0.600 is needed"


def test_the_incumbent_must_not_win_by_points() -> None:
    config = GateConfig(incumbent="bundles/1")
    strong = record(100, 0, 0)
    assert [f.passed for f in judge(config, strong, record(4, 2, 4))] == [True, True]
    held, lost = judge(config, strong, record(4, 1, 5))
    assert (held.passed, lost.passed) == (True, False)
    assert lost.words == ("0.450 points a game against the incumbent bundles/1; 0.500 was needed")
