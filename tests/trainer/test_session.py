import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from trainer import jsonl
from trainer.control import Save, send
from trainer.run_dir import RunDir, new_status, read_status, write_status
from trainer.session import RunBusyError, Session, lock_run
from trainer.stopping import Limit, Stop

HOLDER = """
import sys
from pathlib import Path
from trainer.run_dir import RunDir, new_status, write_status
from trainer.session import lock_run
run = RunDir(Path(sys.argv[1]))
with lock_run(run):
    write_status(run, new_status("cpu"))
    print("held", flush=True)
    sys.stdin.read()
"""


def make_session(run: RunDir, said: list[str] | None = None) -> tuple[Session, Stop]:
    stop = Stop()
    run.path.mkdir(exist_ok=True)
    return Session(run, "cpu", stop, (said if said is not None else []).append), stop


def test_two_trainers_never_share_a_run_and_the_refusal_names_the_first(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "run")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        refusal = f"process {holder.pid} trains in .*run already"
        with pytest.raises(RunBusyError, match=refusal), lock_run(RunDir(tmp_path / "run")):
            pass
        holder.kill()
    # Killed, it cannot have said anything: the system let go of the lock.
    with lock_run(RunDir(tmp_path / "run")):
        pass


def test_the_lock_holds_even_without_a_status(tmp_path: Path) -> None:
    refused = pytest.raises(RunBusyError, match="another process")
    with lock_run(RunDir(tmp_path)), refused, lock_run(RunDir(tmp_path)):
        pass


def test_commands_are_obeyed(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    send(run, "quit")  # meant for an earlier trainer
    session, stop = make_session(run)
    for command in ("save", "viewer_on", "quit"):
        send(run, command)
    session.poll()
    assert session.saves == [Save()]
    assert session.status.viewer
    assert stop.asked
    assert not stop.insisted


def test_polling_reads_the_folder_only_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("trainer.session.time.monotonic", lambda: clock[0])
    run = RunDir(tmp_path)
    session, _ = make_session(run)
    session.poll()
    send(run, "save")
    clock[0] += 0.2
    session.poll()
    assert session.saves == []
    clock[0] += 0.1
    session.poll()
    assert session.saves == [Save()]


def test_the_heartbeat_comes_every_two_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("trainer.session.time.monotonic", lambda: clock[0])
    run = RunDir(tmp_path)
    session, _ = make_session(run)
    write_status(run, replace(new_status("cpu"), steps=5))
    clock[0] += 1.9
    session.poll()
    status = read_status(run)
    assert status is not None
    assert status.steps == 5
    clock[0] += 0.2
    session.poll()
    status = read_status(run)
    assert status is not None
    assert status.steps == 0


def test_the_status_says_phase_progress_and_end(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    session, _ = make_session(run)
    session.limit(Limit(last_iteration=9, ends=5.0))
    session.progress(iteration=2, steps=300, next_save=1000)
    session.enter("learning")
    status = read_status(run)
    assert status is not None
    assert (status.phase, status.iteration, status.steps) == ("learning", 2, 300)
    assert (status.next_save, status.last_iteration, status.ends) == (1000, 9, 5.0)
    assert status.alive


def test_a_failure_is_an_event_and_a_status(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    session, _ = make_session(run)
    session.fail(ValueError("the loss is not finite"))
    status = read_status(run)
    assert status is not None
    assert status.phase == "failed"
    event = jsonl.read_all(run.events)[-1]
    assert (event["kind"], event["text"]) == ("error", "ValueError: the loss is not finite")
