"""Who plays a ladder: versions spread over the run's history, its newest checkpoint, and others.

Whoever cannot play is left out, and that is said; one that was asked for by name is refused.
Nothing is trained. Tested by `tests/trainer/ratings/test_ladder_players.py`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from trainer.checkpoint import CheckpointError
from trainer.checkpoint_folder import checkpoint_path, list_checkpoints, newest_valid
from trainer.config_league import RatingsConfig
from trainer.evaluation.candidates import Entrant, Role, load_entrant
from trainer.evaluation.contestants import NEXTO, EvaluationError, senses_of
from trainer.evaluation.engine import shared_ticks
from trainer.ratings.anchor_words import anchor_word
from trainer.run_dir import RunDir
from trainer.version_folder import list_versions, version_path


class Wishes(NamedTuple):
    """Who is asked for."""

    versions: int = 6
    """So many of the run's, at most."""
    steps: tuple[int, ...] = ()
    """These versions or checkpoints instead, and not the newest checkpoint."""
    others: tuple[str, ...] = ()
    """Beside the run's anchors, as `load_contestant` takes them."""


class Invited(NamedTuple):
    """Somebody who plays where it can."""

    entrant: Entrant
    asked: bool
    """Whether somebody named it."""


class _Call(NamedTuple):
    """Somebody who may not come."""

    word: str
    name: str
    role: Role
    """Those of the run are candidates."""
    asked: bool


def spread(steps: Sequence[int], count: int) -> list[int]:
    """`count` of `steps`, evenly by their places: the last one, the first one, then between.

    Args:
        steps: Of every version, fewest first.
        count: At least 1.
    """
    if count >= len(steps):
        return list(steps)
    if count == 1:
        return [steps[-1]]
    # place = i (n - 1) / (count - 1), rounded half up; at least 1 apart, as count < n
    gaps = count - 1
    return [steps[(2 * i * (len(steps) - 1) + gaps) // (2 * gaps)] for i in range(count)]


def invite(
    run: RunDir,
    config: RatingsConfig,
    wishes: Wishes,
    say: Callable[[str], None],
    *,
    sampled: bool,
) -> list[Invited]:
    """Everybody, in an order that does not depend on the order of the wishes.

    Args:
        run: Whose versions.
        config: Whose anchors.
        wishes: Who is asked for.
        say: Is told who is left out.
        sampled: Whether they draw their actions.

    Raises:
        EvaluationError, CheckpointError: When somebody who was asked for cannot play, or there are
            not two.
    """
    found: list[Invited] = []
    # The newest of the run comes first: by its ticks all play.
    for call in (*_own_calls(run, wishes), *_other_calls(run, config, wishes.others)):
        try:
            entrant = load_entrant(call.word, call.name, call.role, sampled=sampled)
            shared_ticks([each.entrant.contestant for each in found] + [entrant.contestant])
        except (EvaluationError, CheckpointError) as error:
            if call.asked:
                raise
            say(f"left out: {error}")
        else:
            found.append(Invited(entrant, call.asked))
    found.sort(key=lambda each: (each.entrant.role, each.entrant.steps, each.entrant.word))
    return _at_least_two(found, f"a ladder of {run.path}")


def able(invited: Sequence[Invited], mode: str, say: Callable[[str], None]) -> list[int]:
    """The numbers of those that can play `mode`.

    Raises:
        EvaluationError: When one that was asked for cannot, or there are not two.
    """
    found: list[int] = []
    for number, each in enumerate(invited):
        try:
            senses_of(each.entrant.contestant, mode)
        except EvaluationError as error:
            if each.asked:
                raise
            say(f"left out of {mode}: {error}")
        else:
            found.append(number)
    _at_least_two([invited[number] for number in found], mode)
    return found


def _own_calls(run: RunDir, wishes: Wishes) -> Iterator[_Call]:
    """Those of the run, newest first."""
    if wishes.steps:
        for steps in sorted(set(wishes.steps), reverse=True):
            yield _named(run, steps)
        return
    versions = list_versions(run)
    if not versions:
        raise EvaluationError(
            f"{run.path} has no versions, which versions.every_steps keeps; --steps takes "
            f"checkpoints too, and there are: {_listed(_checkpoints(run))}"
        )
    newest = newest_valid(run)
    if newest is not None and int(newest.name) > versions[-1]:
        yield _Call(str(newest), f"{int(newest.name):,}", "candidate", asked=False)
    for steps in reversed(spread(versions, wishes.versions)):
        yield _Call(str(version_path(run, steps)), f"{steps:,}", "candidate", asked=False)


def _named(run: RunDir, steps: int) -> _Call:
    """The version after `steps`, or the checkpoint where there is none."""
    for path in (version_path(run, steps), checkpoint_path(run, steps)):
        if path.is_dir():
            return _Call(str(path), f"{steps:,}", "candidate", asked=True)
    there = sorted({*list_versions(run), *_checkpoints(run)})
    raise EvaluationError(
        f"--steps: {run.path} has no version or checkpoint of {steps} steps; there are: "
        f"{_listed(there)}"
    )


def _other_calls(run: RunDir, config: RatingsConfig, asked: Sequence[str]) -> Iterator[_Call]:
    """The anchors and those that were asked for, each once.

    Paths of anchors begin at the run's folder, those of `asked` where the command was started.
    """
    if NEXTO in asked and not config.nexto:
        raise EvaluationError(
            "--with nexto: ratings.nexto does not say where nexto-model.pt is; "
            "--with nexto:PATH does"
        )
    anchors = {anchor_word(run, config, name): name for name in config.anchors}
    wanted = {anchor_word(run, config, NEXTO) if name == NEXTO else name for name in asked}
    for word in (*anchors, *sorted(wanted - anchors.keys())):
        yield _Call(word, anchors.get(word, word), "anchor", asked=word in wanted)


def _at_least_two(found: list[Invited], what: str) -> list[Invited]:
    if len(found) < 2:
        there = " and ".join(each.entrant.contestant.name for each in found) or "nobody"
        raise EvaluationError(f"{what} needs two players, and there is {there}")
    return found


def _checkpoints(run: RunDir) -> list[int]:
    return sorted(int(path.name) for path in list_checkpoints(run))


def _listed(steps: Sequence[int]) -> str:
    return ", ".join(map(str, steps)) or "none"
