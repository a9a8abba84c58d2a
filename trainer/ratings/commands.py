"""`rlppo rate`: flags in, games played, ratings out.

What is slow to import is imported inside the command, so that `--help` is instant. A mistake of
the user is one sentence on stderr and exit code 2. Tested by
`tests/trainer/ratings/test_commands.py`.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from trainer.run_dir import RunDir


def rate(run: Path, /, *, follow: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Rate every version of a run that is not rated yet; goes on where it was interrupted.

    Args:
        run: Run folder.
        follow: Wait for new versions until nobody trains the run any more, at low priority. A
            trainer does this by itself where ratings.enabled is true.
    """
    with _refusals():
        from trainer.config_file import load_config
        from trainer.meshes import find_meshes
        from trainer.ratings.follow import end_with_trainer, spare_the_trainer
        from trainer.ratings.follow import follow as follow_run
        from trainer.ratings.rater import Rater, lock_ratings

        folder = RunDir(run)
        config = load_config(folder.config)
        find_meshes(config.sim.meshes)  # refused before the lock, which is a file of the run
        if follow:
            spare_the_trainer()
            end_with_trainer(folder)
        with lock_ratings(folder, _say if follow else None):
            rater = Rater(folder, config, _say)
            if follow:
                follow_run(folder, rater.catch_up)
            else:
                rater.catch_up()


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what a person can mend into a sentence."""
    from trainer.config_file import ConfigError
    from trainer.evaluation.contestants import EvaluationError
    from trainer.meshes import MeshError
    from trainer.ratings.rater import RaterBusyError

    try:
        yield
    except (ConfigError, EvaluationError, MeshError, RaterBusyError, OSError) as error:
        print(f"rlppo: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        print("rlppo: interrupted; the same command goes on", file=sys.stderr)
        raise SystemExit(130) from None


def _say(line: str) -> None:
    print(line, flush=True)
