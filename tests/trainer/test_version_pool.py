import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.trainer.old_versions import a_model, pool_of, save_versions
from tests.trainer.tiny import tiny_config
from trainer.networks import parameter_vector
from trainer.run_dir import RunDir
from trainer.version_folder import version_path
from trainer.versions import save_version

CONFIG = tiny_config()


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path)


def damage(run: RunDir, steps: int) -> None:
    file = version_path(run, steps) / "actor.safetensors"
    file.write_bytes(file.read_bytes()[:-1] + b"x")


def test_a_run_without_versions_has_an_empty_pool(run: RunDir) -> None:
    pool = pool_of(run, CONFIG)
    assert pool.refresh(1_000, 5) == []
    assert (pool.warnings, pool.ratings()) == ([], None)


def test_a_version_is_all_parameters_of_the_actor_it_was_saved_from(run: RunDir) -> None:
    config = tiny_config("networks.shared=[7]", "networks.norm=layer_norm")
    save_versions(run, config, 10, 20)
    pool = pool_of(run, config)
    assert pool.refresh(1_000, 5) == [10, 20]
    found = pool.take([10, 20])
    assert found is not None
    for steps in (10, 20):
        expected = parameter_vector(a_model(config, seed=steps).playing)
        np.testing.assert_array_equal(found[steps], expected.numpy())


def test_the_newest_are_kept_and_neither_this_moment_nor_a_future_that_was_rolled_back(
    run: RunDir,
) -> None:
    save_versions(run, CONFIG, 10, 20, 30, 40)
    pool = pool_of(run, CONFIG)
    assert pool.refresh(40, 2) == [20, 30]
    assert pool.refresh(41, 2) == [30, 40]


def test_in_memory_are_those_taken_last_which_are_not_read_again(run: RunDir) -> None:
    save_versions(run, CONFIG, 10, 20, 30)
    pool = pool_of(run, CONFIG)
    pool.refresh(100, 5)
    assert pool._vectors == {}
    before = pool.take([10, 20])
    after = pool.take([20, 30])
    assert before is not None
    assert after is not None
    assert after[20] is before[20]
    assert list(pool._vectors) == [20, 30]


def test_a_version_that_went_after_it_was_drawn_is_drawn_no_more_and_nothing_is_said(
    run: RunDir,
) -> None:
    save_versions(run, CONFIG, 10, 20)
    pool = pool_of(run, CONFIG)
    assert pool.refresh(100, 5) == [10, 20]
    shutil.rmtree(version_path(run, 10))
    assert pool.take([10, 20]) is None
    assert pool.refresh(100, 5) == [20]
    assert pool.take([20]) is not None
    assert pool.warnings == []


def test_a_version_damaged_after_it_was_drawn_is_told_of(run: RunDir) -> None:
    save_versions(run, CONFIG, 10, 20)
    pool = pool_of(run, CONFIG)
    assert pool.refresh(100, 5) == [10, 20]
    damage(run, 20)
    assert pool.take([20]) is None
    assert pool.refresh(100, 5) == [10]
    assert len(pool.warnings) == 1


def test_a_version_that_is_damaged_is_told_of_once_and_an_older_one_is_kept_in_its_stead(
    run: RunDir,
) -> None:
    save_versions(run, CONFIG, 10, 20, 30)
    damage(run, 20)
    pool = pool_of(run, CONFIG)
    for _ in range(3):
        assert pool.refresh(100, 2) == [10, 30]
    (words,) = pool.warnings
    assert words.startswith(f"version {version_path(run, 20)}: actor.safetensors is not what was")
    assert words.endswith("; nobody plays against it")


def test_a_damaged_version_that_went_and_came_back_whole_plays(run: RunDir) -> None:
    save_versions(run, CONFIG, 10)
    damage(run, 10)
    pool = pool_of(run, CONFIG)
    assert pool.refresh(100, 2) == []
    shutil.rmtree(version_path(run, 10))
    assert pool.refresh(100, 2) == []
    save_versions(run, CONFIG, 10)
    assert pool.refresh(100, 2) == [10]
    assert len(pool.warnings) == 1


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("networks.actor=[8]", r"actor_layers is \(8,\) there and \(8, 8\) here"),
        ("networks.activation=tanh", "activation is tanh there and relu here"),
        ("sim.observation=local", "obs_name is local there and default here, .*obs_width is 116"),
    ],
)
def test_another_network_or_observation_is_refused_in_one_sentence(
    run: RunDir, setting: str, words: str
) -> None:
    save_versions(run, tiny_config(setting), 10)
    pool = pool_of(run, CONFIG)
    assert pool.refresh(100, 2) == []
    (told,) = pool.warnings
    assert "does not fit this run: " in told
    assert re.search(words, told)


def test_weights_that_are_not_finite_never_play(run: RunDir) -> None:
    model = a_model(CONFIG, seed=1)
    with torch.no_grad():
        next(model.actor.parameters())[0, 0] = torch.nan
    save_version(run, CONFIG, model, 10)
    pool = pool_of(run, CONFIG)
    assert pool.refresh(100, 2) == []
    assert "is not finite" in pool.warnings[0]
