"""Keeps the actor of every `versions.every_steps` agent steps while a run trains.

Knows neither the loop nor who plays against them. Tested by `tests/trainer/test_version_keeper.py`.
"""

from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.session import Session
from trainer.version_folder import is_due, prune_versions, set_aside_after
from trainer.versions import save_version


class VersionKeeper:
    """What one session keeps beside its checkpoints."""

    def __init__(self, session: Session, state: TrainingState) -> None:
        """Nothing is due up to where `state` is."""
        self._session, self._state = session, state
        self._looked = state.counters.steps

    def set_aside_newer(self) -> None:
        """Put away what a session kept that went further than the checkpoint of this one.

        Their numbers would be those of other actors soon. Nothing of them is lost.
        """
        steps = self._state.counters.steps
        try:
            aside = set_aside_after(self._session.run, steps)
        except OSError as error:
            self._session.tell("warning", f"could not set a newer version aside: {error}")
            return
        if aside:
            names = ", ".join(path.name for path in aside)
            self._session.tell(
                "warning",
                f"the run goes on from {steps:,} steps: newer versions are of a line that ended, "
                f"and set aside in {aside[0].parent.name}: {names}",
            )

    def keep_if_due(self, config: RunConfig) -> None:
        """A disk that refuses is told of; training goes on and the next iteration tries again."""
        run, steps = self._session.run, self._state.counters.steps
        if not is_due(self._looked, steps, config.versions.every_steps):
            self._looked = steps
            return
        try:
            save_version(run, config, self._state.model, steps)
        except OSError as error:
            self._session.tell("warning", f"could not keep a version: {error}")
            return
        self._looked = steps
        self._session.tell("version", f"kept version {steps:,}")
        try:
            prune_versions(run, config.versions.keep)
        except OSError as error:
            self._session.tell("warning", f"could not remove an old version: {error}")
