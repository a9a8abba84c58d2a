"""Games that were played, one JSON line each, so that an interrupted list goes on where it was.

Tested by `tests/trainer/evaluation/test_game_log.py`.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from trainer import jsonl
from trainer.evaluation.engine import Result
from trainer.evaluation.schedule import Batch
from trainer.evaluation.standings import Played
from trainer.evaluation.tally import Side


class GameLog:
    """The results in a file, by the number of the game; the first of a game counts."""

    def __init__(self, path: Path) -> None:
        """Read what is there."""
        self._path = path
        self.results: dict[int, Result] = {}
        """All that is known."""
        for record in jsonl.read_all(path):
            with suppress(KeyError, TypeError):  # what is no game is played again
                self.results.setdefault(record["game"], _result(record))

    def add(self, first: int, results: Sequence[Result]) -> None:
        """Write the results of games numbered from `first` on, but for those that are known."""
        for number, result in enumerate(results, start=first):
            if number not in self.results:
                jsonl.append(self._path, {"game": number, **asdict(result)})
                self.results[number] = result

    def holds(self, batch: Batch) -> bool:
        """Whether all games of `batch` are known."""
        numbers = range(batch.first, batch.first + len(batch.games))
        return all(number in self.results for number in numbers)

    def played(self, batches: Sequence[Batch]) -> list[Played]:
        """All games of `batches`, which must be known."""
        return [
            Played(batch.mode, game, self.results[number])
            for batch in batches
            for number, game in enumerate(batch.games, start=batch.first)
        ]

    def remove(self) -> None:
        """Remove the file; what it said is still known here."""
        self._path.unlink(missing_ok=True)


def _result(record: dict[str, Any]) -> Result:
    blue, orange = Side(**record["blue"]), Side(**record["orange"])
    return Result(blue, orange, record["decisions"], record["ends"])
