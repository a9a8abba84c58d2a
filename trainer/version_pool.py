"""The old versions that today's policy may meet; in memory are those that play or just played.

One that is damaged, or of other networks or senses than the run's, is told of once and never
played; nothing stands in for it. Knows no line-up. Tested by `tests/trainer/test_version_pool.py`.
"""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rlbot_agent.contract import Contract
from trainer.networks import parameter_vector
from trainer.ratings.table import Ratings, read_ratings
from trainer.run_dir import RunDir
from trainer.version_folder import list_versions, version_path
from trainer.versions import VersionError, load_version

Floats = npt.NDArray[np.float32]

FITTING = (
    *("obs_name", "obs_hash", "obs_width", "max_team_size"),
    *("num_actions", "action_hash", "actor_layers", "norm", "activation"),
)
"""What an actor must share with the run's to be decided beside it, by name in its contract."""


class VersionPool:
    """The newest versions of a run, and those that play as flat parameter vectors."""

    def __init__(self, run: RunDir, here: Contract) -> None:
        """Read nothing yet; `here` is what the run's own actor expects of its body."""
        self._run, self._here = run, here
        self._vectors: dict[int, Floats] = {}
        self._sound: set[int] = set()
        """Versions that were read without a fault."""
        self._refused: set[int] = set()
        self.warnings: list[str] = []
        """What a person should know and was not told yet."""

    def refresh(self, before: int, count: int) -> list[int]:
        """Which versions can be played; one that is new is read once, to know.

        Args:
            before: Agent steps of the run: versions of this moment, and of a future that was rolled
                back, are no old ones.
            count: Newest of the others to take.

        Returns:
            Their steps, fewest first.
        """
        past = [steps for steps in list_versions(self._run) if steps < before]
        # One that is gone may come back whole, under the same number.
        self._refused &= set(past)
        self._sound &= set(past)
        found: list[int] = []
        for steps in reversed(past):
            if len(found) == count:
                break
            if steps in self._sound or self._read(steps) is not None:
                self._sound.add(steps)
                found.append(steps)
        return sorted(found)

    def take(self, versions: Collection[int]) -> dict[int, Floats] | None:
        """(P,) all parameters of each, layer by layer; those taken before are forgotten.

        Args:
            versions: Steps of some that `refresh` returned.

        Returns:
            By steps; None when one of them cannot be played any more, which the next `refresh`
            knows.
        """
        found: dict[int, Floats] = {}
        for steps in versions:
            vector = self._vectors[steps] if steps in self._vectors else self._read(steps)
            if vector is None:
                self._sound.discard(steps)
                return None
            found[steps] = vector
        self._vectors = found
        return found

    def ratings(self) -> Ratings | None:
        """What the versions are rated by now; None where nobody says."""
        return read_ratings(self._run.ratings)

    def _read(self, steps: int) -> Floats | None:
        """A version's parameters; None where it cannot be played, of which is told the first time.

        One that was pruned while it was read is no loss, and nothing is said.
        """
        if steps in self._refused:
            return None
        folder = version_path(self._run, steps)
        try:
            return self._fitting(folder)
        except VersionError as error:
            if folder.exists():
                self._refused.add(steps)
                self.warnings.append(f"{error}; nobody plays against it")
            return None

    def _fitting(self, folder: Path) -> Floats:
        actor, there = load_version(folder)
        pairs = [(name, getattr(there, name), getattr(self._here, name)) for name in FITTING]
        wrong = [f"{name} is {old} there and {new} here" for name, old, new in pairs if old != new]
        if wrong:
            raise VersionError(f"version {folder} does not fit this run: {', '.join(wrong)}")
        vector: Floats = parameter_vector(actor).numpy()
        if not np.isfinite(vector).all():
            raise VersionError(f"version {folder}: a number of its network is not finite")
        return vector
