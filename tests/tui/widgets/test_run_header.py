from dataclasses import replace

from trainer.metrics import IterationMetrics
from trainer.run_dir import Status
from tui.widgets.run_header import Headline, figures

STATUS = Status(1, 0.0, 1000.0, "learning", 1100.0, "cpu", 12, 1_240_000, 0, False)
LATEST = IterationMetrics(12, 1_240_000, 0.0, {"Throughput/overall_sps": 18_240.0})
RUNNING = Headline("1v1", "running", STATUS, LATEST, now=1184.0)


def text(headline: Headline, width: int) -> list[str]:
    return ["".join(figure) for figure in figures(headline, width)]


def test_a_wide_header_says_every_word() -> None:
    assert text(RUNNING, 80) == ["1.24M steps", "iteration 12", "18.2k steps/s", "3m04s elapsed"]


def test_a_narrow_header_fits_forty_columns() -> None:
    assert text(RUNNING, 38) == ["1.24M steps", "it 12", "18.2k/s", "3m04s"]
    assert len("  ".join(text(RUNNING, 38))) <= 38


def test_before_the_first_status_there_are_dashes() -> None:
    empty = Headline("1v1", "starting", None, None, now=0.0)
    assert text(empty, 80) == ["– steps", "iteration –", "– steps/s", "– elapsed"]


def test_a_resumed_run_shows_where_it_was_until_its_trainer_knows() -> None:
    fresh = replace(STATUS, steps=0, iteration=0, phase="starting")
    assert text(replace(RUNNING, status=fresh, situation="starting"), 80)[0] == "1.24M steps"


def test_the_clock_stops_with_the_trainer() -> None:
    assert RUNNING.elapsed_s == 184.0
    assert replace(RUNNING, situation="stopped").elapsed_s == 100.0


def test_it_says_what_the_trainer_does_or_became() -> None:
    assert RUNNING.doing == "learning"
    assert replace(RUNNING, situation="died").doing == "failed"
    assert replace(RUNNING, situation="stopped").doing == "stopped"


def test_a_distillation_is_said_once_this_trainer_has_learned_from_its_teacher() -> None:
    taught = replace(LATEST, time=1050.0, values={"Transfer/loss": 0.5})
    assert not RUNNING.taught
    assert replace(RUNNING, latest=taught).taught
    # An iteration of the trainer before: this one may learn otherwise.
    before = replace(RUNNING, latest=replace(taught, time=999.0))
    assert not before.taught
    assert not replace(before, status=None, situation="starting").taught
    assert replace(before, situation="stopped").taught
