"""Which checkpoints of a run stand for election, and everybody whom they meet.

Only actors and their contracts are opened, nothing that the run trained on. Tested by
`tests/trainer/evaluation/test_candidates.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trainer.checkpoint_folder import checkpoint_path, damage, list_checkpoints
from trainer.checkpoint_marks import read_mark
from trainer.evaluation.contestants import (
    Contestant,
    EvaluationError,
    load_contestant,
    word_from,
)
from trainer.evaluation.parallel import Ticket
from trainer.evaluation.protocol import CandidatesConfig, SelectionProtocol
from trainer.run_dir import RunDir

Role = Literal["candidate", "anchor", "incumbent"]


@dataclass(frozen=True)
class Entrant:
    """A contestant and why it plays."""

    contestant: Contestant
    role: Role
    steps: int
    """Agent steps of training behind it; 0 for random."""
    word: str
    """By which `load_contestant` finds it."""


def find_candidates(run: RunDir, config: CandidatesConfig) -> list[Path]:
    """The checkpoints that `config` names, fewest steps first.

    Raises:
        EvaluationError: When one that is named by its steps is not there, or there is none at all.
    """
    there = list_checkpoints(run)
    whole = [path for path in there if damage(path) is None]
    found = set(whole[: config.newest])
    if config.pinned:
        found |= {path for path in whole if read_mark(path).pinned}
    for steps in config.steps:
        path = checkpoint_path(run, steps)
        if path not in there:
            known = ", ".join(str(int(each.name)) for each in there) or "none"
            raise EvaluationError(
                f"candidates.steps: {run.path} has no checkpoint of {steps} steps; there are: "
                f"{known}"
            )
        found.add(path)
    if not found:
        raise EvaluationError(
            f"{run.path} holds no whole checkpoint that could play: train it first"
        )
    return sorted(found)


def enter(run: RunDir, protocol: SelectionProtocol, folder: Path) -> list[Entrant]:
    """All that play: candidates by their steps, then anchors, then the incumbent.

    Args:
        run: Whose checkpoints are the candidates.
        protocol: Which.
        folder: Where paths in the protocol begin.

    Raises:
        EvaluationError, CheckpointError: When one of them cannot play.
    """
    sampled = protocol.games.sampled
    entrants = [
        load_entrant(str(path), f"{int(path.name):,}", "candidate", sampled=sampled)
        for path in find_candidates(run, protocol.candidates)
    ]
    others: list[tuple[str, Role]] = [(word, "anchor") for word in protocol.opponents.anchors]
    if protocol.gate.incumbent:
        others.append((protocol.gate.incumbent, "incumbent"))
    for word, role in others:
        entrants.append(load_entrant(word_from(folder, word), word, role, sampled=sampled))
    names = [entrant.contestant.name for entrant in entrants]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise EvaluationError(f"{twice[0]} would play twice: name every opponent once")
    return entrants


def tickets_of(entrants: Sequence[Entrant]) -> tuple[Ticket, ...]:
    """By what another process finds them."""
    players = ((entrant.word, entrant.contestant) for entrant in entrants)
    return tuple(Ticket(word, player.name, player.sha256) for word, player in players)


def load_entrant(word: str, name: str, role: Role, *, sampled: bool) -> Entrant:
    """Who is meant by `word`.

    Raises:
        EvaluationError, CheckpointError: As `load_contestant`.
    """
    contestant = load_contestant(word, name, sampled=sampled)
    steps = contestant.contract.steps if contestant.contract else 0
    return Entrant(contestant, role, steps, word)
