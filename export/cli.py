"""The whole `rlppo` command line: the trainer's commands, and export, verify and match.

What is slow to import is imported inside the commands, so that `--help` is instant. A mistake of
the user is one sentence on stderr and exit code 2; a bundle that is refused is exit code 1. Tested
by `tests/export/test_cli.py`.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter
from cyclopts.types import PositiveFloat

from export.terms import Fps, InputDelay
from trainer import cli_steering
from trainer.cli import bench, check, record, run_app, set_settings, train, tune
from trainer.cli_distill import distill
from trainer.evaluation.commands import evaluate, select
from trainer.modes import Mode
from trainer.ratings.commands import rate
from trainer.ratings.ladder_command import ladder
from trainer.revision import source_revision
from trainer.run_dir import RunDir

app = App(
    name="rlppo",
    help="Train a Rocket League bot with PPO, and ship it.",
    version=source_revision,
)
app.command(train)
app.command(distill)
app.command(bench)
app.command(check)
app.command(tune)
app.command(select)
app.command(evaluate)
app.command(ladder)
app.command(rate)
app.command(record)
app.command(set_settings, name="set")
cli_steering.add_to(app)


@app.command
def export(
    run: Path,
    /,
    *,
    checkpoint: str | None = None,
    out: Path | None = None,
    selected: Path | None = None,
    offline_wheels: Annotated[bool, Parameter(negative=())] = False,
    python: Literal["3.11", "3.12", "3.13", "3.14"] = "3.12",
    botpack: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Write a bundle: a folder that is an RLBot v5 bot. One that exists is never replaced.

    Args:
        run: Run folder.
        checkpoint: Steps or name of the checkpoint to take; the selected or else the newest whole
            one when absent.
        out: Folder to create; bundles/STEPS in the run folder when absent.
        selected: report.json of the selection that must have chosen the checkpoint; the bundle
            names it.
        offline_wheels: Put the packages for Windows into the bundle, so that its first start needs
            no network; this fetches them.
        python: Which Python on Windows they are for.
        botpack: Add what the RLBot botpack builds it by: bob.toml and bot.spec.
    """
    with _refusals():
        from export.bundle import Extras, export_bundle
        from export.selected import read_selected
        from trainer.checkpoint_list import find_checkpoint

        extras = Extras(
            selected=read_selected(selected) if selected else None,
            wheels_for=python if offline_wheels else None,
            botpack=botpack,
        )
        folder = RunDir(run)
        steps = find_checkpoint(folder, checkpoint).steps if checkpoint is not None else None
        bundle = export_bundle(folder, steps, out, extras, _warn)
    print(bundle)


@app.command
def verify(bundle: Path, /) -> None:
    """Check that a bundle is what was exported and plays as it was trained.

    Args:
        bundle: Bundle folder.
    """
    with _refusals():
        from export.manifest import BundleError
        from export.verify import verify as verify_bundle
        from rlbot_agent.contract import ContractError

        _require_folder(bundle)
        try:
            for line in verify_bundle(bundle):
                print(line, flush=True)
        except (BundleError, ContractError) as error:
            print(f"verdict       refused: {error}")
            raise SystemExit(1) from None


@app.command
def match(
    blue: Path,
    orange: Path,
    /,
    *,
    seconds: PositiveFloat = 60,
    realtime: Annotated[bool, Parameter(negative=())] = False,
    mode: Mode | None = None,
    fps: Fps = "120",
    input_delay: InputDelay = 0,
    pauses: Annotated[bool, Parameter(negative=())] = False,
    shuffled: Annotated[bool, Parameter(negative=())] = False,
    report: Path | None = None,
    record: Path | None = None,
) -> None:
    """Play two bots against each other over RLBot's protocol, in the simulator.

    Args:
        blue: Bundle of the blue team, or the folder (or bot.toml) of any RLBot v5 bot.
        orange: That of the orange team; may be the same.
        seconds: Game time of kickoffs and play.
        realtime: Send packets at the game's pace, answered or not, instead of waiting for answers.
        mode: Blue v orange cars; the first that a bundle was trained in when absent.
        fps: Packets a second of game.
        input_delay: Ticks that the game takes from an answer to its effect.
        pauses: Pause the game now and then.
        shuffled: Let cars stand in any order, and in another one in the match's configuration.
        report: Folder to write report.json and report.md into.
        record: Replay to write; its name should end in .jsonl.gz.
    """
    with _refusals():
        from export.match_command import match_command
        from export.terms import Terms

        for bot in (blue, orange):
            _require_bot(bot)
        terms = Terms(seconds, realtime, mode, fps, input_delay, pauses, shuffled)
        code = match_command((blue, orange), terms, report=report, record=record)
    raise SystemExit(code)


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run_app(app))


def _warn(sentence: str) -> None:
    print(f"rlppo: {sentence}", file=sys.stderr)


def _require_bot(bot: Path) -> None:
    if not bot.is_file():
        _require_folder(bot)


def _require_folder(bundle: Path) -> None:
    if not bundle.is_dir():
        raise FileNotFoundError(f"{bundle} is no folder")


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what a person can mend into a sentence."""
    from export.bundle import ExportError
    from export.selected import SelectionError
    from export.wheels import WheelError
    from rlbot_agent.contract import ContractError
    from trainer.checkpoint import CheckpointError
    from trainer.checkpoint_list import CheckpointRefusedError
    from trainer.meshes import MeshError

    mistakes = (CheckpointError, CheckpointRefusedError, ContractError, ExportError, MeshError)
    try:
        yield
    except (*mistakes, OSError, SelectionError, WheelError) as error:
        print(f"rlppo: {error}", file=sys.stderr)
        raise SystemExit(2) from None
