import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from tests.tui.conftest import FAKE_TRAINER, record, restate
from trainer.config import RunConfig
from trainer.run_dir import RunDir
from tui import __main__ as entry
from tui import launcher
from tui.app import Dashboard
from tui.following import Outcome
from tui.new_run import make_run
from tui.new_run_app import NewRunApp
from tui.settings import PATH_VARIABLE
from tui.watched import Watched


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that somebody looks at it."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(entry, "_is_interactive", lambda: True)


@pytest.fixture(autouse=True)
def mine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where the person's settings would be: none of whoever runs the tests."""
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.delenv(PATH_VARIABLE, raising=False)
    monkeypatch.setattr("tui.settings.user_config_path", lambda *_, **__: folder)
    return folder / "tui.toml"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Watched]:
    """What the screen was opened on; it is closed at once."""
    seen: list[Watched] = []

    def run(app: Dashboard) -> Outcome:
        seen.append(app._watched)
        return "left"

    monkeypatch.setattr(Dashboard, "run", run)
    return seen


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert entry.run_command(words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_without_a_terminal_it_points_to_the_command_that_prints_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "rlppo train" in refusal(capsys)


@pytest.mark.usefixtures("terminal")
def test_a_terminal_that_cannot_draw_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert "rlppo train" in refusal(capsys)


@pytest.mark.usefixtures("terminal")
def test_a_bad_config_is_refused_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.toml").write_text("[ppo]\nepoch = 2\n")
    assert "nearest: ppo.epochs" in refusal(capsys, "mine.toml")
    assert "nope.toml does not exist" in refusal(capsys, "nope.toml")
    assert "ppo.gama" in refusal(capsys, "--set", "ppo.gama=1")
    assert not Path("runs/mine").exists()
    assert not Path("runs/laptop").exists()


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["no/such/folder"], "no/such/folder"),
        (["runs/1v1", "--run", "other"], "--run"),
        (["--iterations", "0"], "--iterations"),
        (["--device", "tpu"], "--device"),
        (["--fast"], "--fast"),
    ],
)
def test_a_command_line_that_means_nothing_is_refused_by_name(
    capsys: pytest.CaptureFixture[str],
    run: RunDir,
    words: list[str],
    named: str,
) -> None:
    record(run)
    assert named in refusal(capsys, *words)


@pytest.mark.usefixtures("terminal")
def test_a_living_run_is_attached_to_and_said_to_go_on(
    capsys: pytest.CaptureFixture[str],
    run: RunDir,
    opened: list[Watched],
) -> None:
    record(run)
    run.config.write_text("seed = 5\n")
    assert entry.run_command(["runs/1v1"]) == 0
    assert opened[0].child is None
    assert opened[0].config.seed == 5
    assert "Training goes on" in capsys.readouterr().out


@pytest.mark.usefixtures("terminal")
def test_a_persons_settings_are_looked_at_before_anything_starts(
    capsys: pytest.CaptureFixture[str], mine: Path, opened: list[Watched]
) -> None:
    mine.write_text('theme = "lihgt"\n')
    assert "tui.toml: theme = 'lihgt' should be" in refusal(capsys, "--run", "new")
    mine.write_text('[keys]\nquit = "s"\n')
    assert "quit and save are both on s" in refusal(capsys, "--run", "new")
    assert not Path("new").exists()
    assert opened == []


def test_settings_are_printed_with_their_place_and_made_only_when_asked(
    capsys: pytest.CaptureFixture[str], mine: Path
) -> None:
    assert entry.run_command(["settings"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"# {mine} (not there yet: --write makes it)\n")
    assert '# quit = "q"\n' in printed
    assert not mine.exists()
    assert entry.run_command(["settings", "--write"]) == 0
    assert capsys.readouterr().out == f"# {mine}\n" + mine.read_text()
    assert mine.read_text() in printed
    assert "exists: edit it" in refusal(capsys, "settings", "--write")


def test_in_a_browser_no_terminal_is_needed_and_nothing_but_the_protocol_is_printed(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    run: RunDir,
    opened: list[Watched],
) -> None:
    record(run)
    run.config.write_text("seed = 5\n")
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    assert entry.run_command(["runs/1v1"]) == 0
    assert len(opened) == 1
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("terminal")
def test_a_living_run_takes_no_other_settings(
    capsys: pytest.CaptureFixture[str], run: RunDir
) -> None:
    record(run)
    said = refusal(capsys, "runs/1v1", "--set", "seed=2")
    assert "rlppo-tui runs/1v1" in said


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    ("words", "folder"),
    [
        ([], "runs/laptop"),
        (["mine.toml"], "runs/mine"),
        (["mine.toml", "--run", "elsewhere"], "elsewhere"),
        (["--run", "elsewhere"], "elsewhere"),
        (["runs/1v1", "--minutes", "2", "--device", "cpu"], "runs/1v1"),
    ],
)
def test_a_trainer_is_started_in_the_right_folder_with_what_was_said(
    monkeypatch: pytest.MonkeyPatch,
    run: RunDir,
    opened: list[Watched],
    words: list[str],
    folder: str,
) -> None:
    record(run)
    restate(run, phase="stopped")
    Path("mine.toml").write_text("seed = 5\n")
    monkeypatch.setattr(
        "tui.launcher.TRAINER", (sys.executable, "-c", "import sys; print(sys.argv)")
    )
    assert entry.run_command(words) == 0
    assert opened[0].run.path == Path(folder)
    child = opened[0].child
    assert child is not None
    assert child.wait(PATIENCE_S) == 0
    said = (Path(folder) / "trainer.log").read_text()
    assert f"'--run', '{folder}'" in said
    assert all(word in said for word in words)


@pytest.mark.parametrize(("outcome", "code"), [("stopped", 0), ("died", 1), ("left", 0)])
def test_every_ending_says_how_to_come_back(outcome: Outcome, code: int, run: RunDir) -> None:
    run.config.touch()
    said = entry._farewell(outcome, run)
    assert "rlppo-tui runs/1v1" in said
    assert entry._exit_code(outcome, None) == code


@pytest.mark.usefixtures("terminal")
def test_it_says_how_to_come_back_to_the_run_that_was_watched_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], run: RunDir
) -> None:
    record(run)
    run.config.write_text("seed = 5\n")
    other = RunDir(Path("runs/other"))
    other.path.mkdir()
    other.config.touch()

    def turn(app: entry.Dashboard) -> Outcome:
        app._take_up(Watched(other, RunConfig()))
        return "left"

    monkeypatch.setattr(entry.Dashboard, "run", turn)
    assert entry.run_command(["runs/1v1"]) == 0
    assert "rlppo-tui runs/other" in capsys.readouterr().out


@pytest.mark.usefixtures("terminal")
def test_a_new_run_is_trained_once_its_form_is_sent(
    monkeypatch: pytest.MonkeyPatch, opened: list[Watched]
) -> None:
    monkeypatch.setattr(launcher, "TRAINER", (sys.executable, str(FAKE_TRAINER)))
    launch = make_run(Path("runs/mine"), RunConfig(seed=7), Path())
    monkeypatch.setattr(NewRunApp, "run", lambda app: launch)
    assert entry.run_command(["new"]) == 0
    (watched,) = opened
    assert (watched.run, watched.config.seed) == (launch.run, 7)
    assert watched.child is not None
    watched.child.terminate()
    watched.child.wait(PATIENCE_S)


@pytest.mark.usefixtures("terminal")
def test_a_form_that_is_closed_starts_nothing(
    monkeypatch: pytest.MonkeyPatch, opened: list[Watched]
) -> None:
    monkeypatch.setattr(NewRunApp, "run", lambda app: None)
    assert entry.run_command(["new"]) == 0
    assert opened == []


def test_a_form_needs_a_terminal_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert "rlppo train" in refusal(capsys, "new")
