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
from cyclopts.types import NonNegativeInt, PositiveFloat

from trainer import cli_steering
from trainer.cli import bench, check, record, run_app, set_settings, train, tune
from trainer.evaluation.commands import evaluate, select
from trainer.modes import Mode
from trainer.run_dir import RunDir

app = App(name="rlppo", help="Train a Rocket League bot with PPO, and ship it.")
app.command(train)
app.command(bench)
app.command(check)
app.command(tune)
app.command(select)
app.command(evaluate)
app.command(record)
app.command(set_settings, name="set")
cli_steering.add_to(app)


@app.command
def export(
    run: Path,
    /,
    *,
    checkpoint: NonNegativeInt | None = None,
    out: Path | None = None,
    selected: Path | None = None,
    offline_wheels: Annotated[bool, Parameter(negative=())] = False,
    python: Literal["3.11", "3.12", "3.13", "3.14"] = "3.12",
    botpack: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Write a bundle: a folder that is an RLBot v5 bot. One that exists is never replaced.

    Args:
        run: Run folder.
        checkpoint: Steps of the checkpoint to take; the selected or else the newest whole one when
            absent.
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

        extras = Extras(
            selected=read_selected(selected) if selected else None,
            wheels_for=python if offline_wheels else None,
            botpack=botpack,
        )
        bundle = export_bundle(RunDir(run), checkpoint, out, extras)
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
) -> None:
    """Play two bundles against each other over RLBot's protocol, in the simulator.

    Args:
        blue: Bundle folder of the blue team.
        orange: Bundle folder of the orange team; may be the same.
        seconds: Game time of kickoffs and play.
        realtime: Send packets at 120 Hz, answered or not, instead of waiting for every answer.
        mode: Blue v orange cars; the first that blue was trained in when absent.
    """
    with _refusals():
        from export.match import match_command

        _require_folder(blue)
        _require_folder(orange)
        code = match_command(blue, orange, seconds=seconds, realtime=realtime, mode=mode)
    raise SystemExit(code)


def main() -> None:
    """Run the command line of this process."""
    sys.exit(run_app(app))


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
    from trainer.meshes import MeshError

    mistakes = (CheckpointError, ContractError, ExportError, MeshError, OSError)
    try:
        yield
    except (*mistakes, SelectionError, WheelError) as error:
        print(f"rlppo: {error}", file=sys.stderr)
        raise SystemExit(2) from None
