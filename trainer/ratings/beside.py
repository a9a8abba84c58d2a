"""What a trainer does about ratings: keeps a rater beside it, and tells what that found.

The rater (`rlppo rate RUN --follow`) is a process of its own. Training never waits for it, and its
end is a warning. It writes only ratings.json and its games; the trainer, the one who writes the
run's events and metrics, tells what came of them. Tested by `tests/trainer/ratings/test_beside.py`.
"""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Final

from trainer.config_league import RatingsConfig
from trainer.ratings.anchor_words import missing_anchors
from trainer.ratings.branching import go_back
from trainer.ratings.table import Rated, Ratings, rating_words, read_ratings
from trainer.run_dir import RunDir
from trainer.version_folder import list_versions

TRAINER: Final = (sys.executable, "-m", "trainer")
END_S: Final = 10.0
"""After which a rater that was asked to end is ended."""


class RatingsBeside:
    """The rater of one session, and its news."""

    def __init__(self, run: RunDir, config: RatingsConfig, warn: Callable[[str], None]) -> None:
        """Start nothing yet; what was rated before is no news.

        Args:
            run: Whose versions.
            config: Whether a rater is started at all.
            warn: Gets a sentence when the rater cannot be started or ends by itself, and for each
                anchor that is missing.
        """
        self._run, self._config, self._warn = run, config, warn
        self._enabled = config.enabled
        self._child: subprocess.Popen[bytes] | None = None
        self._given_up: list[int] = []
        """Versions for which none is started."""
        self._changed = _changed(run)
        self._ratings = read_ratings(run.ratings)

    def begin(self, steps: int) -> None:
        """The run goes on from `steps`: what was rated after them is of a line that ended."""
        try:
            go_back(self._run, steps)
        except OSError as error:
            self._warn(f"could not forget the ratings of a line that ended: {error}")
        self._changed, self._ratings = _changed(self._run), read_ratings(self._run.ratings)
        for sentence in missing_anchors(self._run, self._config) if self._enabled else ():
            self._warn(sentence)

    def news(self) -> list[str]:
        """See to the rater; a sentence for each version that was rated since the last call."""
        self._look_after_rater()
        changed = _changed(self._run)
        if changed == self._changed:
            return []
        self._changed = changed
        before, self._ratings = self._ratings, read_ratings(self._run.ratings) or self._ratings
        return _news(before, self._ratings) if self._ratings else []

    @property
    def metrics(self) -> dict[str, float]:
        """Of the newest rated version in each mode, by metric name; NaN where nobody knows."""
        modes = self._ratings.modes if self._ratings else {}
        newest = {mode: self._ratings.newest(mode) for mode in modes} if self._ratings else {}
        return {
            name: value
            for mode, rated in newest.items()
            if rated is not None
            for name, value in _metrics(mode, rated).items()
        }

    def close(self) -> None:
        """End the rater; what it has not written yet, the next one plays."""
        if self._child is None or self._child.poll() is not None:
            return
        self._child.terminate()
        try:
            self._child.wait(END_S)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()

    def _look_after_rater(self) -> None:
        """Start it once there is a version, and again with another one where it did not stay."""
        if not self._enabled:
            return
        if self._child is None:
            if list_versions(self._run) != self._given_up:
                self._start()
        elif self._child.poll() is not None:
            self._given_up = list_versions(self._run)
            self._warn(
                f"the rater ended by itself (exit code {self._child.returncode}), see "
                f"{self._run.rater_log.name}; the next version starts it again"
            )
            self._child = None

    def _start(self) -> None:
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        command = [*TRAINER, "rate", str(self._run.path), "--follow"]
        try:
            with self._run.rater_log.open("ab") as log:
                self._child = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=environment,
                    # Ctrl-C is the trainer's to hear, which then ends the rater.
                    start_new_session=True,
                    creationflags=_new_group(),
                )
        except OSError as error:
            self._enabled = False
            self._warn(f"the rater could not be started: {error}")


def _news(before: Ratings | None, now: Ratings) -> list[str]:
    return [
        rating_words(rated, mode)
        for mode, everybody in now.modes.items()
        for rated in everybody
        if rated.kind == "version"
        and (before is None or before.of_version(rated.steps, mode) is None)
    ]


def _metrics(mode: str, rated: Rated) -> dict[str, float]:
    return {
        f"Rating/{mode}": rated.rating,
        f"Rating/{mode}_sigma": math.nan if rated.sigma is None else rated.sigma,
        f"Rating/{mode}_games": float(rated.games),
    }


def _changed(run: RunDir) -> int:
    """When ratings.json was last replaced; 0 where there is none."""
    try:
        return run.ratings.stat().st_mtime_ns
    except OSError:
        return 0


def _new_group() -> int:
    if sys.platform == "win32":
        return subprocess.CREATE_NEW_PROCESS_GROUP
    return 0
