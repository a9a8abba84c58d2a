"""`rlppo ladder`: flags in, everybody against everybody, a cross table out.

What is slow to import is imported inside the command, so that `--help` is instant. A mistake of the
user is one sentence on stderr and exit code 2. Tested by
`tests/trainer/ratings/test_ladder_command.py`.
"""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveFloat, PositiveInt

from trainer.evaluation.commands import refusals, say
from trainer.modes import Mode
from trainer.run_dir import RunDir

Several = Parameter(consume_multiple=True, negative=(), show_default=False)


def ladder(
    run: Path,
    /,
    *,
    versions: PositiveInt | None = None,
    steps: Annotated[tuple[NonNegativeInt, ...], Several] = (),
    others: Annotated[tuple[str, ...], Several, Parameter(name="--with")] = (),
    mode: Annotated[tuple[Mode, ...], Several] = (),
    starts: PositiveInt = 16,
    seconds: PositiveFloat = 60,
    sampled: Annotated[bool, Parameter(negative=())] = False,
    seed: NonNegativeInt = 0,
) -> None:
    """Let versions of a run and its anchors all play each other; who beats whom, in ladder.json.

    An interrupted ladder goes on by the same command.

    Args:
        run: Run folder.
        versions: So many of its versions, from the oldest to the newest; 6 when absent.
        steps: The versions or checkpoints after so many steps instead.
        others: Others beside the run's anchors: random, chaser, nexto, nexto:PATH, or folders of a
            checkpoint, a run, a version or a bundle.
        mode: Blue v orange cars, a table each; those that the newest was trained in when absent.
        starts: Start states of each mode, half of them kickoffs; every pair plays each from both
            sides.
        seconds: Length of a game in game time.
        sampled: Draw actions as in training, instead of taking the likeliest.
        seed: Of start states and all chance.
    """
    with refusals("a ladder"):
        from trainer.evaluation.contestants import EvaluationError
        from trainer.ratings.cross_table import cross_table
        from trainer.ratings.ladder import Terms, climb
        from trainer.ratings.ladder_players import Wishes
        from trainer.sizes import count_cores

        if versions and steps:
            raise EvaluationError("--versions and --steps: one of them says who plays")
        wishes = Wishes(versions or Wishes().versions, steps, others)
        modes = tuple(dict.fromkeys(mode))
        terms = Terms(modes, starts, float(seconds), sampled, seed)
        climbed = climb(RunDir(run), wishes, terms, count_cores(), say)
    for found in climbed.rounds:
        for line in ("", *cross_table(found, climbed)):
            say(line)
