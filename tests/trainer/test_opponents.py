from pathlib import Path

import numpy as np
import pytest

from tests.trainer.old_versions import pool_of, save_versions
from tests.trainer.tiny import tiny_config
from trainer.config import RunConfig
from trainer.line_up import NOBODY
from trainer.opponents import NOT_RATED, LineUp, Opponents, next_line_up
from trainer.ratings.table import Rated, Ratings, write_ratings
from trainer.run_dir import RunDir

SIX = ("sim.arenas=6", "ppo.steps_per_iteration=96", "selfplay.groups=4")


def config_of(*settings: str) -> RunConfig:
    return tiny_config(*SIX, *settings)


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    run = RunDir(tmp_path)
    save_versions(run, config_of(), 10, 20, 30)
    return run


def opponents(run: RunDir, *settings: str, workers: int = 2, seed: int = 0) -> Opponents:
    config = config_of(*settings)
    return Opponents(config, pool_of(run, config), np.random.default_rng(seed), workers)


def test_each_process_has_as_many_groups_as_its_arenas_allow(run: RunDir) -> None:
    # 6 arenas in 4 processes: 2, 2, 1 and 1.
    found = opponents(run, "selfplay.chance=1", workers=4).draw(100)
    assert found is not None
    assert [len(teams) for teams in found.teams] == [2, 2, 1, 1]
    # No process has a third group, so nobody plays it and nothing is read for it.
    assert (len(found.versions), list(found.vectors)) == (4, [0, 1])
    assert set(found.versions) <= {10, 20, 30}


def test_chance_0_draws_no_number_and_reads_no_version(run: RunDir) -> None:
    nobody = opponents(run, "selfplay.chance=0")
    before = nobody._rng.bit_generator.state
    assert nobody.draw(100) is None
    assert nobody._rng.bit_generator.state == before
    assert nobody._pool._vectors == {}


def test_while_there_is_no_old_version_nobody_plays_and_nothing_is_said(run: RunDir) -> None:
    early = opponents(run, "selfplay.chance=1")
    warnings: list[str] = []
    assert next_line_up(early, 10, warnings) is None
    assert next_line_up(None, 100, warnings) is None
    assert warnings == []


def drawn(run: RunDir, *settings: str, seed: int = 0, rollouts: int = 30) -> list[LineUp | None]:
    some = opponents(run, *settings, seed=seed)
    return [some.draw(100) for _ in range(rollouts)]


def words(line_ups: list[LineUp | None]) -> list[object]:
    return [found and (found.teams, found.versions) for found in line_ups]


def test_the_same_seed_draws_the_same_line_ups(run: RunDir) -> None:
    half = "selfplay.chance=0.5"
    assert words(drawn(run, half)) == words(drawn(run, half))
    assert words(drawn(run, half)) != words(drawn(run, half, seed=1))


def test_a_line_up_does_not_depend_on_what_came_of_those_before(run: RunDir) -> None:
    half = "selfplay.chance=0.5"
    early, late = opponents(run, half), opponents(run, half)
    # There is no old version yet in the first three, or there are all.
    for _ in range(3):
        assert early.draw(10) is None
        late.draw(100)
    assert words([early.draw(100)]) == words([late.draw(100)])


@pytest.mark.parametrize("chance", [0.2, 0.5, 1.0])
def test_groups_meet_old_versions_as_often_as_the_chance_says(run: RunDir, chance: float) -> None:
    rollouts = 1_000
    found = drawn(run, f"selfplay.chance={chance}", rollouts=rollouts)
    # Two processes of three groups; the fourth group has no arena in either.
    draws = 6 * rollouts
    met = sum(team != NOBODY for each in found if each for own in each.teams for team in own)
    assert abs(met - draws * chance) <= 5 * (draws * chance * (1 - chance)) ** 0.5


def shares(line_ups: list[LineUp | None]) -> list[float]:
    found = [steps for each in line_ups if each for steps in each.versions]
    return [found.count(steps) / len(found) for steps in (10, 20, 30)]


def test_versions_are_drawn_by_their_weights(run: RunDir) -> None:
    # 4,000 draws: five standard deviations of a share of a third are 0.037.
    even = shares(drawn(run, "selfplay.chance=1", rollouts=1_000))
    assert even == pytest.approx([1 / 3] * 3, abs=0.04)
    recent = shares(drawn(run, "selfplay.chance=1", "selfplay.draw=recent", rollouts=1_000))
    assert recent == pytest.approx([0.81 / 2.71, 0.9 / 2.71, 1 / 2.71], abs=0.04)


def test_the_newest_in_memory_are_drawn_from(run: RunDir) -> None:
    only = drawn(run, "selfplay.chance=1", "selfplay.in_memory=1", rollouts=5)
    assert {steps for each in only if each for steps in each.versions} == {30}


def test_by_rating_those_of_no_chance_are_hardly_drawn(run: RunDir) -> None:
    points = {10: -800.0, 20: 0.0, 30: 0.0}
    rated = tuple(
        Rated(f"{steps}", "version", steps, rating, 1.0, 1, 0, 0)
        for steps, rating in points.items()
    )
    write_ratings(run.ratings, Ratings("openskill", 30, 0.0, {"1v1": rated}))
    found = drawn(run, "selfplay.chance=1", "selfplay.draw=rating", rollouts=1_000)
    # A hundred to one: 4 · 1/101 · 100/101 beside two of 1.
    rare = 400 / 101**2
    expected = [rare / (2 + rare), 1 / (2 + rare), 1 / (2 + rare)]
    assert shares(found) == pytest.approx(expected, abs=0.04)


def test_without_ratings_all_are_drawn_alike_and_that_is_said_once(run: RunDir) -> None:
    some = opponents(run, "selfplay.chance=1", "selfplay.draw=rating")
    warnings: list[str] = []
    found = [next_line_up(some, 100, warnings) for _ in range(1_000)]
    assert warnings == [NOT_RATED]
    assert shares(found) == pytest.approx([1 / 3] * 3, abs=0.04)


def test_a_change_counts_from_the_next_rollout_on(run: RunDir) -> None:
    some = opponents(run, "selfplay.chance=0")
    assert some.draw(100) is None
    some.change(config_of("selfplay.chance=1"))
    found = some.draw(100)
    assert found is not None
    assert list(found.vectors) == [0, 1, 2]
