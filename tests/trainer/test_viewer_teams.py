"""Each team is played by its own policy, by name."""

from pathlib import Path

import numpy as np
import pytest

from rlbot_agent.actions import NUM_ACTIONS
from tests.trainer.tiny import tiny_config
from tests.trainer.watched import CONFIG, WIDTH, publish, save_checkpoint
from trainer import viewer_policy
from trainer.checkpoint import contract_of
from trainer.run_dir import RunDir
from trainer.viewer_mind import ACTION_WORDS
from trainer.viewer_teams import Teams, steps_words

OLD = "000001200000000"


@pytest.fixture(autouse=True)
def _look_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer_policy, "LOOK_EVERY_S", 0.0)


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    run = RunDir(tmp_path)
    save_checkpoint(run, action=3, steps=1_200_000_000, written=1_000, value=4.0)
    publish(run, action=5, written=2_000, value=-1.0)
    return run


def acts(teams: Teams, cars: int = 2, width: int = WIDTH) -> list[int]:
    obs, masks = np.zeros((cars, width), np.float32), np.ones((cars, NUM_ACTIONS), np.bool_)
    return teams.act(obs, masks).tolist()


def make_teams(run: RunDir) -> Teams:
    teams = Teams(run, CONFIG, np.random.default_rng(0))
    teams.refresh()
    return teams


def test_the_newest_plays_itself_at_first(run: RunDir) -> None:
    teams = Teams(run, CONFIG, np.random.default_rng(0))
    assert not teams.ready
    teams.refresh()
    assert teams.ready
    assert acts(teams) == [5, 5]
    assert teams.names == ("newest, 0 steps", "newest, 0 steps")


def test_a_checkpoint_plays_for_its_team_alone(run: RunDir) -> None:
    teams = make_teams(run)
    assert teams.choose(1, OLD) == ""
    assert acts(teams) == [5, 3]
    assert teams.names == ("newest, 0 steps", "1.2B steps")
    assert teams.steps == 1_200_000_000
    assert teams.choose(0, OLD) == ""
    assert teams.choose(1, "newest") == ""
    assert acts(teams) == [3, 5]


def test_rows_go_to_the_team_of_their_car_in_an_uneven_mode(tmp_path: Path) -> None:
    config = tiny_config("sim.modes.1v2=1")
    run, width = RunDir(tmp_path), contract_of(config, 0).obs_width
    save_checkpoint(run, action=3, steps=100, config=config)
    save_checkpoint(run, action=5, steps=200, config=config)
    teams = Teams(run, config, np.random.default_rng(0))
    assert teams.choose(0, "000000000000100") == ""
    assert teams.choose(1, "000000000000200") == ""
    played = [3 if team == 0 else 5 for team in config.sim.teams]
    assert sorted(played) == [3, 5, 5]
    assert acts(teams, 3, width) == played


def test_one_that_cannot_be_loaded_leaves_the_one_before(run: RunDir) -> None:
    teams = make_teams(run)
    teams.choose(1, OLD)
    assert "there is no checkpoint" in teams.choose(1, "000000000000007")
    (run.checkpoints / OLD / "actor.safetensors").write_bytes(b"no weights")
    assert "no whole checkpoint" in teams.choose(0, OLD)
    assert acts(teams) == [5, 3]


def test_a_newer_policy_takes_over_where_no_checkpoint_was_chosen(run: RunDir) -> None:
    teams = make_teams(run)
    teams.choose(1, OLD)
    publish(run, action=7, written=3_000)
    teams.refresh()
    assert acts(teams) == [7, 3]


def test_the_followed_car_has_the_mind_of_its_own_policy(run: RunDir) -> None:
    teams = make_teams(run)
    teams.choose(1, OLD)
    assert teams.mind(0) is None  # no decision yet
    acts(teams)
    blue, orange = teams.mind(0), teams.mind(1)
    assert blue is not None
    assert orange is not None
    assert (blue.car, blue.value, blue.action) == (0, -1.0, ACTION_WORDS[5])
    assert (orange.car, orange.value, orange.action) == (1, 4.0, ACTION_WORDS[3])
    assert teams.mind(None) is None
    assert teams.mind(2) is None
    teams.forget()
    assert teams.mind(0) is None


def test_a_deterministic_team_takes_its_likeliest_action(run: RunDir) -> None:
    teams = make_teams(run)
    obs, masks = np.zeros((2, WIDTH), np.float32), np.ones((2, NUM_ACTIONS), np.bool_)
    masks[:, 5] = False  # what it likes is not possible; what is left is about equally likely
    assert len({tuple(teams.act(obs, masks)) for _ in range(20)}) > 1
    teams.deterministic = True
    assert len({tuple(teams.act(obs, masks)) for _ in range(20)}) == 1


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (0, "0 steps"),
        (949, "949 steps"),
        (12_345, "12.3k steps"),
        (99_960, "100k steps"),
        (401_408, "401k steps"),
        (999_960, "1.0M steps"),
        (5_000_000, "5.0M steps"),
        (3_000_000_000, "3.0B steps"),
    ],
)
def test_steps_have_a_unit_that_fits(steps: int, words: str) -> None:
    assert steps_words(steps) == words
