"""Real games of moments between untrained versions and random."""

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.trainer.ratings.versions import SHORT, add_version, make_versions
from tests.trainer.tiny import tiny_config
from trainer.checkpoint_folder import sha256, write_hashes
from trainer.config_file import load_config
from trainer.ratings import bouts
from trainer.ratings.branching import go_back
from trainer.ratings.played import PlayedGame, read_played
from trainer.ratings.rater import Rater, RaterBusyError, lock_ratings
from trainer.ratings.table import Ratings, read_ratings
from trainer.run_dir import RunDir
from trainer.version_folder import version_path
from trainer.versions import ACTOR, CONTRACT, SEAL


def rate(run: RunDir, *settings: str) -> list[str]:
    """Rate all, with `settings` over its own; what was said."""
    said: list[str] = []
    Rater(run, load_config(run.config, settings), said.append).catch_up()
    return said


def ratings(run: RunDir) -> Ratings:
    found = read_ratings(run.ratings)
    assert found is not None
    return found


def pairs(games: Sequence[PlayedGame]) -> Counter[tuple[str, str]]:
    return Counter((game.blue.name, game.orange.name) for game in games)


def test_each_version_plays_anchors_and_earlier_versions_from_both_sides(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10, 20, 30, 40)
    said = rate(run)
    games = read_played(run.rating_games)
    assert pairs(games) == {
        (blue, orange): 2
        for a, b in (
            *(("10", "random"), ("20", "random"), ("30", "random"), ("40", "random")),
            *(("20", "10"), ("30", "20"), ("30", "10"), ("40", "30"), ("40", "20")),
        )
        for blue, orange in ((a, b), (b, a))
    }
    assert {(game.start, game.seed) for game in games} == {(0, (0, 1, 1, 0)), (1, (0, 1, 1, 1))}
    assert {game.decisions for game in games} == {15}
    assert [line.split(":")[0] for line in said] == [f"version {s}" for s in (10, 20, 30, 40)]
    found = ratings(run)
    newest = found.newest("1v1")
    assert newest is not None
    assert said[-1].startswith(f"version 40: 1v1 {newest.rating:.0f} ± ")
    assert said[-1].endswith("after 12 games")
    everybody = [(each.name, each.games) for each in found.modes["1v1"]]
    assert everybody == [("10", 12), ("20", 16), ("30", 16), ("40", 12), ("random", 16)]


def test_nothing_is_played_or_written_twice(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10, 20)
    rate(run)
    before = run.rating_games.read_bytes(), run.ratings.read_bytes()
    assert rate(run) == []
    assert (run.rating_games.read_bytes(), run.ratings.read_bytes()) == before


def test_an_interrupted_rater_goes_on_and_ends_in_the_same_ratings(tmp_path: Path) -> None:
    whole = make_versions(tmp_path / "whole", 10, 20, 30)
    rate(whole)
    lines = whole.rating_games.read_bytes().splitlines(keepends=True)
    assert len(lines) == 24
    for cut in (1, 6, 13, 23):
        run = RunDir(tmp_path / str(cut))
        shutil.copytree(whole.path, run.path)
        run.ratings.unlink()
        run.rating_games.write_bytes(b"".join(lines[:cut]) + lines[cut][:40])
        rate(run)
        assert sorted(read_played(run.rating_games)) == sorted(read_played(whole.rating_games))
        assert ratings(run).modes == ratings(whole).modes


def test_a_new_version_plays_and_the_others_rest(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10, 20)
    config = tiny_config(*SHORT)
    said: list[str] = []
    rater = Rater(run, config, said.append)
    rater.catch_up()
    add_version(run, config, 30)
    rater.catch_up()
    assert [line.split(":")[0] for line in said] == ["version 10", "version 20", "version 30"]
    last = read_played(run.rating_games)[-12:]
    assert all(30 in (game.blue.steps, game.orange.steps) for game in last)


def test_versions_that_are_removed_keep_their_games_and_nobody_plays_for_them(
    tmp_path: Path,
) -> None:
    run = make_versions(tmp_path, 10, 20, 30, 40)
    rate(run)
    before = ratings(run)
    shutil.rmtree(version_path(run, 10))
    assert rate(run) == []
    assert ratings(run) == before


def test_versions_newer_than_the_newest_count_no_more_until_they_come_again(
    tmp_path: Path,
) -> None:
    run = make_versions(tmp_path, 10, 20, 30)
    rate(run)
    for steps in (20, 30):
        shutil.rmtree(version_path(run, steps))
    rate(run)
    assert [each.name for each in ratings(run).modes["1v1"]] == ["10", "random"]


def test_without_a_version_nobody_is_rated_whatever_was_played_once(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10)
    rate(run)
    shutil.rmtree(version_path(run, 10))
    rate(run)
    assert ratings(run).modes == {}


def test_a_version_that_another_of_the_same_steps_follows_leaves_it_no_game(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10, 20)
    rate(run)
    first = ratings(run).of_version(10, "1v1")
    go_back(run, 10)
    assert ratings(run).of_version(20, "1v1") is None
    shutil.rmtree(version_path(run, 20))
    # The other line passes 20 by one and has none there.
    add_version(run, tiny_config(*SHORT), 21)
    said = rate(run)
    assert [line.split(":")[0] for line in said] == ["version 21"]
    found = ratings(run)
    assert [(each.name, each.games) for each in found.modes["1v1"]] == [
        ("10", 8), ("21", 8), ("random", 8)
    ]  # fmt: skip
    assert first is not None


def test_more_starts_add_games_and_fewer_leave_those_there_are(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10)
    rate(run)
    two = read_played(run.rating_games)
    rate(run, "ratings.starts=3")
    three = read_played(run.rating_games)
    assert three[:4] == two
    assert {game.start for game in three[4:]} == {2}
    assert rate(run, "ratings.starts=1") == []
    fresh = make_versions(tmp_path / "fresh", 10)
    rate(fresh, "ratings.starts=3")
    assert sorted(read_played(fresh.rating_games)) == sorted(three)


def test_another_length_is_played_anew_and_the_games_of_the_first_one_wait(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10)
    rate(run)
    before = ratings(run)
    rate(run, "ratings.seconds=2")
    assert {game.decisions for game in read_played(run.rating_games)} == {15, 30}
    assert [each.games for each in ratings(run).modes["1v1"]] == [4, 4]
    rate(run)
    assert ratings(run).modes == before.modes


def test_a_version_that_decides_at_other_times_than_the_run_is_told_of(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10)
    add_version(run, tiny_config(*SHORT, "sim.tick_skip=4"), 20)
    said = rate(run)
    assert said[0].startswith("version 10: ")
    assert said[1:] == ["version 20 cannot play: it decides every 4 ticks, the run every 8"]


def test_other_points_of_an_anchor_need_no_new_game(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10, 20)
    rate(run)
    before = run.rating_games.read_bytes()
    assert rate(run, 'ratings.anchors={"random"=900.0}') == []
    assert run.rating_games.read_bytes() == before
    random = ratings(run).modes["1v1"][-1]
    assert (random.name, random.rating) == ("random", 900.0)


def test_what_cannot_be_loaded_is_told_once_and_the_others_play(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10, 20, 30)
    (version_path(run, 20) / ACTOR).write_bytes(b"spoilt")
    anchors = f'ratings.anchors={{"random"=0.0, "{(tmp_path / "none").as_posix()}"=500.0}}'
    said = rate(run, anchors)
    told = [line for line in said if "cannot play" in line]
    assert [line.partition(" cannot play: ")[0] for line in told] == [
        f"anchor {(tmp_path / 'none').as_posix()}",
        "version 20",
    ]
    assert set(pairs(read_played(run.rating_games))) == {
        *(("10", "random"), ("random", "10"), ("30", "random"), ("random", "30")),
        *(("30", "10"), ("10", "30")),
    }


def test_who_says_what_is_not_finite_is_told_of_and_the_others_play(tmp_path: Path) -> None:
    run = make_versions(tmp_path, 10, 20, 30)
    actor, contract = (version_path(run, 20) / name for name in (ACTOR, CONTRACT))
    before = sha256(actor)
    save_file({name: torch.full_like(w, np.nan) for name, w in load_file(actor).items()}, actor)
    contract.write_text(contract.read_text().replace(before, sha256(actor)))
    write_hashes(actor.parent, (ACTOR, CONTRACT), SEAL)
    said = rate(run)
    assert [line for line in said if "not finite" in line] == [
        f"version {a} does not play {b} in 1v1: the network of 20 says a number that is not finite"
        for a, b in (("20", "10"), ("20", "random"), ("30", "20"))
    ]
    assert ("30", "10") in pairs(read_played(run.rating_games))


def test_every_mode_of_the_run_is_rated_and_who_was_not_trained_in_it_is_told_of(
    tmp_path: Path,
) -> None:
    two = (*SHORT, "sim.modes.1v1=1", "sim.modes.1v2=1")
    run = make_versions(tmp_path, 20, settings=two)
    add_version(run, tiny_config(*SHORT), 10)
    said = rate(run)
    assert list(ratings(run).modes) == ["1v1", "1v2"]
    assert [each.name for each in ratings(run).modes["1v2"]] == ["20", "random"]
    assert any("10 cannot play 1v2" in line for line in said)


def test_without_versions_nothing_is_written(tmp_path: Path) -> None:
    run = make_versions(tmp_path)
    assert rate(run) == []
    assert not run.ratings.exists()
    assert not run.rating_games.exists()


def test_only_one_rates_at_a_time(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    with lock_ratings(run), pytest.raises(RaterBusyError, match="already"), lock_ratings(run):
        pass
    with lock_ratings(run):
        pass


def test_what_was_played_before_the_disk_refused_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_versions(tmp_path, 10, 20)
    real = bouts.play
    left: Iterator[int] = iter([1])

    def play(*args: object) -> object:
        if next(left, None) is None:
            raise OSError("no")
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(bouts, "play", play)
    with pytest.raises(OSError, match="no"):
        rate(run)
    assert len(read_played(run.rating_games)) == 4
    monkeypatch.undo()
    rate(run)
    assert len(read_played(run.rating_games)) == 12
