"""Plays batches of games in several processes: each takes the next batch that nobody plays yet.

Batches are independent, and a game is the same beside whichever others it is played, so that the
results are those of one process; only the order in which batches are done differs. A process loads
the contestants itself, by their words, and refuses one that is no longer what it was. When whoever
asked is gone, it ends with the batch that it plays. Knows no protocol and no ranking. Tested by
`tests/trainer/evaluation/test_parallel.py`.
"""

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import NamedTuple

from trainer.evaluation.contestants import Contestant, EvaluationError, load_contestant
from trainer.evaluation.engine import Result, Table, play
from trainer.evaluation.schedule import Batch

Assemble = Callable[[], Sequence[Contestant]]
"""Makes the contestants again in another process, which it can be sent to."""


class Ticket(NamedTuple):
    """By what a contestant is found again."""

    word: str
    """As `load_contestant` takes it."""
    name: str
    sha256: str
    """Of its weights when it was first loaded."""


class _Hand(NamedTuple):
    """A process and the pipe to it."""

    process: SpawnProcess
    pipe: Connection


def load_again(tickets: Sequence[Ticket], *, sampled: bool) -> list[Contestant]:
    """The contestants of `tickets`, as they were.

    Raises:
        EvaluationError, CheckpointError: When one cannot be loaded, or is another by now.
    """
    found = [load_contestant(ticket.word, ticket.name, sampled=sampled) for ticket in tickets]
    for contestant, ticket in zip(found, tickets, strict=True):
        if contestant.sha256 != ticket.sha256:
            raise EvaluationError(f"{ticket.word} changed while its games were prepared")
    return found


def play_batches(
    batches: Sequence[Batch],
    tables: Mapping[str, Table],
    contestants: Sequence[Contestant],
    assemble: Assemble,
    workers: int,
) -> Iterator[tuple[Batch, list[Result]]]:
    """Play `batches`, and give each with its results when it is done.

    Args:
        batches: In the order in which they are begun.
        tables: What the games of each mode are played on.
        contestants: Who plays, by number.
        assemble: Makes the same ones in another process.
        workers: Processes, if there are as many batches. One is this process itself.

    Raises:
        EvaluationError, CheckpointError: When a contestant cannot play, or a process died.
    """
    hands = min(workers, len(batches))
    if hands > 1:
        with _processes(hands, assemble, tables) as started:
            yield from _deal(batches, started)
        return
    for batch in batches:
        yield batch, play(batch.games, tables[batch.mode], contestants)


@contextmanager
def _processes(
    number: int, assemble: Assemble, tables: Mapping[str, Table]
) -> Iterator[list[_Hand]]:
    """So many that play; they are ended in the middle of their games when this is left."""
    context = get_context("spawn")
    hands: list[_Hand] = []
    try:
        for _ in range(number):
            ours, theirs = context.Pipe()
            process = context.Process(target=work, args=(assemble, tables, theirs), daemon=True)
            process.start()
            theirs.close()
            hands.append(_Hand(process, ours))
        yield hands
    finally:
        for hand in hands:
            hand.process.terminate()
            hand.process.join()
            hand.pipe.close()


def _deal(batches: Sequence[Batch], hands: Sequence[_Hand]) -> Iterator[tuple[Batch, list[Result]]]:
    """Give everybody a batch, and another one for each that comes back."""
    left = iter(batches)
    playing: dict[Connection, tuple[_Hand, Batch]] = {}

    def give_next(hand: _Hand) -> None:
        batch = next(left, None)
        if batch is not None:
            playing[hand.pipe] = hand, batch
            # That it died is told of where its answer is missing.
            with suppress(ConnectionError):
                hand.pipe.send(batch)

    for hand in hands:
        give_next(hand)
    while playing:
        for pipe in wait(list(playing)):
            assert isinstance(pipe, Connection)
            hand, batch = playing.pop(pipe)
            results = _answer(hand)
            give_next(hand)
            yield batch, results


def _answer(hand: _Hand) -> list[Result]:
    try:
        answer: list[Result] | Exception = hand.pipe.recv()
    except (EOFError, ConnectionError):
        hand.process.join()
        raise EvaluationError(
            f"a process that played games died with exit code {hand.process.exitcode}"
        ) from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def work(assemble: Assemble, tables: Mapping[str, Table], orders: Connection) -> None:
    """Play what is ordered until the orders end; the life of a process.

    Whatever fails is the answer, and the last one.
    """
    # It reaches all processes of a terminal; whoever asked decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        contestants = assemble()
        while True:
            batch: Batch = orders.recv()
            orders.send(play(batch.games, tables[batch.mode], contestants))
    except (EOFError, ConnectionError):
        return
    except Exception as error:
        orders.send(error)
