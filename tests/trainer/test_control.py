import math
from pathlib import Path

from trainer import jsonl
from trainer.control import (
    CommandReader,
    Edit,
    Save,
    event_from_record,
    send,
    send_edit,
    send_save,
    tell,
)
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
    assert event.answers == ""
    assert event_from_record(record | {"kind": "party"}) is None
    for beyond in ({"time": 1e18}, {"time": math.nan}, {"time": -1}, {"steps": math.inf}):
        assert event_from_record(record | beyond) is None


def test_an_event_names_the_edit_that_it_answers(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    edit = send_edit(run, {"ppo.epochs": 3})
    tell(run, "edit", "set ppo.epochs 2 -> 3", 1000, edit)
    (event,) = map(event_from_record, jsonl.read_all(run.events))
    assert event is not None
    assert event.answers == edit


def test_an_edit_arrives_among_the_other_commands_with_its_values_and_an_id(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    reader = CommandReader(run)
    send(run, "save")
    first, second = send_edit(run, {"ppo.epochs": 3}), send_edit(run, {})
    assert first != second
    assert reader.read() == ["save", Edit({"ppo.epochs": 3}, first), Edit({}, second)]


def test_an_edit_that_a_person_typed_needs_no_id_and_one_without_values_has_none(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path)
    reader = CommandReader(run)
    jsonl.append(run.commands, {"command": "set", "values": {"ppo.epochs": 3}})
    jsonl.append(run.commands, {"command": "set", "values": ["ppo.epochs", 3]})
    assert reader.read() == [Edit({"ppo.epochs": 3}, ""), Edit({}, "")]


def test_an_answer_bears_the_id_of_what_it_answers(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    tell(run, "edit", "set ppo.epochs 2 -> 3", 1000, answers="7a")
    (record,) = jsonl.read_all(run.events)
    assert record["answers"] == "7a"
    event = event_from_record(record)
    assert event is not None
    assert event.kind == "edit"


def test_a_save_arrives_with_its_name_its_pin_and_an_id(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    reader = CommandReader(run)
    first, second = send_save(run, " before shaping ", pin=True), send_save(run)
    assert first != second
    assert reader.read() == [Save("before shaping", True, first), Save(id=second)]


def test_a_save_that_a_person_typed_may_say_anything(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    reader = CommandReader(run)
    jsonl.append(run.commands, {"command": "save", "name": None, "pin": "yes"})
    jsonl.append(run.commands, {"command": "save", "name": 7})
    assert reader.read() == [Save(), Save("7")]


def test_an_event_with_a_number_beyond_all_bounds_is_none() -> None:
    record = {"time": 1.0, "kind": "save", "text": "saved", "steps": 1}
    assert event_from_record(record) is not None
    assert event_from_record(record | {"steps": float("inf")}) is None
    assert event_from_record(record | {"time": 10**400}) is None
