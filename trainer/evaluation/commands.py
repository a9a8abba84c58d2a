"""`rlppo select` and `rlppo evaluate`: flags in, games played, tables out.

What is slow to import is imported inside the commands, so that `--help` is instant. A mistake of
the user is one sentence on stderr and exit code 2. Tested by
`tests/trainer/evaluation/test_commands.py`.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveFloat, PositiveInt

from trainer.modes import Mode
from trainer.run_dir import RunDir


def select(
    run: Path,
    /,
    *,
    protocol: Path | None = None,
    write_protocol: Path | None = None,
) -> None:
    """Choose the best checkpoint of a run by playing; goes on where it was interrupted.

    Exit code 0 when the best one passes the gate of the protocol, 1 when it does not.

    Args:
        run: Run folder.
        protocol: TOML file of the terms; the default ones when absent.
        write_protocol: Only write the terms to this file, each under its explanation.
    """
    with refusals("a selection"):
        from trainer.evaluation.protocol import load_protocol, protocol_text
        from trainer.files import write_atomic

        terms = load_protocol(protocol)
        if write_protocol:
            write_atomic(write_protocol, protocol_text(terms).encode())
            return
        from trainer.evaluation.report import summary
        from trainer.evaluation.selection import select as select_best
        from trainer.sizes import count_cores

        folder = protocol.parent if protocol else Path()
        report = select_best(RunDir(run), terms, folder, say, count_cores())
    for line in summary(report):
        say(line)
    if not report.passed:
        raise SystemExit(1)


def evaluate(
    a: str,
    b: str = "random",
    /,
    *,
    games: PositiveInt = 32,
    seconds: PositiveFloat = 60,
    mode: Mode | None = None,
    sampled: Annotated[bool, Parameter(negative=())] = False,
    seed: NonNegativeInt = 0,
    json: Path | None = None,
) -> None:
    """Play two policies against each other and show what each does; writes nothing.

    Args:
        a: Folder of a checkpoint, a run (its newest) or a bundle, "random", "chaser", or
            "nexto:PATH" with your nexto-model.pt.
        b: The other one.
        games: How many, rounded up to fours: kickoffs and random states, from both sides each.
        seconds: Length of a game in game time.
        mode: Blue v orange cars; the first that A was trained in when absent.
        sampled: Draw actions as in training, instead of taking the likeliest.
        seed: Of start states and all chance.
        json: File to write the numbers to.
    """
    with refusals():
        from trainer.evaluation.versus import Terms
        from trainer.evaluation.versus import evaluate as play_games

        terms = Terms(games, float(seconds), mode, sampled, seed)
        for line in play_games(a, b, terms, json):
            say(line)


@contextmanager
def refusals(goes_on: str = "") -> Iterator[None]:
    """Turn what a person can mend into a sentence; `goes_on` is what the same command resumes."""
    from trainer.checkpoint import CheckpointError
    from trainer.config_file import ConfigError
    from trainer.evaluation.contestants import EvaluationError
    from trainer.meshes import MeshError
    from trainer.start_file import StartFileError

    try:
        yield
    except (
        *(CheckpointError, ConfigError, EvaluationError, MeshError),
        *(StartFileError, OSError),
    ) as error:
        print(f"rlppo: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        words = f"interrupted; {goes_on} goes on by the same command" if goes_on else "interrupted"
        print(f"rlppo: {words}", file=sys.stderr)
        raise SystemExit(130) from None


def say(line: str) -> None:
    """A line on stdout, at once."""
    print(line, flush=True)
