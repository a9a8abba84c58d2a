import json
from pathlib import Path

import pytest

from export.client import Answers
from export.hindsight import Hindsight, SeenTerm
from export.match_report import MatchReport, report_lines, write_report
from export.parity import Agreement
from export.tally import Result, SideResult
from export.terms import Terms


def make_report() -> MatchReport:
    seen = Agreement(compared=200, wrong=1, largest=0.5, worst="own.on_ground[0] of car 0 | there")
    return MatchReport(
        names=("Ours", "Theirs"),
        checkpoints=("abc", ""),
        terms=Terms(120, realtime=True),
        result=Result("1v1", 2.0, SideResult(1, 3, 40, 0, 10), SideResult(1, 1, 20, 1, 8)),
        bots=(
            Answers(("Ours",), 1000, 1, 2, (0.001,) * 98 + (0.01,)),
            Answers(("Theirs",), 1000, 0, 0, (0.003,)),
        ),
        hindsight=Hindsight(200, 3, {"on_ground": seen}, (SeenTerm(0, "own", "on_ground", seen),)),
        wall_s=121.5,
        stalls=4,
    )


def test_a_person_is_told_a_line_a_finding() -> None:
    lines = list(report_lines(make_report()))
    assert lines[0] == "score         Ours 3 : 1 Theirs"
    assert lines[1].startswith("answers       100 of 2,000 packets; p50 1.00 ms, p95 1.00 ms, p99 ")
    assert lines[1].endswith("max 10.00 ms")
    assert lines[2] == (
        "misses        1 frames missed, 2 deadlines (0.100% of packets), "
        "1 answers slower than a tick; the host was late 4 times"
    )
    assert lines[3] == "decisions     200, 3 acted late; the match took 121.5 s"
    assert lines[4] == (
        "observation   on_ground differs in 0.50% of decisions (1.00% admitted), by 0.5 at most"
    )


def test_the_report_is_written_for_programs_and_for_people(tmp_path: Path) -> None:
    write_report(tmp_path / "a" / "b", make_report())
    record = json.loads((tmp_path / "a" / "b" / "report.json").read_text(encoding="utf-8"))
    assert record["result"]["blue"] == {
        "cars": 1,
        "goals": 3,
        "touches": 40,
        "demos": 0,
        "pickups": 10,
    }
    assert record["result"]["per_minute"]["orange"] == {
        "goals": 0.5,
        "touches": 10,
        "demos": 0.5,
        "pickups": 4,
    }
    assert record["checkpoints"] == {"blue": "abc", "orange": ""}
    assert record["terms"]["fps"] == "120"
    assert (record["missed_frames"], record["deadline_misses"], record["slow_answers"]) == (1, 2, 1)
    assert record["bots"][0]["reply_ms"]["max"] == pytest.approx(10)
    assert record["observation"][0]["side"] == "blue"
    assert record["observation"][0]["different"] == 1
    page = (tmp_path / "a" / "b" / "report.md").read_text(encoding="utf-8")
    assert page.startswith("# Ours 3 : 1 Theirs\n")
    assert "| blue, Ours | 3 | 40 | 0 | 10 | 1.50 | 20.00 |" in page
    assert "| Ours | 1,000 | 1 | 2 (0.200%) | 1 | 1.00 | 1.00 |" in page
    assert "| blue | own | 200 | 0.500% | 1.0% | 0.5 |" in page
