"""Which files of a folder are another trainer's actor and its shared head.

Names are compared without case. Nothing is chosen where there is a choice: one actor, or a sentence
that asks for it. Knows nothing of weights. Tested by `tests/trainer/test_teachers.py`.
"""

import json
from pathlib import Path
from typing import Final, NamedTuple

from trainer.foreign_weights import WeightsError

_ACTORS: Final = ("ppo_policy.pt", "actor.safetensors", "policy.safetensors")
_SHARED: Final = ("shared_head.safetensors", "shared.safetensors")
_OURS: Final = ("contract.json", "manifest.json")
_OF_OTHERS: Final = {
    ".lt": "holds TorchScript, as RLGymPPO_CPP and GigaLearn save it",
    ".gz": "holds Burn's records, as rlgymppo_rs saves them",
    ".bpk": "holds Burn's records, as rlgymppo_rs saves them",
}
"""By the ending of a file that is not read."""
_BOOK, _STANDARDISED = "BOOK_KEEPING_VARS.json", "obs_running_stats"
"""Where rlgym-ppo says that a policy saw standardised numbers; both names are in its learner.py."""


class Files(NamedTuple):
    """Where a network lies."""

    actor: Path
    """Its last layers, or all of them."""
    shared: Path | None
    """The layers before, where they lie apart."""

    @property
    def all(self) -> tuple[Path, ...]:
        """Those that there are."""
        return (self.actor,) if self.shared is None else (self.actor, self.shared)


def find_files(path: Path) -> Files:
    """The files of the teacher that `path` is, or that lies in it.

    Raises:
        WeightsError: When there is none or more than one, when more belongs to a file, or when what
            lies beside it says that it saw other numbers than any observation here shows.
    """
    files = _files(path)
    _require_plain_numbers(files.actor)
    return files


def _files(path: Path) -> Files:
    if not path.is_dir():
        _require_alone(path)
        return Files(path, None)
    actors, heads = _named(path, _ACTORS), _named(path, _SHARED)
    if len(actors) > 1 or len(heads) > 1:
        names = ", ".join(file.name for file in (*actors, *heads))
        raise WeightsError(f"{path} holds several teachers ({names}): leave one in it")
    if not actors:
        raise WeightsError(f"{path} {_without_actor(path)}")
    return Files(actors[0], heads[0] if heads else None)


def _named(folder: Path, names: tuple[str, ...]) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.name.lower() in names)


def _require_alone(file: Path) -> None:
    """Refuse a file that is a part of something: the rest would be left out unseen."""
    if not file.exists():
        raise WeightsError(f"there is no {file}")
    if any((file.parent / name).exists() for name in _OURS):
        raise WeightsError(
            f"{file} is a part of {file.parent}: give the folder, which says what it sees"
        )
    if heads := _named(file.parent, _SHARED):
        raise WeightsError(
            f"{heads[0].name} lies beside {file}: give the folder, so that both are read"
        )


def _require_plain_numbers(actor: Path) -> None:
    """Refuse rlgym-ppo's own policy where its learner standardised what it saw."""
    if actor.name.lower() != "ppo_policy.pt":
        return
    try:
        book = json.loads((actor.parent / _BOOK).read_bytes())
    except (OSError, ValueError, RecursionError):
        return  # Then nothing is said about it.
    if isinstance(book, dict) and book.get(_STANDARDISED):
        raise WeightsError(
            f"{actor} saw standardised numbers, as {_BOOK} beside it says: take their mean and "
            "deviation into its first layer, as docs/distillation.md shows"
        )


def _without_actor(folder: Path) -> str:
    for ending, kind in _OF_OTHERS.items():
        if any(file.suffix == ending for file in folder.iterdir()):
            return f"{kind}: save the weights as safetensors, as docs/distillation.md shows"
    return (
        "is no teacher: neither a run with a checkpoint, a checkpoint, a version or a bundle, nor "
        "a folder with PPO_POLICY.pt, actor.safetensors or POLICY.safetensors"
    )
