"""What a match was like: for a program (JSON), as a page (Markdown), and in a few lines.

`docs/match.md` defines every word. Knows no game and no bots. Tested by
`tests/export/test_match_report.py`.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from export.client import Answers
from export.hindsight import Hindsight, SeenTerm
from export.parity import Agreements
from export.tally import Result
from export.terms import Terms
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.reconstruction import RECONSTRUCTION
from trainer.files import write_atomic

TICK_MS: Final = 1000 / TICKS_PER_SECOND
SIDES: Final = ("blue", "orange")
LATENCIES: Final = {"p50": 50, "p95": 95, "p99": 99, "max": 100}
"""Percentiles."""


@dataclass(frozen=True)
class MatchReport:
    """All of it."""

    names: tuple[str, str]
    """Of the blue and the orange bot."""
    checkpoints: tuple[str, str]
    """Hash of the checkpoint that each plays; empty of another bot."""
    terms: Terms
    result: Result
    bots: tuple[Answers, ...]
    """Of each process."""
    hindsight: Hindsight
    """What bundles' bots saw and did, against the simulator."""
    wall_s: float
    """From the first packet to the last."""
    stalls: int
    """Packets that the host itself sent late, in real time."""

    @property
    def score(self) -> tuple[int, int]:
        """Goals of blue and orange."""
        return self.result.blue.goals, self.result.orange.goals

    @property
    def packets(self) -> int:
        """Of kickoffs and play, to all bots."""
        return sum(bot.packets for bot in self.bots)

    @property
    def missed_frames(self) -> int:
        """Packets never answered, of all bots."""
        return sum(bot.missed_frames for bot in self.bots)

    @property
    def deadline_misses(self) -> int:
        """Packets not answered in time, of all bots."""
        return sum(bot.deadline_misses for bot in self.bots)

    @property
    def slow_answers(self) -> int:
        """Answers that took longer than a tick, of all bots."""
        return sum(bot.slow_answers for bot in self.bots)

    @property
    def reply_s(self) -> tuple[float, ...]:
        """Seconds to each answer, of all bots."""
        return tuple(reply for bot in self.bots for reply in bot.reply_s)


def report_lines(report: MatchReport) -> Iterator[str]:
    """For a person at a terminal, a line a finding."""
    blue, orange = report.names
    yield f"score         {blue} {report.score[0]} : {report.score[1]} {orange}"
    latency = latencies_ms(report.reply_s)
    words = ", ".join(f"{name} {value:.2f} ms" for name, value in latency.items())
    yield f"answers       {len(report.reply_s):,} of {report.packets:,} packets; {words}"
    missed = f"{report.missed_frames:,} frames missed, {report.deadline_misses:,} deadlines"
    share = report.deadline_misses / max(report.packets, 1)
    stalls = f"; the host was late {report.stalls:,} times" if report.stalls else ""
    slow = f"{report.slow_answers:,} answers slower than a tick"
    yield f"misses        {missed} ({share:.3%} of packets), {slow}{stalls}"
    decided = f"{report.hindsight.decisions:,}, {report.hindsight.late_actions:,} acted late"
    yield f"decisions     {decided}; the match took {report.wall_s:.1f} s"
    if report.hindsight.agreements:
        yield f"observation   {_agreement_words(report.hindsight.agreements)}"


def latencies_ms(reply_s: tuple[float, ...]) -> dict[str, float]:
    """Percentiles by name; none without an answer."""
    if not reply_s:
        return {}
    found = np.percentile(reply_s, list(LATENCIES.values())) * 1e3
    return dict(zip(LATENCIES, found.tolist(), strict=True))


def report_record(report: MatchReport) -> dict[str, Any]:
    """All of it, as JSON takes it."""
    result = report.result
    return {
        "names": {"blue": report.names[0], "orange": report.names[1]},
        "checkpoints": {"blue": report.checkpoints[0], "orange": report.checkpoints[1]},
        "terms": asdict(report.terms),
        "result": asdict(result)
        | {
            "per_minute": {
                "blue": result.rates(result.blue),
                "orange": result.rates(result.orange),
            }
        },
        "decisions": report.hindsight.decisions,
        "late_actions": report.hindsight.late_actions,
        "packets": report.packets,
        "missed_frames": report.missed_frames,
        "deadline_misses": report.deadline_misses,
        "slow_answers": report.slow_answers,
        "reply_ms": latencies_ms(report.reply_s),
        "tick_ms": TICK_MS,
        "bots": [_bot_record(bot) for bot in report.bots],
        "observation": [_term_record(term) for term in report.hindsight.seen],
        "wall_s": report.wall_s,
        "stalls": report.stalls,
    }


def report_page(report: MatchReport) -> str:
    """The page, in Markdown."""
    terms, result, hindsight = report.terms, report.result, report.hindsight
    pace = "in real time" if terms.realtime else "in lockstep"
    lines = [
        f"# {report.names[0]} {report.score[0]} : {report.score[1]} {report.names[1]}",
        "",
        f"{result.mode}, {result.minutes:.2f} minutes of play {pace}, {terms.fps} packets a "
        f"second, input delay {terms.input_delay}; took {report.wall_s:.1f} s.",
        "",
        *("## What they did", "", *_table(*_result_rows(report)), ""),
        *("## How fast they answered", "", *_table(*_bot_rows(report)), ""),
        f"A tick is {TICK_MS:.2f} ms. Of {hindsight.decisions:,} decisions "
        f"{hindsight.late_actions:,} acted later than in training. The host itself sent "
        f"{report.stalls:,} packets late.",
        "",
    ]
    if report.hindsight.seen:
        heads, rows = _term_rows(report)
        lines += ["## What they saw, against the simulator", "", *_table(heads, rows), ""]
    return "\n".join(lines)


def write_report(folder: Path, report: MatchReport) -> None:
    """Write report.json and report.md into `folder`, which is made if need be.

    Raises:
        OSError: When the disk refuses.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = json.dumps(report_record(report), indent=2, ensure_ascii=False, allow_nan=False)
    write_atomic(folder / "report.json", f"{record}\n".encode())
    write_atomic(folder / "report.md", report_page(report).encode())


def _agreement_words(agreements: Agreements) -> str:
    inexact = [
        f"{field} differs in {found.share:.2%} of decisions ({RECONSTRUCTION[field].share:.2%} "
        f"admitted), by {found.largest:.3g} at most"
        for field, found in agreements.items()
        if found.wrong
    ]
    return "; ".join(inexact) or "equal to the simulator in every term"


def _bot_record(bot: Answers) -> dict[str, Any]:
    record = asdict(bot)
    del record["reply_s"]
    return record | {
        "answers": len(bot.reply_s),
        "slow_answers": bot.slow_answers,
        "reply_ms": latencies_ms(bot.reply_s),
    }


def _term_record(seen: SeenTerm) -> dict[str, Any]:
    admitted = RECONSTRUCTION[seen.field]
    return {
        "side": SIDES[seen.team],
        "term": seen.term,
        "field": seen.field,
        "compared": seen.found.compared,
        "different": seen.found.wrong,
        "largest": seen.found.largest if math.isfinite(seen.found.largest) else None,
        "worst": seen.found.worst,
        "admitted_share": admitted.share,
        "admitted_largest": admitted.error,
        "how": admitted.how,
    }


def _result_rows(report: MatchReport) -> tuple[list[str], list[list[str]]]:
    result = report.result
    heads = ["", "goals", "touches", "demos", "pickups", "goals/min", "touches/min of a car"]
    rows = []
    sides = (result.blue, result.orange)
    for colour, name, side in zip(SIDES, report.names, sides, strict=True):
        rates = result.rates(side)
        counts = [str(n) for n in (side.goals, side.touches, side.demos, side.pickups)]
        rows.append(
            [f"{colour}, {name}", *counts, f"{rates['goals']:.2f}", f"{rates['touches']:.2f}"]
        )
    return heads, rows


def _bot_rows(report: MatchReport) -> tuple[list[str], list[list[str]]]:
    heads = [
        "bot",
        "packets",
        "frames missed",
        "deadlines missed",
        "slow",
        *(f"{n} ms" for n in LATENCIES),
    ]
    rows = [
        [
            ", ".join(bot.names),
            f"{bot.packets:,}",
            f"{bot.missed_frames:,}",
            f"{bot.deadline_misses:,} ({bot.deadline_misses / max(bot.packets, 1):.3%})",
            f"{bot.slow_answers:,}",
            *(f"{value:.2f}" for value in latencies_ms(bot.reply_s).values()),
        ]
        for bot in report.bots
    ]
    return heads, rows


def _term_rows(report: MatchReport) -> tuple[list[str], list[list[str]]]:
    heads = [
        "side",
        "term",
        "compared",
        "different",
        "admitted",
        "largest",
        "how the game shows it",
    ]
    rows = [
        [
            SIDES[seen.team],
            seen.term,
            f"{seen.found.compared:,}",
            f"{seen.found.share:.3%}",
            f"{RECONSTRUCTION[seen.field].share:.1%}",
            f"{seen.found.largest:.2g}",
            RECONSTRUCTION[seen.field].how,
        ]
        for seen in report.hindsight.seen
    ]
    return heads, rows


def _table(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    for cells in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
