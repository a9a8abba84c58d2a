from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.trainer.evaluation.runs import make_run
from tests.trainer.ratings.ladders import add_version, make_versions
from trainer.config_league import RatingsConfig
from trainer.evaluation.contestants import EvaluationError
from trainer.ratings.ladder_players import Invited, Wishes, able, invite, spread
from trainer.run_dir import RunDir
from trainer.version_folder import version_path

ONLY_RANDOM = RatingsConfig(anchors={"random": 0.0})


def silent(line: str) -> None:
    raise AssertionError(line)


def names(
    run: RunDir,
    wishes: Wishes | None = None,
    config: RatingsConfig = ONLY_RANDOM,
    say: Callable[[str], None] = silent,
) -> list[str]:
    found = invite(run, config, wishes or Wishes(), say, sampled=False)
    return [each.entrant.contestant.name for each in found]


@pytest.mark.parametrize(
    ("length", "count", "places"),
    [
        (3, 6, [0, 1, 2]),
        (6, 6, [0, 1, 2, 3, 4, 5]),
        (11, 6, [0, 2, 4, 6, 8, 10]),
        # 1.2, 2.4, 3.6 and 4.8
        (7, 6, [0, 1, 2, 4, 5, 6]),
        # 12.6, 25.2, 37.8 and 50.4
        (64, 6, [0, 13, 25, 38, 50, 63]),
        (4, 3, [0, 2, 3]),  # 1.5 is 2
        (64, 2, [0, 63]),
        (64, 1, [63]),
    ],
)
def test_the_oldest_and_the_newest_play_and_the_others_lie_evenly_between(
    length: int, count: int, places: list[int]
) -> None:
    steps = [100 + 10 * place for place in range(length)]
    assert spread(steps, count) == [100 + 10 * place for place in places]


def test_no_spread_takes_a_version_twice() -> None:
    for length in range(1, 30):
        for count in range(2, length + 1):
            found = spread(range(length), count)
            assert len(set(found)) == count
            assert (found[0], found[-1]) == (0, length - 1)
            # Evenly: no gap is more than one longer than another.
            gaps = [b - a for a, b in pairwise(found)]
            assert max(gaps) - min(gaps) <= 1


def test_versions_play_with_the_newest_checkpoint_when_it_is_newer_and_the_anchors(
    tmp_path: Path,
) -> None:
    run = make_versions(tmp_path / "run", 100, 200, 300)
    assert names(run) == ["random", "100", "200", "300"]
    make_run(run.path, 300)
    assert names(run) == ["random", "100", "200", "300"]
    make_run(run.path, 1350)
    assert names(run, Wishes(versions=2)) == ["random", "100", "300", "1,350"]


def test_steps_name_versions_or_checkpoints_and_nobody_else_of_the_run(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100, 200, 300)
    make_run(run.path, 250, 400)
    assert names(run, Wishes(steps=(300, 250, 300))) == ["random", "250", "300"]
    with pytest.raises(EvaluationError) as refusal:
        names(run, Wishes(steps=(260,)))
    assert str(refusal.value) == (
        f"--steps: {run.path} has no version or checkpoint of 260 steps; there are: "
        "100, 200, 250, 300, 400"
    )


def test_a_run_without_versions_is_told_what_keeps_them_and_that_checkpoints_can_play(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run", 10, 20)
    with pytest.raises(EvaluationError, match=r"no versions, .* there are: 10, 20$"):
        names(run)
    assert names(run, Wishes(steps=(10,))) == ["random", "10"]


def test_others_play_beside_the_anchors_each_once_in_whatever_order(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100)
    other, another = (str(make_run(tmp_path / name, 70).path) for name in ("other", "another"))
    first = names(run, Wishes(others=("random", other, another)))
    assert first == names(run, Wishes(others=(another, other, other)))
    assert first == ["random", another, other, "100"]


def test_who_cannot_be_loaded_is_left_out_unless_somebody_named_it(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100, 200)
    (version_path(run, 100) / "actor.safetensors").write_bytes(b"")
    missing = str(tmp_path / "none")
    config = RatingsConfig(anchors={"random": 0.0, missing: 500.0})
    said: list[str] = []
    assert names(run, None, config, said.append) == ["random", "200"]
    assert [line.split(":")[0] for line in said] == ["left out"] * 2
    assert "actor.safetensors is not what was saved" in said[0]
    assert f"{missing} is neither a checkpoint nor a run" in said[1]
    with pytest.raises(EvaluationError, match=r"actor\.safetensors is not what was saved"):
        names(run, Wishes(steps=(100,)))
    with pytest.raises(EvaluationError, match="neither a checkpoint nor a run"):
        names(run, Wishes(others=(missing,)), ONLY_RANDOM, said.append)


def test_who_decides_at_other_times_than_the_newest_is_left_out_or_refused(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100, 300)
    add_version(run, 200, "sim.tick_skip=4")
    said: list[str] = []
    assert names(run, None, ONLY_RANDOM, said.append) == ["random", "100", "300"]
    (line,) = said
    assert line.startswith("left out: 300 decides every 8 ticks with a delay of 1, 200 every 4")
    with pytest.raises(EvaluationError, match="they cannot play each other"):
        names(run, Wishes(steps=(200, 300)))


def test_nexto_needs_a_path(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100)
    with pytest.raises(EvaluationError, match=r"^--with nexto: ratings\.nexto does not say where"):
        names(run, Wishes(others=("nexto",)))


def test_one_player_is_too_few(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100)
    with pytest.raises(EvaluationError, match=r"needs two players, and there is 100$"):
        names(run, None, RatingsConfig(anchors={}))


def test_who_cannot_play_a_mode_is_left_out_of_it_unless_somebody_named_it(tmp_path: Path) -> None:
    run = make_versions(tmp_path / "run", 100)
    add_version(run, 200, "sim.max_team_size=2")
    invited = invite(run, ONLY_RANDOM, Wishes(), silent, sampled=False)
    assert able(invited, "1v1", silent) == [0, 1, 2]
    said: list[str] = []
    assert able(invited, "2v2", said.append) == [0, 2]
    assert said == [
        "left out of 2v2: 100 cannot play 2v2: it sees 92 numbers of 1v1, those of 2v2 do not fit"
    ]
    named = [Invited(each.entrant, asked=True) for each in invited]
    with pytest.raises(EvaluationError, match="100 cannot play 2v2"):
        able(named, "2v2", silent)
    with pytest.raises(EvaluationError, match="2v2 needs two players, and there is random"):
        able(invited[:2], "2v2", said.append)


def test_anchors_in_the_folder_of_the_run_are_found_from_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_versions(tmp_path / "run", 100)
    make_run(run.path / "best", 1350)
    monkeypatch.chdir(tmp_path)
    anchors = RatingsConfig(anchors={"best": 0.0})
    assert names(run, config=anchors) == ["best", "100"]
