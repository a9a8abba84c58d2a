import re
import sys
from pathlib import Path

import pytest

from trainer.config import RunConfig
from trainer.config_file import ConfigError, load_config, write_config
from trainer.live import edited
from trainer.run_dir import RunDir
from tui import launcher
from tui.form_fields import preset_config
from tui.launcher import Launch
from tui.new_run import (
    free_name,
    make_run,
    measured_speed,
    measuring_command,
    name_fault,
    tuned_settings,
)


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    assert free_name(tmp_path, "laptop") == "laptop"
    for taken in ("laptop", "laptop-2"):
        (tmp_path / taken).mkdir()
    assert free_name(tmp_path, "laptop") == "laptop-3"


@pytest.mark.parametrize("name", ["mine", "2v2 Großes.v1-b", "_"])
def test_a_usual_name_is_taken(tmp_path: Path, name: str) -> None:
    assert name_fault(tmp_path, name) == ""


@pytest.mark.parametrize(
    "name", ["", "  ", "../mine", "a/b", ".hidden", "-x", " mine", "mine ", "a\nb"]
)
def test_a_name_that_is_no_folders_is_refused(tmp_path: Path, name: str) -> None:
    assert "name" in name_fault(tmp_path, name)


def test_a_name_that_is_taken_is_refused_with_a_free_one(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    fault = name_fault(tmp_path, "mine")
    assert fault == f"{tmp_path / 'mine'} exists already: take another name, such as mine-2"


def test_a_new_run_has_its_config_and_the_rewards_that_it_names(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def spin(state, previous, events): ...\n")
    values = {"rewards.custom": {"mine:spin": 2.0, "mine:still": 1.0}, "ppo.epochs": 3}
    config = edited(preset_config("large"), values)
    folder = tmp_path / "more" / "new"
    assert make_run(folder, config, tmp_path) == Launch(RunDir(folder))
    assert load_config(folder / "config.toml") == config
    assert {path.name for path in folder.iterdir()} == {"config.toml", "mine.py"}
    assert [path.name for path in folder.parent.iterdir()] == ["new"]


def test_start_states_are_named_so_that_they_are_found_from_the_run(tmp_path: Path) -> None:
    (tmp_path / "starts.jsonl").write_text("{}\n")
    config = edited(RunConfig(), {"resets.file": "starts.jsonl"})
    make_run(tmp_path / "new", config, tmp_path)
    written = load_config(tmp_path / "new" / "config.toml")
    assert Path(written.resets.file) == tmp_path / "starts.jsonl"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"rewards.custom": {"mine:spin": 1}}, r"rewards\.custom: .*mine\.py does not exist"),
        ({"rewards.custom": {"../mine:spin": 1}}, 'must read "module:function"'),
        ({"resets.file": "starts.jsonl"}, r"resets\.file: .*starts\.jsonl does not exist"),
    ],
)
def test_nothing_is_made_when_a_file_is_missing(
    tmp_path: Path, values: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ConfigError, match=sentence):
        make_run(tmp_path / "new", edited(RunConfig(), values), tmp_path)
    assert not (tmp_path / "new").exists()
    assert not (tmp_path / "mine.py").exists()


def test_a_run_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    write_config(tmp_path / "config.toml", RunConfig(seed=5))
    with pytest.raises(FileExistsError, match="exists already"):
        make_run(tmp_path, RunConfig(), Path())
    assert load_config(tmp_path / "config.toml").seed == 5


def test_a_measurement_is_a_command_that_says_every_setting() -> None:
    config = edited(preset_config("large"), {"ppo.epochs": 3, "sim.modes": {"2v2": 1.0}})
    command = measuring_command("tune", config)
    assert command[: len(launcher.TRAINER) + 1] == [*launcher.TRAINER, "tune"]
    assert command[0] == sys.executable
    words = command[len(launcher.TRAINER) + 1 :]
    assert {*words[0::2]} == {"--set"}
    assert load_config(None, words[1::2]) == config


def test_what_tune_found_is_its_last_line() -> None:
    line = "--set sim.workers=2 --set sim.arenas=64 --set ppo.minibatch_size=1024"
    found = tuned_settings(["machine  2 cores", "--set seed=1 is no end", "", line])
    assert found == {"sim.workers": "2", "sim.arenas": "64", "ppo.minibatch_size": "1024"}
    assert tuned_settings(["machine  2 cores"]) == tuned_settings([]) == {}


def test_the_speed_is_the_line_about_an_iteration() -> None:
    lines = ["collects      1 steps/s", "iteration     about 12.4 s, 4,038 steps/s", "memory"]
    assert measured_speed(lines) == "about 12.4 s, 4,038 steps/s"
    assert measured_speed(["collects"]) == ""


def test_the_sentences_name_the_folder_that_would_be_made(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert re.search(r"such as a-2$", name_fault(tmp_path, "a"))
