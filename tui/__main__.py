"""`rlppo-tui`: opens the dashboard on a run, and starts the run's trainer unless it is alive.

Everything that can be refused is refused before the screen opens, in one sentence. Run it as
`rlppo-tui --help`; tested by `tests/tui/test_main.py`.
"""

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, CycloptsError, Parameter
from cyclopts.types import PositiveFloat, PositiveInt

from trainer.config_file import ConfigError
from trainer.replay import ReplayError, read_replay
from trainer.revision import source_revision
from trainer.run_dir import RunDir
from tui import known_keys
from tui.app import Dashboard
from tui.following import Outcome
from tui.keymap import remappable
from tui.launcher import Launch, resume_command
from tui.look import Look, look
from tui.new_run_app import NewRunApp
from tui.replay_app import ReplayApp
from tui.settings import load_settings, settings_path, settings_text, write_settings
from tui.watched import RefusedError, watch

DEFAULT_RUN = Path("runs/laptop")

cli = App(
    name="rlppo-tui",
    help="Train a Rocket League bot, and watch it learn.",
    version=source_revision,
)


@cli.default
def open_dashboard(
    target: Path | None = None,
    /,
    *,
    run: Path | None = None,
    iterations: PositiveInt | None = None,
    minutes: PositiveFloat | None = None,
    settings: Annotated[tuple[str, ...], Parameter("--set", negative=())] = (),
    device: Literal["auto", "cpu", "cuda"] | None = None,
) -> int:
    """Start, resume or attach to a run.

    Args:
        target: A config (.toml), or the folder of a run to go on with.
        run: Run folder; runs/laptop by default, runs/NAME for NAME.toml.
        iterations: Stop after this many iterations.
        minutes: Stop after this many minutes.
        settings: A setting, such as ppo.epochs=2. Repeat it for more.
        device: Where the networks learn.
    """
    config = target if target is not None and target.suffix == ".toml" else None
    try:
        folder = _run_folder(target, config, run)
        launch = Launch(RunDir(folder), config, iterations, minutes, settings, device)
        _require_terminal()
        chosen = _look()
    except (RefusedError, ConfigError, OSError) as refused:
        return _refuse(refused)
    return _watch(launch, chosen)


@cli.command
def new() -> int:
    """Make a new run in a form, with what it comes to and how fast it is here, and train it."""
    try:
        _require_terminal()
        chosen = _look()
    except (RefusedError, ConfigError, OSError) as refused:
        return _refuse(refused)
    app = NewRunApp(chosen)
    launch = app.run()
    return (app.return_code or 0) if launch is None else _watch(launch, chosen)


def _look() -> Look:
    mine = load_settings(os.environ)
    return look(mine, known_keys.places(), os.environ, sys.stdout.encoding)


def _watch(launch: Launch, chosen: Look) -> int:
    try:
        watched = watch(launch)
    except (RefusedError, ConfigError, OSError) as refused:
        return _refuse(refused)
    app = Dashboard(watched, look=chosen)
    outcome = app.run()
    if not _in_browser():  # there, the output is a protocol
        with contextlib.suppress(OSError):  # the terminal may be gone
            print(_farewell(outcome, app.run_dir), flush=True)
    return _exit_code(outcome, app.return_code)


@cli.command
def replay(file: Path, /) -> int:
    """Watch a recorded game.

    Args:
        file: A game from the folder `replays` of a run.
    """
    try:
        header, frames = read_replay(file)
        _require_terminal()
        chosen = _look()
    except (RefusedError, ReplayError, ConfigError, OSError) as refused:
        return _refuse(refused)
    app = ReplayApp(header, frames, chosen)
    app.run()
    return _exit_code(None, app.return_code)


@cli.command(name="settings")
def print_settings(*, write: bool = False) -> int:
    """Print the file of your own settings (colours, signs, keys), and where it is.

    Args:
        write: Make the file, where there is none.
    """
    path = settings_path(os.environ)
    try:
        mine = load_settings(os.environ if path.exists() else {})
        text = settings_text(mine, remappable(known_keys.places()))
        if write:
            write_settings(path, text)
    except (ConfigError, OSError) as refused:
        return _refuse(refused)
    print(f"# {path}" + ("" if path.exists() else " (not there yet: --write makes it)"))
    print(text, end="")
    return 0


def _run_folder(target: Path | None, config: Path | None, run: Path | None) -> Path:
    if config is not None:
        return run or Path("runs") / config.stem
    if target is None:
        return run or DEFAULT_RUN
    if run is not None:
        raise RefusedError(f"{target} is a run already: leave out --run, or give a .toml file")
    folder = RunDir(target)
    if not (folder.config.exists() or folder.status.exists()):
        raise RefusedError(f"{target} is neither a .toml file nor the folder of a run")
    return target


def _require_terminal() -> None:
    if _in_browser():
        return
    if not _is_interactive() or os.environ.get("TERM") == "dumb":
        raise RefusedError("This is no terminal to draw on: use `rlppo train`, which prints lines.")


def _in_browser() -> bool:
    """Whether `textual serve` draws for us: Textual's word for a driver that is no terminal."""
    return "TEXTUAL_DRIVER" in os.environ


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _exit_code(outcome: Outcome | None, failure: int | None) -> int:
    return failure or (1 if outcome == "died" else 0)


def _farewell(outcome: Outcome | None, run: RunDir) -> str:
    again = resume_command(run)
    if outcome == "stopped":
        return f"Stopped. Go on with: {again}"
    if outcome == "died":
        return f"The trainer is gone; its output is in {run.log}. Go on with: {again}"
    return f"Training goes on without the dashboard. Watch it with: {again}"


def run_command(words: Sequence[str]) -> int:
    """Run a command line to its exit code; one that cannot be understood is a sentence and a 2."""
    try:
        code = cli(words, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        return _refuse(error)
    return code if isinstance(code, int) else 0


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run_command(sys.argv[1:]))


def _refuse(error: Exception) -> int:
    print(f"rlppo-tui: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    main()
