"""The viewer: a process that plays policies of a run against each other at real-time speed.

    python -m trainer.viewer RUN [--deterministic] [--fps N] [--blue NAME] [--orange NAME]
                                 [--follow N] [--external rlviser|rocketsimvis|off]

Prints one frame a line (`frames.py`) on standard output. Reads wishes (`viewer_wishes.py`) on
standard input, and ends when that closes, so it cannot outlive whoever watches. Leaves the
processor to the training: one thread, low priority. Knows no screen. Tested by
`tests/trainer/test_viewer.py`.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import get_args

import numpy as np
import torch

from trainer.config import RunConfig
from trainer.config_file import ConfigError, load_config
from trainer.frames import notice
from trainer.meshes import MeshError
from trainer.policy import PolicyError
from trainer.run_dir import RunDir
from trainer.viewer_external import External, ExternalName, open_external
from trainer.viewer_game import Game
from trainer.viewer_recording import Recording
from trainer.viewer_show import Audience, Notes, Show
from trainer.viewer_teams import Teams
from trainer.viewer_watcher import Watcher
from trainer.viewer_wishes import NEWEST, Wishes, is_player

NICENESS = 10
WAIT_S = 1.0
"""Between two looks for a run or a policy that is not there yet."""


def watch(
    run: RunDir, fps: int | None, watcher: Audience, external: ExternalName | None = None
) -> None:
    """Play until the watcher is gone.

    Args:
        run: Whose policies play.
        fps: Pictures a second; None takes the run's setting.
        watcher: Gets the pictures.
        external: Another viewer that shows the same; None takes the run's setting.

    Raises:
        BrokenPipeError: When nobody reads the frames.
        ConfigError: When the run's config cannot be used.
        MeshError: When the arena's meshes are not found.
        PolicyError: When the policy's numbers are not finite.
    """
    watcher.show(notice("Starting the viewer…"))
    config = _wait_for_config(run, watcher)
    if config is None:
        return
    rng = np.random.default_rng()
    game, teams = Game(config, rng), Teams(run, config, rng)
    _wait_for_policy(teams, watcher)
    pictures, notes = fps or config.viewer.fps, Notes()
    recording = Recording(run, pictures, lambda: datetime.now().astimezone(), notes.say)
    with _external(external or config.viewer.external, notes) as shown:
        try:
            Show(watcher, game, teams, pictures, recording, notes, shown).run()
        finally:
            recording.finish()


def main() -> None:
    """Run the viewer; one sentence on standard error and exit code 1 when it cannot."""
    asked = _arguments()
    torch.set_num_threads(1)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    wishes = Wishes(asked.deterministic, follow=asked.follow, players=(asked.blue, asked.orange))
    try:
        with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
            watch(RunDir(asked.run), asked.fps, Watcher(wishes), asked.external)
    except (ConfigError, MeshError, PolicyError) as error:
        sys.exit(str(error))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m trainer.viewer")
    parser.add_argument("run", type=Path, help="run folder whose policies play")
    parser.add_argument("--deterministic", action="store_true", help="play the likeliest action")
    parser.add_argument(
        "--fps", type=int, help="pictures a second; viewer.fps of the run if absent"
    )
    for team in ("blue", "orange"):
        what = f"who plays {team}: {NEWEST}, or the folder name of a checkpoint (15 digits)"
        parser.add_argument(f"--{team}", type=_player, default=NEWEST, help=what)
    parser.add_argument("--follow", type=int, help="index of the car whose mind is shown")
    parser.add_argument(
        "--external",
        choices=get_args(ExternalName),
        help="another program that shows the same; viewer.external of the run if absent",
    )
    return parser.parse_args()


def _player(name: str) -> str:
    if not is_player(name):
        raise argparse.ArgumentTypeError(f"{name!r} is neither {NEWEST} nor 15 digits")
    return name


@contextlib.contextmanager
def _external(name: ExternalName, notes: Notes) -> Iterator[External | None]:
    """The external viewer while it is used; one that cannot even begin is told of."""
    try:
        external = open_external(name)
    except OSError as error:
        notes.say(f"{name} cannot be used: {error}")
        external = None
    try:
        yield external
    finally:
        if external:
            external.close()


def _wait_for_config(run: RunDir, watcher: Audience) -> RunConfig | None:
    """The run's config once it is written; None when the watcher went first."""
    while not watcher.gone:
        if run.config.exists():
            return load_config(run.config)
        watcher.show(notice("Waiting for the run to begin…"))
        watcher.wait(WAIT_S, watcher.wishes)
    return None


def _wait_for_policy(teams: Teams, watcher: Audience) -> None:
    """Return once there is a policy, or the watcher is gone."""
    teams.refresh()
    while not (teams.ready or watcher.gone):
        problem = teams.newest.problem
        why = f" ({problem})" if problem else ""
        watcher.show(notice(f"Waiting for the first policy…{why}"))
        watcher.wait(WAIT_S, watcher.wishes)
        teams.refresh()


if __name__ == "__main__":
    main()
