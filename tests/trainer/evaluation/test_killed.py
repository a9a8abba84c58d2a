import shutil
import subprocess
import sys
from pathlib import Path

from tests.trainer.evaluation.runs import make_run, short_terms
from trainer import jsonl
from trainer.evaluation.protocol import load_protocol, protocol_text
from trainer.evaluation.selection import select
from trainer.run_dir import RunDir

TERMS = short_terms(candidates={"newest": 3}, starts={"kickoffs": 8, "random": 24})
"""6 pairings of 64 games: 6 batches."""


def report_of(run: RunDir) -> bytes:
    (folder,) = run.selections.iterdir()
    return (folder / "report.json").read_bytes()


def test_a_selection_that_was_killed_goes_on_and_ends_in_the_same_report(tmp_path: Path) -> None:
    whole = make_run(tmp_path / "whole", 10, 20, 30)
    killed = RunDir(tmp_path / "killed")
    shutil.copytree(whole.path, killed.path)
    path = tmp_path / "terms.toml"
    path.write_text(protocol_text(TERMS))
    command = [sys.executable, "-m", "trainer", "select", str(killed.path), "--protocol", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = [process.stdout.readline() for _ in range(2)]
        process.kill()
    assert first[1] == b"batch 1 of 6: 64 games\n"
    (log,) = killed.selections.glob("*/games.jsonl")
    assert 64 <= len(jsonl.read_all(log)) < 384
    assert not log.with_name("report.json").exists()

    for run in (killed, whole):
        select(run, load_protocol(path), tmp_path, lambda line: None)
    assert report_of(killed) == report_of(whole)
    assert len(jsonl.read_all(log)) == 384
