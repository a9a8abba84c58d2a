import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from export.cli import app
from tests.export.bundles import make_bundle, make_run
from trainer.cli import run_app


def test_export_prints_the_folder_and_verify_gives_a_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "run")
    assert run_app(app, ["export", str(run.path)]) == 0
    bundle = run.bundles / "64"
    assert capsys.readouterr().out == f"{bundle}\n"
    assert run_app(app, ["verify", str(bundle)]) == 0
    assert "verdict       good" in capsys.readouterr().out


def test_an_older_checkpoint_goes_where_it_is_asked_to(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", steps=64)
    make_run(tmp_path / "run", steps=128)
    out = tmp_path / "new" / "mine"
    words = ["export", str(run.path), "--checkpoint", "64", "--out", str(out)]
    assert run_app(app, words) == 0
    assert 'name = "run 64"' in (out / "bot.toml").read_text()


def test_a_checkpoint_is_exported_by_the_name_it_was_given(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", steps=64)
    make_run(tmp_path / "run", steps=128)
    assert run_app(app, ["pin", str(run.path), "64", "--name", "best"]) == 0
    assert run_app(app, ["export", str(run.path), "--checkpoint", "best"]) == 0
    assert [bundle.name for bundle in run.bundles.iterdir()] == ["64"]


def test_a_damaged_newest_checkpoint_is_named_when_an_older_one_is_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "run", steps=64)
    make_run(tmp_path / "run", steps=128)
    newest = run.checkpoints / f"{128:015d}"
    (newest / "actor.safetensors").write_bytes(b"cut off")
    assert run_app(app, ["export", str(run.path)]) == 0
    out, err = capsys.readouterr()
    assert out == f"{run.bundles / '64'}\n"
    assert err.startswith(f"rlppo: passed over the damaged checkpoint {newest}")


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(app, ["--version"]) == 0
    assert capsys.readouterr().out.startswith(version("rlppo"))


def test_a_refused_bundle_is_a_verdict_and_a_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = make_bundle(tmp_path)
    (bundle / "run.sh").write_text("rm -rf /\n")
    assert run_app(app, ["verify", str(bundle)]) == 1
    out = capsys.readouterr().out
    assert out == "verdict       refused: run.sh was changed after the export\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["export", "nowhere"], "nowhere holds no whole checkpoint: train it first"),
        (["export", "run", "--checkpoint", "7"], "run has no checkpoint '7'; nearest: 64"),
        (["export", "run", "--out", "run"], "run exists already and stays as it is"),
        (["export", "run", "--selected", "nowhere"], "nowhere cannot be read"),
        (["export", "run", "--offline-wheels", "--python", "3.10"], "--python"),
        (["export", "run", "--offline-wheels", "--botpack"], "leave --offline-wheels out"),
        (["export", "run", "--checkpoint", "best"], "run has no checkpoint 'best'; newest: 64"),
        (["export"], "RUN"),
        (["verify", "nowhere"], "nowhere is no folder"),
        (["match", "run", "nowhere"], "nowhere is no folder"),
        (["match", "run", "run", "--seconds", "0"], "--seconds"),
        (["record", "nowhere"], "config.toml does not exist"),
        (["record", "run", "--blue", "5000"], "'5000' plays nowhere: give newest"),
        (["record", "run", "--rallies", "0"], "--rallies"),
        (["match", "run", "run", "--mode", "2w2"], '"2w2" for --mode'),
        (["verfy", "run"], "verify"),
        (["set", "nowhere", "ppo.epochs=3"], "config.toml does not exist"),
    ],
)
def test_a_mistake_is_a_sentence_and_a_2_never_a_traceback(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    sentence: str,
) -> None:
    make_run(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    assert run_app(app, words) == 2
    out, err = capsys.readouterr()
    assert (out, err[:7]) == ("", "rlppo: ")
    assert sentence in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_help_names_every_command_and_loads_nothing_slow() -> None:
    code = (
        "import sys; from export.cli import app; from trainer.cli import run_app;"
        "run_app(app, ['--help']);"
        "print([m for m in ('torch', 'RocketSim', 'numpy', 'onnx', 'rlbot') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for command in ("train", "check", "set", "export", "verify", "match"):
        assert f" {command} " in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_python_m_export_is_the_same_command_line() -> None:
    command = [sys.executable, "-m", "export", "verify", "nowhere"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "rlppo: nowhere is no folder\n")
