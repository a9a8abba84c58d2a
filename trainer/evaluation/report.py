"""The report of a selection: one record, as JSON for programs and as a page for people.

It holds no times and nothing of the machine, so that equal selections have equal reports. Tested by
`tests/trainer/evaluation/test_report.py`.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trainer.evaluation.binding import Binding
from trainer.evaluation.gate import Finding, judge
from trainer.evaluation.protocol import SelectionProtocol
from trainer.evaluation.standings import Habits, Played, Record, habits_of, ranked, record_of
from trainer.evaluation.tables import RECORD_HEADS, habit_rows, record_cells, reward_rows, table

METHOD = (
    "A win is 1 point, a draw 0.5. The interval of points is Wilson's, with a draw as half a win; "
    "that of the goal difference is a normal one over the start states, both games of a start "
    "being one value. Both are of 95 %."
)


@dataclass(frozen=True)
class Report:
    """What a selection came to."""

    binding: Binding
    protocol: dict[str, Any]
    ranking: tuple[str, ...]
    """Candidates by name, best first."""
    records: dict[str, Record]
    """Of each candidate over all its games."""
    pairings: dict[str, dict[str, Record]]
    """Of each candidate against each opponent."""
    habits: dict[str, Habits]
    """Of everybody over all games."""
    gate: tuple[Finding, ...]

    @property
    def winner(self) -> str:
        """The best candidate."""
        return self.ranking[0]

    @property
    def passed(self) -> bool:
        """Whether the winner may be shipped."""
        return all(finding.passed for finding in self.gate)


def make_report(
    protocol: SelectionProtocol, binding: Binding, played: Sequence[Played], tick_skip: int
) -> Report:
    """The report of all games of a selection."""
    players = binding.players
    names = [player.name for player in players]
    candidates = [n for n, player in enumerate(players) if player.role == "candidate"]
    met = {each.game.blue: set[int]() for each in played}
    for each in played:
        met[each.game.blue].add(each.game.orange)
    totals = {number: record_of(played, number) for number in candidates}
    steps = {number: players[number].steps for number in candidates}
    order = ranked(totals, steps, protocol.ranking.order)
    pairings = {
        names[a]: {names[b]: record_of(played, a, b) for b in sorted(met[a])} for a in candidates
    }
    best = pairings[names[order[0]]]
    incumbents = [player.name for player in players if player.role == "incumbent"]
    incumbent = best[incumbents[0]] if incumbents else None
    return Report(
        binding=binding,
        protocol=protocol.model_dump(mode="json"),
        ranking=tuple(names[number] for number in order),
        records={names[number]: totals[number] for number in order},
        pairings={names[number]: pairings[names[number]] for number in order},
        habits={names[n]: habits_of(played, n, tick_skip) for n in sorted(met)},
        gate=tuple(judge(protocol.gate, best["random"], incumbent)),
    )


def report_json(report: Report) -> str:
    """All of it; a bound that nothing is known of is null."""
    record = asdict(report) | {
        "winner": report.winner,
        "passed": report.passed,
        "binding_sha256": report.binding.sha256,
    }
    return json.dumps(finite(record), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def summary(report: Report) -> list[str]:
    """The ranking and the verdict."""
    heads = ["candidate", *RECORD_HEADS]
    rows = [[name, *record_cells(record)] for name, record in report.records.items()]
    verdict = "passes the gate" if report.passed else "does not pass the gate"
    return [
        *table(heads, rows),
        "",
        f"{report.winner} is the best, and {verdict}:",
        "",
        *(f"- {'yes' if finding.passed else 'no'}: {finding.words}" for finding in report.gate),
    ]


def report_page(report: Report) -> str:
    """The page, in Markdown."""
    binding = report.binding
    players = [
        [player.name, player.role, f"{player.steps:,}", player.weights_sha256[:16] or "-"]
        for player in binding.players
    ]
    lines = [
        f"# Selection {binding.sha256[:16]}",
        "",
        *summary(report),
        "",
        METHOD,
        "",
        "## Against each opponent",
        "",
    ]
    for name, against in report.pairings.items():
        rows = [[opponent, *record_cells(record)] for opponent, record in against.items()]
        lines += [f"### {name}", "", *table(["opponent", *RECORD_HEADS], rows), ""]
    lines += [
        *("## What they do", "", *table(["", *report.habits], habit_rows(report.habits)), ""),
        *("Rewards, unweighted, a decision of a car:", ""),
        *(*table(["reward", *report.habits], reward_rows(report.habits)), ""),
        *("## Bound to", ""),
        *(*table(["player", "role", "steps", "weights"], players), ""),
        f"- protocol {binding.protocol_sha256}",
        f"- start states {binding.starts_sha256}",
        f"- arena {binding.meshes_sha256}",
        *(f"- {name} {number}" for name, number in binding.versions.items()),
    ]
    return "\n".join(lines) + "\n"


def finite(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """The same with None for numbers that JSON has no word for."""
    match value:
        case dict():
            return {key: finite(inner) for key, inner in value.items()}
        case list() | tuple():
            return [finite(inner) for inner in value]
        case float() if value - value != 0:
            return None
    return value
