from pathlib import Path

import pytest

from tests.trainer.evaluation.runs import make_run, short_terms
from trainer.checkpoint_folder import checkpoint_path, list_checkpoints
from trainer.checkpoint_marks import Mark, write_mark
from trainer.evaluation.candidates import enter, find_candidates
from trainer.evaluation.contestants import EvaluationError
from trainer.evaluation.protocol import CandidatesConfig
from trainer.run_dir import RunDir


def steps_of(run: RunDir, **rules: object) -> list[int]:
    found = find_candidates(run, CandidatesConfig.model_validate(rules))
    return [int(path.name) for path in found]


def test_candidates_are_the_newest_and_the_named_ones_by_their_steps(tmp_path: Path) -> None:
    run = make_run(tmp_path, 10, 20, 30, 40)
    assert steps_of(run) == [10, 20, 30, 40]
    assert steps_of(run, newest=2) == [30, 40]
    assert steps_of(run, newest=0, steps=[20]) == [20]
    assert steps_of(run, newest=1, steps=[10, 40]) == [10, 40]


def test_pinned_ones_are_candidates_unless_the_protocol_says_otherwise(tmp_path: Path) -> None:
    run = make_run(tmp_path, 10, 20, 30, 40)
    write_mark(checkpoint_path(run, 20), Mark(pinned=True))
    write_mark(checkpoint_path(run, 10), Mark("only a name"))
    assert steps_of(run, newest=1) == [20, 40]
    assert steps_of(run, newest=0) == [20]
    assert steps_of(run, newest=1, pinned=False) == [40]


def test_a_damaged_checkpoint_is_passed_over_by_a_rule(tmp_path: Path) -> None:
    run = make_run(tmp_path, 10, 20, 30)
    (list_checkpoints(run)[0] / "critic.safetensors").unlink()
    assert steps_of(run, newest=2) == [10, 20]


def test_a_checkpoint_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", 10, 20)
    with pytest.raises(EvaluationError, match=r"no checkpoint of 15 steps; there are: 20, 10"):
        steps_of(run, steps=[15])
    with pytest.raises(EvaluationError, match="holds no whole checkpoint that could play"):
        steps_of(RunDir(tmp_path / "none"))


def test_candidates_enter_first_then_anchors_beside_the_protocol_then_the_incumbent(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run", 1000, 20)
    make_run(tmp_path / "old", 7)
    make_run(tmp_path / "best", 9)
    terms = short_terms(opponents={"anchors": ("old", "random")}, gate={"incumbent": "best"})
    found = [
        (entrant.contestant.name, entrant.role, entrant.steps)
        for entrant in enter(run, terms, tmp_path)
    ]
    assert found == [
        ("20", "candidate", 20),
        ("1,000", "candidate", 1000),
        ("old", "anchor", 7),
        ("random", "anchor", 0),
        ("best", "incumbent", 9),
    ]


def test_nobody_plays_twice(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", 10)
    terms = short_terms(opponents={"anchors": ("random", "run")}, gate={"incumbent": "run"})
    with pytest.raises(EvaluationError, match="run would play twice"):
        enter(run, terms, tmp_path)
