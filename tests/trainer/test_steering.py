"""The commands' own work: what they ask, what they wait for, and what they say."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from trainer import asking, control, jsonl, steering
from trainer.asking import RefusedError
from trainer.checkpoint_list import CheckpointInfo
from trainer.checkpoint_marks import Mark
from trainer.control import EventKind, tell
from trainer.run_dir import Phase, RunDir, new_status, write_status
from trainer.steering import pause, resume, save, table


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDir:
    """A run that this process seems to train, and that answers nothing."""
    monkeypatch.setattr(asking, "ANSWER_S", 0.3)
    run = RunDir(tmp_path / "runs" / "laptop")
    run.path.mkdir(parents=True)
    run.config.write_text("")
    turn(run, "learning")
    return run


def turn(run: RunDir, phase: Phase) -> None:
    write_status(run, replace(new_status("cpu"), phase=phase, iteration=1234))


def next_time(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    """Do something when the command has asked and waits."""
    monkeypatch.setattr(asking.time, "sleep", lambda seconds: do())


def asked(run: RunDir) -> list[object]:
    return [record["command"] for record in jsonl.read_all(run.commands)]


def test_pause_waits_until_the_run_is_paused(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    next_time(monkeypatch, lambda: turn(run, "paused"))
    pause(run, said.append)
    assert (asked(run), said) == (["pause"], ["paused after iteration 1,234"])


def test_resume_waits_until_it_goes_on(run: RunDir, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    turn(run, "paused")
    next_time(monkeypatch, lambda: turn(run, "collecting"))
    resume(run, said.append)
    resume(run, said.append)
    assert asked(run) == ["resume", "resume"]
    assert said == ["goes on", "it was not paused, and trains on"]


def test_a_long_iteration_is_not_waited_for(run: RunDir) -> None:
    said: list[str] = []
    pause(run, said.append)
    save(run, "", False, said.append)
    assert [line.partition(",")[0] for line in said] == [
        "sent: the trainer pauses after this iteration",
        "sent: the trainer saves after this iteration",
    ]


@pytest.mark.parametrize(("kind", "refused"), [("save", False), ("warning", True)])
def test_save_says_what_the_trainer_answers(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, kind: EventKind, refused: bool
) -> None:
    def answered(run: RunDir, name: str, pin: bool) -> str:
        save = control.send_save(run, name, pin)
        tell(run, "save", "saved for somebody else", 0, "another")
        tell(run, kind, "its own words", 0, save)
        return save

    said: list[str] = []
    monkeypatch.setattr(steering, "send_save", answered)
    if refused:
        with pytest.raises(RefusedError, match="its own words"):
            save(run, "mine", True, said.append)
    else:
        save(run, "mine", True, said.append)
        assert said == ["its own words"]
    (record,) = jsonl.read_all(run.commands)
    assert (record["name"], record["pin"]) == ("mine", True)


@pytest.mark.parametrize("command", [pause, resume])
def test_a_trainer_that_ends_meanwhile_is_told_of(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, command: Callable[..., None]
) -> None:
    turn(run, "paused" if command is resume else "learning")
    # A dead process keeps its last phase: only its number tells.
    status = replace(new_status("cpu"), phase="paused" if command is resume else "learning")
    gone = replace(status, pid_created=1.0)
    next_time(monkeypatch, lambda: write_status(run, gone))
    with pytest.raises(RefusedError, match="ended before it answered"):
        command(run, print)


@pytest.mark.parametrize("phase", ["stopped", "failed"])
def test_where_nobody_trains_nothing_is_asked(run: RunDir, phase: Phase) -> None:
    turn(run, phase)
    for ask in (
        lambda: pause(run, print),
        lambda: resume(run, print),
        lambda: save(run, "", False, print),
    ):
        with pytest.raises(RefusedError, match=r"nobody trains in .*: rlppo train"):
            ask()
    assert not run.commands.exists()


def test_a_folder_that_is_no_run_is_refused_with_the_nearest(run: RunDir) -> None:
    with pytest.raises(RefusedError, match=r"laptpo is no run folder; nearest: .*runs/laptop$"):
        pause(RunDir(run.path.with_name("laptpo")), print)
    with pytest.raises(RefusedError, match=r"elsewhere is no run folder$"):
        pause(RunDir(run.path.with_name("elsewhere")), print)


def test_the_table_has_a_line_for_each_checkpoint() -> None:
    path, now = Path("c"), 1_000_000.0
    infos = [
        CheckpointInfo(path, 12_345_678, 1_234, now - 59, 4_140_000, Mark(), ""),
        CheckpointInfo(path, 2_000, 3, now - 7_300, 999, Mark("a b", pinned=True), ""),
        CheckpointInfo(path, 1, None, now + 5, 2_000, Mark(pinned=True, damaged=True), ""),
        CheckpointInfo(path, 0, 0, now - 200_000, 3_100_000_000, Mark("only a name"), ""),
    ]
    assert table(infos, now) == [
        "     steps  iteration   age    size  pinned              name",
        "12,345,678      1,234  59 s  4.1 MB",
        "     2,000          3   2 h   999 B  pinned              a b",
        "         1          -   0 s  2.0 kB  mark damaged, kept",
        "         0          0   2 d  3.1 GB                      only a name",
    ]


@pytest.mark.parametrize("phase", ["stopped", "failed"])
def test_a_trainer_that_somebody_ends_instead_does_not_go_on(
    run: RunDir, monkeypatch: pytest.MonkeyPatch, phase: Phase
) -> None:
    turn(run, "paused")
    # Its last save comes before it says that it stopped.
    phases: list[Phase] = ["saving", phase]
    next_time(monkeypatch, lambda: turn(run, phases.pop(0)))
    with pytest.raises(RefusedError, match="ended before it answered"):
        resume(run, print)
