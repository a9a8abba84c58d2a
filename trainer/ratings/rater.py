"""Rates the versions of a run: lets each play what it lacks, and keeps ratings.json.

Every version plays each anchor and some earlier versions. Games are in rating_games.jsonl as soon
as they are played, so that an interrupted rater goes on where it was; ratings.json is made of all
games whenever a version has played in a mode. Nothing is trained.
Tested by `tests/trainer/ratings/test_rater.py` and `test_truth.py`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import filelock

from trainer.checkpoint import CheckpointError
from trainer.config import RunConfig
from trainer.evaluation.contestants import Contestant, EvaluationError, load_contestant
from trainer.ratings.anchor_words import anchor_word
from trainer.ratings.bouts import Bouts, Entrant
from trainer.ratings.opponents import earlier_opponents
from trainer.ratings.played import Player, append_played, played_to, read_played
from trainer.ratings.ratings_of import ratings_of
from trainer.ratings.table import Ratings, rating_words, read_ratings, version_name, write_ratings
from trainer.ratings.today import SCRIPTED, of_today
from trainer.run_dir import RunDir
from trainer.version_folder import list_versions, version_path

POLL_S: Final = 0.5
"""Between two looks whether somebody else has let the ratings go."""


class RaterBusyError(Exception):
    """Somebody rates this run already; the message is one sentence for a person."""


@contextmanager
def lock_ratings(run: RunDir, waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the ratings of a run; a process that dies in any way lets them go.

    Args:
        run: Whose.
        waiting: Is told when somebody else holds them, who is then waited for; None refuses.

    Raises:
        RaterBusyError: When somebody else holds them, and nobody waits.
    """
    lock = filelock.FileLock(run.path / "rater.lock")
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout as error:
        busy = f"another process rates {run.path} already"
        if waiting is None:
            raise RaterBusyError(busy) from error
        waiting(f"{busy}: waiting for it")
        lock.acquire(timeout=-1, poll_interval=POLL_S)
    try:
        yield
    finally:
        lock.release()


class Rater:
    """Rates the versions of one run; only one may at a time."""

    def __init__(self, run: RunDir, config: RunConfig, say: Callable[[str], None]) -> None:
        """Read the games that were played before.

        Args:
            run: Whose versions.
            config: Its settings.
            say: Gets a line for each version rated, and once for each that cannot play; and what
                is to be known of the games that were played before.

        Raises:
            MeshError: When the arena's meshes are not found.
        """
        self._run, self._config, self._say = run, config, say
        self._bouts = Bouts(config)
        self._played, warnings = of_today(read_played(run.rating_games))
        for sentence in warnings:
            say(sentence)
        self._known = {game.key for game in self._played}
        self._anchors: dict[str, Entrant | None] = {}
        self._done: set[int] = set()
        """Versions that lack nothing, or cannot play what they lack."""
        self._told: set[str] = set()

    def catch_up(self) -> None:
        """Play all that is lacking, and write what all games come to.

        Raises:
            OSError: When the disk refuses.
        """
        self._write()
        for steps in list_versions(self._run):
            if steps not in self._done:
                self._rate(steps)
                self._done.add(steps)

    def _rate(self, steps: int) -> None:
        """Let a version play what it lacks in every mode."""
        version = self._version(steps)
        if version is None:
            return
        for mode in self._config.sim.played:
            before = len(self._played)
            self._meet(version, list(self._opponents(version, mode)), mode)
            if len(self._played) > before:
                rated = self._write().of_version(steps, mode)
                if rated is not None:
                    self._say(rating_words(rated, mode))

    def _meet(self, version: Entrant, others: Sequence[Entrant], mode: str) -> None:
        """Play and keep the games with `others` that are lacking."""
        try:
            for games in self._bouts.play(version, others, mode, self._known):
                append_played(self._run.rating_games, games)
                self._played += games
                self._known |= {game.key for game in games}
        except EvaluationError as error:
            if len(others) == 1:
                who = f"{version.player.name} does not play {others[0].player.name}"
                self._tell(f"version {who} in {mode}: {error}")
            else:  # let those who can
                for other in others:
                    self._meet(version, [other], mode)

    def _opponents(self, version: Entrant, mode: str) -> Iterator[Entrant]:
        """Whom it plays: earlier versions, newest first, then anchors by points."""
        terms, steps = self._config.ratings, version.player.steps or 0
        earlier = [other for other in list_versions(self._run) if other < steps]
        met = {
            side.steps
            for game in self._played
            if game.mode == mode and version.player in (game.blue, game.orange)
            for side in (game.blue, game.orange)
            if side.steps is not None and side.steps < steps
        }
        for other in earlier_opponents(earlier, met, terms.versions):
            if (found := self._version(other)) is not None:
                yield found
        for name in sorted(terms.anchors, key=terms.anchors.__getitem__):
            if (found := self._anchor(name)) is not None:
                yield found

    def _version(self, steps: int) -> Entrant | None:
        """A version; None, and told once, when it cannot be loaded."""
        return self._load(str(version_path(self._run, steps)), version_name(steps), steps)

    def _anchor(self, name: str) -> Entrant | None:
        """Likewise an anchor, loaded once."""
        if name not in self._anchors:
            word = anchor_word(self._run, self._config.ratings, name)
            self._anchors[name] = self._load(word, name, None)
        return self._anchors[name]

    def _load(self, word: str, name: str, steps: int | None) -> Entrant | None:
        try:
            found = load_contestant(word, name, sampled=self._config.ratings.sampled)
            self._require_ticks(found)
        except (EvaluationError, CheckpointError) as error:
            if steps is not None and not Path(word).exists():
                return None  # the trainer keeps only so many
            what = f"anchor {name}" if steps is None else f"version {name}"
            self._tell(f"{what} cannot play: {error}")
            return None
        behaviour = SCRIPTED.get(name, 1) if steps is None else 1
        return Entrant(found, Player(name, steps, found.sha256, behaviour))

    def _require_ticks(self, found: Contestant) -> None:
        """Who decides more or less often is another player in games as long."""
        mine, theirs = self._config.sim.tick_skip, found.contract and found.contract.tick_skip
        if theirs not in (None, mine):
            raise EvaluationError(f"it decides every {theirs} ticks, the run every {mine}")

    def _write(self) -> Ratings:
        """Make ratings.json of all games, unless it says so already."""
        # Versions after the newest one, if there is one, were removed by somebody.
        newest = max(list_versions(self._run), default=-1)
        ratings = ratings_of(played_to(self._played, newest), self._config, time.time())
        before = read_ratings(self._run.ratings)
        known = before and replace(before, updated=ratings.updated)
        if known != ratings and (before or ratings.modes):
            write_ratings(self._run.ratings, ratings)
        return ratings

    def _tell(self, sentence: str) -> None:
        """Say it, but only once."""
        if sentence not in self._told:
            self._told.add(sentence)
            self._say(sentence)
