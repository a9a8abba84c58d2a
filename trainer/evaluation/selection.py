"""Chooses the best checkpoint of a run by a frozen protocol; `rlppo select`.

    RUN/selections/HASH/     HASH: the first 16 digits of the binding's SHA-256
      protocol.toml          the terms
      starts.jsonl           the start states
      games.jsonl            one line a game, append only: an interrupted selection goes on
      report.json report.md  written when all games are played

Nothing is trained, and nothing that the run trained on is opened. Tested by
`tests/trainer/evaluation/test_selection.py`.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from trainer.config_file import load_config
from trainer.episodes import decisions
from trainer.evaluation.binding import bind
from trainer.evaluation.candidates import Entrant, enter, tickets_of
from trainer.evaluation.contestants import Contestant, senses_of
from trainer.evaluation.engine import Table, shared_ticks
from trainer.evaluation.frozen_starts import make_starts, starts_text
from trainer.evaluation.game_log import GameLog
from trainer.evaluation.parallel import load_again, play_batches
from trainer.evaluation.protocol import SelectionProtocol, protocol_text
from trainer.evaluation.report import Report, make_report, report_json, report_page
from trainer.evaluation.schedule import Batch, make_batches, pairings
from trainer.files import write_atomic
from trainer.meshes import find_meshes
from trainer.resets import Starts
from trainer.run_dir import RunDir

Say = Callable[[str], None]


def select(
    run: RunDir, protocol: SelectionProtocol, folder: Path, say: Say, workers: int = 1
) -> Report:
    """Play all games that are not played yet, and write the report.

    Args:
        run: The run folder.
        protocol: The terms.
        folder: Where paths in the protocol begin.
        say: Is told how far it is.
        workers: Processes that play.

    Raises:
        EvaluationError, CheckpointError: When somebody cannot play.
        ConfigError, StartFileError, MeshError: When something else that is needed is unusable.
        OSError: When the disk refuses.
    """
    entrants = enter(run, protocol, folder)
    contestants = [entrant.contestant for entrant in entrants]
    modes = protocol.games.modes or _modes_of(entrants)
    skip, _ = shared_ticks(contestants)
    _require_fit(contestants, modes)
    meshes = find_meshes(load_config(run.config).sim.meshes)
    starts = make_starts(protocol.starts, folder, modes)
    text = starts_text(starts)
    binding = bind(protocol, modes, text, meshes, entrants)
    place = run.selections / binding.sha256[:16]
    place.mkdir(parents=True, exist_ok=True)
    write_atomic(place / "protocol.toml", protocol_text(protocol).encode())
    write_atomic(place / "starts.jsonl", text.encode())

    no_touch = decisions(protocol.games.no_touch_s, skip)
    tables = {mode: Table(mode, starts[mode], no_touch, meshes) for mode in modes}
    batches = _batches(protocol, entrants, starts, skip)
    say(f"selection {place}: {sum(len(batch.games) for batch in batches):,} games")
    log = GameLog(place / "games.jsonl")
    left = [batch for batch in batches if not log.holds(batch)]
    assemble = partial(load_again, tickets_of(entrants), sampled=protocol.games.sampled)
    playing = play_batches(left, tables, contestants, assemble, workers)
    before = len(batches) - len(left)
    for done, (batch, results) in enumerate(playing, start=before + 1):
        log.add(batch.first, results)
        say(f"batch {done:,} of {len(batches):,}: {len(log.results):,} games")
    report = make_report(protocol, binding, log.played(batches), skip)
    write_atomic(place / "report.json", report_json(report).encode())
    write_atomic(place / "report.md", report_page(report).encode())
    return report


def _batches(
    protocol: SelectionProtocol, entrants: Sequence[Entrant], starts: dict[str, Starts], skip: int
) -> list[Batch]:
    candidates = sum(entrant.role == "candidate" for entrant in entrants)
    others = len(entrants) - candidates
    pairs = pairings(candidates, others, each_other=protocol.opponents.each_other)
    numbers = {mode: len(found.ball_position) for mode, found in starts.items()}
    length = decisions(protocol.games.seconds, skip)
    return make_batches(pairs, numbers, length, protocol.starts.seed)


def _modes_of(entrants: Sequence[Entrant]) -> tuple[str, ...]:
    """The modes of the newest candidate."""
    newest = [entrant for entrant in entrants if entrant.role == "candidate"][-1]
    assert newest.contestant.contract is not None
    return newest.contestant.contract.modes


def _require_fit(contestants: Sequence[Contestant], modes: Sequence[str]) -> None:
    """Refuse before the first game what the last one would."""
    for contestant in contestants:
        for mode in modes:
            senses_of(contestant, mode)
