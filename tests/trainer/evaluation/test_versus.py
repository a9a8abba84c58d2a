import json
from pathlib import Path

from tests.trainer.evaluation.runs import make_run
from trainer.evaluation.versus import Terms, evaluate

SHORT = Terms(games=5, seconds=2, sampled=True)


def test_two_checkpoints_play_from_both_sides_and_everything_is_told(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", 10, 20)
    old = str(run.checkpoints / f"{10:015d}")
    lines = list(evaluate(str(run.path), old, SHORT, tmp_path / "found.json"))
    assert lines[0] == "8 games of 1v1, 0.033 minutes each"  # 5 rounded up to fours
    text = "\n".join(lines)
    for words in ("possession", "shots/min", "saves/min", "boost used", "speed, uu/s", "face_ball"):
        assert words in text
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["record"]["wins"] + found["record"]["draws"] + found["record"]["losses"] == 8
    assert set(found["habits"]) == {str(run.path), old}
    assert found["weights_sha256"][old] != found["weights_sha256"][str(run.path)]
    assert list(evaluate(str(run.path), old, SHORT, None)) == lines


def test_a_policy_against_itself_is_even(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", 10)
    out = tmp_path / "found.json"
    list(evaluate(str(run.path), str(run.path), SHORT, out))
    found = json.loads(out.read_text())
    assert found["record"]["points"][1] == 0.5
    assert found["record"]["goal_difference"] == [0, 0, 0]
    ours, theirs = found["habits"].values()
    assert ours == theirs
    assert list(found["habits"]) == [str(run.path), f"{run.path} (again)"]
