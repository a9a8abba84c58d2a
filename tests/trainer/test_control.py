from pathlib import Path

from trainer import jsonl
from trainer.control import CommandReader, event_from_record, send, tell
from trainer.run_dir import RunDir


def test_commands_arrive_once_and_in_order(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    reader = CommandReader(run)
    send(run, "viewer_on")
    send(run, "save")
    assert reader.read() == ["viewer_on", "save"]
    assert reader.read() == []


def test_what_was_asked_of_an_earlier_trainer_is_not_done_again(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    send(run, "quit")
    assert CommandReader(run).read() == []


def test_an_unknown_command_is_passed_over(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    reader = CommandReader(run)
    jsonl.append(run.commands, {"command": "format the disk"})
    jsonl.append(run.commands, {"command": ["save"]})
    send(run, "save")
    assert reader.read() == ["save"]


def test_an_event_reads_back_as_it_was_told(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    tell(run, "save", "saved 1,000 steps", 1000)
    (record,) = jsonl.read_all(run.events)
    event = event_from_record(record)
    assert event is not None
    assert (event.kind, event.text, event.steps) == ("save", "saved 1,000 steps", 1000)
    assert event_from_record(record | {"kind": "party"}) is None
