import asyncio
import sys
from collections.abc import Callable

import psutil
import pytest

from tests.patience import PATIENCE_S
from tests.tui.children import no_child_is_left
from tui.child_lines import LONGEST_LINE, run_child

SLEEPER = "import time; time.sleep(600)"
PARENT = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "{SLEEPER}"])
print(child.pid, flush=True)
child.wait()
"""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


async def started(task: asyncio.Task[int], ready: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not ready():
            assert not task.done()
            await asyncio.sleep(0.01)


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def test_lines_of_output_and_errors_arrive_in_order_with_the_exit_code() -> None:
    lines: list[str] = []
    code = (
        "import sys; print('one'); print('two', file=sys.stderr); print('zwölf', end=''); exit(3)"
    )
    assert await run_child(python(code), lines.append) == 3
    assert lines == ["one", "two", "zwölf"]
    assert no_child_is_left()


async def test_a_line_arrives_while_the_child_still_runs() -> None:
    lines: list[str] = []
    task = asyncio.create_task(run_child(python(f"print('working'); {SLEEPER}"), lines.append))
    await started(task, lambda: lines == ["working"])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_cancelled_child_is_killed_and_reaped_with_all_that_it_started() -> None:
    lines: list[str] = []
    task = asyncio.create_task(run_child(python(PARENT), lines.append))
    await started(task, lambda: bool(lines))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert no_child_is_left()
    async with asyncio.timeout(PATIENCE_S):
        while not is_gone(int(lines[0])):  # whoever inherits an orphan reaps it
            await asyncio.sleep(0.01)


async def test_what_outlives_the_child_and_holds_its_output_is_killed_too() -> None:
    lines: list[str] = []
    orphaning = PARENT.replace("child.wait()", "sys.exit()")
    task = asyncio.create_task(run_child(python(orphaning), lines.append))
    await started(task, lambda: bool(lines) and no_child_is_left())
    assert not is_gone(int(lines[0]))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with asyncio.timeout(PATIENCE_S):
        while not is_gone(int(lines[0])):
            await asyncio.sleep(0.01)


async def test_a_child_that_ignores_polite_signals_is_killed_too() -> None:
    lines: list[str] = []
    code = f"import signal; signal.signal(15, signal.SIG_IGN); print('deaf'); {SLEEPER}"
    task = asyncio.create_task(run_child(python(code), lines.append))
    await started(task, lambda: bool(lines))
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()  # who is told twice still reaps
    with pytest.raises(asyncio.CancelledError):
        await task
    assert no_child_is_left()


async def test_a_listener_that_fails_ends_the_child() -> None:
    def fail(line: str) -> None:
        raise RuntimeError(line)

    with pytest.raises(RuntimeError, match="first"):
        await run_child(python(f"print('first'); {SLEEPER}"), fail)
    assert no_child_is_left()


async def test_a_line_without_an_end_ends_the_child() -> None:
    code = f"print('x' * {2 * LONGEST_LINE}); {SLEEPER}"
    with pytest.raises(ValueError, match="limit"):
        await run_child(python(code), [].append)
    assert no_child_is_left()


async def test_a_missing_program_is_an_oserror() -> None:
    with pytest.raises(FileNotFoundError):
        await run_child(["/nowhere/at/all"], [].append)


async def test_nothing_can_be_typed_into_a_child() -> None:
    lines: list[str] = []
    assert await run_child(python("import sys; print(repr(sys.stdin.read()))"), lines.append) == 0
    assert lines == ["''"]
