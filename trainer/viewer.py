"""The viewer: a process that plays the newest policy of a run at real-time speed.

    python -m trainer.viewer RUN [--deterministic] [--fps N]

Prints one frame a line (`frames.py`) on standard output. Reads "deterministic on" and
"deterministic off" on standard input, and ends when that closes, so it cannot outlive whoever
watches. Leaves the processor to the training: one thread, low priority. Knows no screen. Tested by
`tests/trainer/test_viewer.py`.
"""

import argparse
import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from rlbot_agent.field import TICKS_PER_SECOND
from trainer.config import RunConfig
from trainer.config_file import ConfigError, load_config
from trainer.frames import Frame, blend, notice, to_line
from trainer.meshes import MeshError
from trainer.policy import PolicyError
from trainer.run_dir import RunDir
from trainer.viewer_game import Game
from trainer.viewer_policy import NewestPolicy

NICENESS = 10
PAUSE_S = 1.0
"""How long the last picture of a rally stays, and how long to wait between two looks for a run."""
SLACK_S = 0.25
"""Later than this, the schedule is given up: the game falls behind instead of hurrying."""


class Watcher:
    """Whoever watches: gets frames, says how to play, and is gone when its pipe closes."""

    def __init__(self, deterministic: bool) -> None:
        """Begin to listen."""
        self.deterministic = deterministic
        """How to play, as last asked."""
        self.gone = threading.Event()
        """Set once standard input is closed."""
        threading.Thread(target=self._listen, daemon=True).start()

    def show(self, frame: Frame) -> None:
        """Print a frame at once.

        Raises:
            BrokenPipeError: When nobody reads any more.
        """
        # Past Python's own buffer: nothing is left in it to fail on when the pipe has broken.
        os.write(sys.stdout.fileno(), f"{to_line(frame)}\n".encode())

    def _listen(self) -> None:
        rest = b""
        # Not sys.stdin: a thread that waits in it would hold its lock when the interpreter ends.
        while data := os.read(sys.stdin.fileno(), 4096):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if line.strip() in (b"deterministic on", b"deterministic off"):
                    self.deterministic = line.strip().endswith(b"on")
        self.gone.set()


class Schedule:
    """When game time is due on the wall's clock: real time, or slower, never faster."""

    def __init__(self, gone: threading.Event) -> None:
        """Game time 0 is now."""
        self._gone = gone
        self._start = time.monotonic()

    def wait(self, game_s: float) -> None:
        """Sleep until `game_s` is due; wakes up when the watcher is gone."""
        late = time.monotonic() - self._start - game_s
        if late > SLACK_S:
            self.postpone(late)
        elif late < 0:
            self._gone.wait(-late)

    def postpone(self, seconds: float) -> None:
        """Everything from here on is due later."""
        self._start += seconds


def picture_times(earlier: int, later: int, fps: int) -> Iterator[float]:
    """Ticks in (earlier, later] at which one of `fps` evenly spaced pictures a second is due."""
    first = earlier * fps // TICKS_PER_SECOND + 1
    last = later * fps // TICKS_PER_SECOND
    return (picture * TICKS_PER_SECOND / fps for picture in range(first, last + 1))


def watch(run: RunDir, fps: int | None, watcher: Watcher) -> None:
    """Play until the watcher is gone.

    Args:
        run: Whose newest policy plays.
        fps: Pictures a second; None takes the run's setting.
        watcher: Gets the pictures.

    Raises:
        BrokenPipeError: When nobody reads the frames.
        ConfigError: When the run's config cannot be used.
        MeshError: When the arena's meshes are not found.
        PolicyError: When the policy's weights are not finite.
    """
    watcher.show(notice("Starting the viewer…"))
    config = _wait_for_config(run, watcher)
    if config is None:
        return
    rng = np.random.default_rng()
    game = Game(config, rng)
    newest = NewestPolicy(run, config)
    _wait_for_policy(newest, watcher)
    schedule = Schedule(watcher.gone)
    while not watcher.gone.is_set():
        _play_rally(game, newest, rng, fps or config.viewer.fps, watcher, schedule)


def _play_rally(
    game: Game,
    newest: NewestPolicy,
    rng: np.random.Generator,
    fps: int,
    watcher: Watcher,
    schedule: Schedule,
) -> None:
    """From a kickoff to whatever ends it, or until the watcher is gone."""
    game.kickoff()
    before, ended = _picture(game, newest), ""
    while not ended:
        if watcher.gone.is_set():
            return
        newest.refresh()
        newest.policy.deterministic = watcher.deterministic
        started = game.ticks
        ended = game.play(newest.policy.act(*game.see(), rng).actions)
        after = _picture(game, newest, ended)
        for ticks in picture_times(started, game.ticks, fps):
            schedule.wait(ticks / TICKS_PER_SECOND)
            watcher.show(blend(before, after, (ticks - started) / (game.ticks - started)))
        before = after
    watcher.show(before)
    watcher.gone.wait(PAUSE_S)
    schedule.postpone(PAUSE_S)


def main() -> None:
    """Run the viewer; one sentence on standard error and exit code 1 when it cannot."""
    parser = argparse.ArgumentParser(prog="python -m trainer.viewer")
    parser.add_argument("run", type=Path, help="run folder whose newest policy plays")
    parser.add_argument("--deterministic", action="store_true", help="play the likeliest action")
    parser.add_argument(
        "--fps", type=int, help="pictures a second; viewer.fps of the run if absent"
    )
    asked = parser.parse_args()
    torch.set_num_threads(1)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    try:
        with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
            watch(RunDir(asked.run), asked.fps, Watcher(asked.deterministic))
    except (ConfigError, MeshError, PolicyError) as error:
        sys.exit(str(error))


def _picture(game: Game, newest: NewestPolicy, note: str = "") -> Frame:
    return game.picture(newest.steps, newest.policy.deterministic, note)


def _wait_for_config(run: RunDir, watcher: Watcher) -> RunConfig | None:
    """The run's config once it is written; None when the watcher went first."""
    while not watcher.gone.is_set():
        if run.config.exists():
            return load_config(run.config)
        watcher.show(notice("Waiting for the run to begin…"))
        watcher.gone.wait(PAUSE_S)
    return None


def _wait_for_policy(newest: NewestPolicy, watcher: Watcher) -> None:
    """Return once there is a policy, or the watcher is gone."""
    newest.refresh()
    while not (newest.ready or watcher.gone.is_set()):
        why = f" ({newest.problem})" if newest.problem else ""
        watcher.show(notice(f"Waiting for the first policy…{why}"))
        watcher.gone.wait(PAUSE_S)
        newest.refresh()


if __name__ == "__main__":
    main()
