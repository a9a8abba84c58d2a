"""Saves a run when that is due or asked for: the checkpoint, its mark, the event, and pruning.

Knows neither the loop nor how anything learns. Tested by `tests/trainer/test_saver.py` and
`test_learner_ends.py`.
"""

from pathlib import Path

from trainer.checkpoint import TrainingState, save
from trainer.checkpoint_folder import checkpoint_path, prune
from trainer.checkpoint_marks import Mark, read_mark, write_mark
from trainer.config import RunConfig
from trainer.control import Save
from trainer.session import Session


class Saver:
    """What one session saves."""

    def __init__(self, session: Session, state: TrainingState) -> None:
        """Nothing is saved yet, or what `state` was resumed from."""
        self._session, self._state = session, state
        resumed = state.counters.iteration > 0
        self._saved_steps = state.counters.steps if resumed else -1

    def next_save(self, config: RunConfig) -> int:
        """Agent steps at which a checkpoint is due."""
        return max(self._saved_steps, 0) + config.checkpoint.every_steps

    def save_if_due(self, config: RunConfig) -> None:
        """A disk that refuses is told of; training goes on and the next iteration tries again."""
        due = self._state.counters.steps >= self.next_save(config)
        if not (due or self._session.saves):
            return
        try:
            self.save(config)
        except OSError as error:
            for asked in dict.fromkeys(save.id for save in self._session.saves) or [""]:
                self._session.tell("warning", f"could not save: {error}", asked)

    def save(self, config: RunConfig) -> None:
        """Save what is not saved yet, and do all that was asked of this checkpoint.

        Raises:
            OSError: When the disk refuses; what was asked is then still to do.
        """
        session, steps = self._session, self._state.counters.steps
        path, fresh = checkpoint_path(session.run, steps), steps != self._saved_steps
        fresh = fresh or not path.is_dir()  # somebody removed it by hand
        if fresh:
            session.enter("saving")
            save(session.run, config, self._state)
            self._saved_steps = steps
        for asked in dict.fromkeys(session.saves) or [Save()] * fresh:
            mark = _mark(path, asked)
            session.tell("save", saved_words(path, mark, fresh=fresh), asked.id)
            session.saves = [save for save in session.saves if save != asked]
        if fresh:
            self._prune(path, config.checkpoint.keep)

    def _prune(self, newest: Path, keep: int) -> None:
        try:
            prune(self._session.run, newest, keep)
        except OSError as error:
            self._session.tell("warning", f"could not remove an old checkpoint: {error}")


def saved_words(path: Path, mark: Mark, *, fresh: bool) -> str:
    """Such as 'saved checkpoints/000000012345678 as "before shaping", pinned'."""
    words = f"{'saved' if fresh else 'saved already:'} {path.parent.name}/{path.name}"
    named = f' as "{mark.name}"' if mark.name else ""
    return words + named + (", pinned" if mark.pinned else "")


def _mark(path: Path, asked: Save) -> Mark:
    """Write on the checkpoint what was asked for, over what is there; what it says then."""
    before = read_mark(path)
    mark = Mark(asked.name or before.name, asked.pin or before.pinned)
    if asked.name or asked.pin:
        write_mark(path, mark)
    return mark
