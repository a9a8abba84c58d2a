"""The whole command in a real terminal (a pty), with a fake trainer."""

import signal
from collections.abc import Callable, Iterator

import pytest

from tests.patience import PATIENCE_S
from tests.tui.conftest import commands
from tests.tui.pseudo_terminal import Terminal
from trainer.run_dir import RunDir

Opened = Callable[..., Terminal]


@pytest.fixture
def opened(run: RunDir) -> Iterator[Opened]:
    terminals: list[Terminal] = []

    def open_terminal(*words: object, **options: object) -> Terminal:
        terminals.append(Terminal(run, *words, **options))  # type: ignore[arg-type]
        return terminals[-1]

    yield open_terminal
    for terminal in terminals:
        terminal.close()


def press_until_saved(terminal: Terminal) -> None:
    """S asks nothing of a trainer that the dashboard has not seen yet."""

    def saved() -> bool:
        terminal.press(b"s")
        return "save" in commands(terminal.run)

    terminal.wait(saved)


def trains_on(terminal: Terminal) -> bool:
    return terminal.status is not None and terminal.status.alive


@pytest.mark.parametrize("key", [b"\x03", b"q", b"Q", b"\x11"], ids=["^C", "q", "Q", "^Q"])
def test_a_key_to_quit_twice_saves_and_gives_the_terminal_back(opened: Opened, key: bytes) -> None:
    terminal = opened()
    terminal.press(key)
    terminal.wait(lambda: b"Quit?" in terminal.output)
    terminal.press(key)
    assert terminal.process.wait(PATIENCE_S) == 0
    assert terminal.restored()
    assert terminal.status is not None
    assert terminal.status.phase == "stopped"


def test_leaving_gives_the_terminal_back_and_lets_the_training_go_on(opened: Opened) -> None:
    terminal = opened()
    terminal.press(b"q")
    terminal.wait(lambda: b"Quit?" in terminal.output)
    terminal.press(b"l")
    assert terminal.process.wait(PATIENCE_S) == 0
    assert terminal.restored()
    assert trains_on(terminal)


def test_the_check_sees_a_terminal_that_was_not_given_back(opened: Opened) -> None:
    terminal = opened()
    press_until_saved(terminal)
    terminal.process.kill()  # the one end that no program can clean up after
    terminal.process.wait(PATIENCE_S)
    assert {"the other screen", "the cursor hidden", "the line raw"} < terminal.left_on()
    assert {"mouse clicks", "mouse movement", "mouse places"} < terminal.left_on()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_killed_dashboard_gives_the_terminal_back_and_lets_the_training_go_on(
    opened: Opened, number: signal.Signals
) -> None:
    terminal = opened()
    terminal.process.send_signal(number)
    assert terminal.process.wait(PATIENCE_S) == 0
    assert terminal.restored()
    assert trains_on(terminal)


IN_A_KEY = "app.Dashboard.action_save = lambda self: 1 / 0"
IN_DRAWING = "app.DashboardScreen.show = lambda self, known: 1 / 0"
IN_THE_THREAD = "from tui import run_reader; run_reader.RunReader.poll = lambda self: 1 / 0"


@pytest.mark.parametrize(
    "fault", [IN_A_KEY, IN_DRAWING, IN_THE_THREAD], ids=["key", "drawing", "thread"]
)
def test_a_bug_in_the_dashboard_gives_the_terminal_back_and_lets_the_training_go_on(
    opened: Opened, fault: str
) -> None:
    terminal = opened(fault)
    terminal.press(b"s")
    assert terminal.process.wait(PATIENCE_S) == 1
    assert terminal.restored()
    assert b"ZeroDivisionError" in terminal.output
    assert b"Training goes on without the dashboard" in terminal.output
    assert trains_on(terminal)


def test_a_run_folder_that_is_taken_away_is_a_death_and_no_crash(opened: Opened) -> None:
    terminal = opened()
    press_until_saved(terminal)
    terminal.run.path.rename("elsewhere")
    terminal.wait(lambda: b"failed" in terminal.output)
    terminal.press(b"q")
    assert terminal.process.wait(PATIENCE_S) == 1
    assert terminal.restored()
    assert b"The trainer is gone" in terminal.output


@pytest.mark.parametrize("size", [(20, 5), (1, 1), (300, 100)])
def test_no_terminal_is_too_small_or_too_large(opened: Opened, size: tuple[int, int]) -> None:
    terminal = opened(size=size)
    for key in (b"?", b"?", b"\t", b"1"):
        terminal.press(key)
    press_until_saved(terminal)
    terminal.press(b"qq")
    assert terminal.process.wait(PATIENCE_S) == 0
    assert terminal.restored()


def test_a_terminal_may_change_its_size_at_any_time(opened: Opened) -> None:
    terminal = opened()
    for size in ((20, 5), (200, 60), (3, 2), (80, 24)):
        terminal.resize(*size)
        terminal.process.send_signal(signal.SIGWINCH)
    press_until_saved(terminal)


def test_a_console_without_unicode_is_sent_ascii_alone(opened: Opened) -> None:
    terminal = opened(env={"TERM": "linux"})
    terminal.wait(lambda: b"Quit" in terminal.output)
    assert terminal.output.isascii()
