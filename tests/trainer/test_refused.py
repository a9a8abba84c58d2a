"""A command that is refused leaves the run folder byte for byte as it was."""

import shutil
from pathlib import Path

import pytest

from export.cli import app
from tests.trainer.tiny_runs import train_tiny
from trainer.cli import run_app
from trainer.run_dir import RunDir

REFUSED = {
    "train": [
        *("networks.actor=[4]", "ppo.optimizer=muon", "sim.observation=local", "ppo.epoch=3"),
        *("sim.meshes=/nowhere", "resets.file=nowhere.jsonl", 'rewards.custom={"mine:spin"=1.0}'),
        *("resets.from_file=1", 'rewards.custom={"own:jump"=1.0}'),
    ],
    "set": [
        *("ppo.epoch=3", "ppo.epochs=0", "ppo.batch_size=4"),
        *("networks.actor=[4]", "ppo.optimizer=muon", "sim.observation=local", "sim.modes.2v2=1"),
    ],
}
"""By command, settings that the run cannot have."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one iteration with a version, and a reward of the user's beside its config."""
    run = RunDir(tmp_path_factory.mktemp("runs") / "run")
    train_tiny(run, "versions.every_steps=32", iterations=1)
    (run.path / "own.py").write_text("def spin(state, previous, events): ...\n")
    return run.path


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    return shutil.copytree(trained, tmp_path / "runs" / "run")


def files(folder: Path) -> dict[str, bytes | None]:
    """Everything in it: what each file holds, and None for a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def require_refused(words: list[str], run: Path) -> None:
    before = files(run.parent)
    assert run_app(app, words) == 2
    assert files(run.parent) == before


@pytest.mark.parametrize("setting", REFUSED["train"])
def test_training_with_what_cannot_be(run: Path, setting: str) -> None:
    shutil.copytree(run, run.parent / "teacher")
    words = ["--run", str(run), "--iterations", "1", "--set", setting]
    require_refused(["train", *words], run)
    if setting != "ppo.optimizer=muon":  # a distillation begins with a fresh one anyway
        require_refused(["distill", str(run.parent / "teacher"), *words], run)


@pytest.mark.parametrize(
    "words",
    [
        ["--minutes", "0"],
        ["--device", "gpu"],
        ["--set", "sim.workers=2", "--set", "sim.arenas=2", "--set", "sim.meshes=/nowhere"],
        ["--warm-start", "RUN"],
        [
            "--set",
            "ratings.anchors={}",
            "--set",
            "ratings.versions=0",
            "--set",
            "ratings.enabled=true",
        ],
    ],
)
def test_training_in_a_way_that_cannot_be(run: Path, words: list[str]) -> None:
    words = [str(run) if word == "RUN" else word for word in words]
    require_refused(["train", "--iterations=1", "--run", str(run), *words], run)


@pytest.mark.parametrize("setting", REFUSED["set"])
def test_setting_what_cannot_be(run: Path, setting: str) -> None:
    require_refused(["set", str(run), setting], run)


@pytest.mark.parametrize(
    "words",
    [
        ["distill", "RUN", "--run", "RUN"],
        ["ladder", "RUN", "--steps", "7"],
        ["ladder", "RUN", "--with", "nobody"],
        ["rate", "RUN", "--quickly"],
        ["branch", "RUN", "64"],
        ["branch", "RUN", "32", "--to", "RUN"],
        ["pause", "RUN"],
        ["resume", "RUN"],
        ["save", "RUN"],
        ["pin", "RUN", "64"],
        ["pin", "RUN", "32", "--name", "a\nb"],
        ["record", "RUN", "--blue", "somebody"],
        ["evaluate", "RUN", "--against", "nobody"],
        ["export", "RUN", "--checkpoint", "64"],
    ],
)
def test_asking_for_what_is_not_there(run: Path, words: list[str]) -> None:
    require_refused([str(run) if word == "RUN" else word for word in words], run)


def test_rating_and_a_ladder_without_the_meshes_of_the_arena(run: Path) -> None:
    config = run / "config.toml"
    config.write_text(config.read_text().replace('meshes = ""', 'meshes = "/nowhere"'))
    for words in (["rate"], ["ladder"], ["record"], ["train", "--iterations=1", "--run"]):
        require_refused([*words, str(run)], run)


def test_what_is_no_run_at_all_stays_nothing(run: Path) -> None:
    for command in ("rate", "ladder", "set", "pause"):
        require_refused([command, str(run.parent / "none"), *(["a=1"] * (command == "set"))], run)
