import os
from pathlib import Path

import pytest

from tui.log_tail import LAST_LINES, TAIL_BYTES, LogTail, Piece, matching, plain


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "trainer.log"


def test_a_log_that_is_not_there_yet_is_empty_and_read_when_it_comes(log: Path) -> None:
    tail = LogTail(log)
    assert tail.read() == Piece((), anew=False)
    log.write_text("first\nsecond\n")
    assert tail.read() == Piece(("first", "second"), anew=True)


def test_what_is_appended_follows_and_half_a_line_waits(log: Path) -> None:
    log.write_text("first\nsec")
    tail = LogTail(log)
    assert tail.read() == Piece(("first",), anew=True)
    with log.open("a") as file:
        file.write("ond\nthird\n")
    assert tail.read() == Piece(("second", "third"), anew=False)
    assert tail.read() == Piece((), anew=False)


def test_a_log_that_a_resumed_run_began_again_replaces_the_old_one(log: Path) -> None:
    log.write_text("a long first life\n")
    tail = LogTail(log)
    tail.read()
    log.write_text("again\n")
    assert tail.read() == Piece(("again",), anew=True)


def test_a_removed_log_empties_the_page_once(log: Path) -> None:
    log.write_text("first\n")
    tail = LogTail(log)
    tail.read()
    log.unlink()
    assert tail.read() == Piece((), anew=True)
    assert tail.read() == Piece((), anew=False)


def test_only_the_last_lines_are_kept(log: Path) -> None:
    log.write_text("".join(f"{number}\n" for number in range(LAST_LINES + 5)))
    lines = LogTail(log).read().lines
    assert (len(lines), lines[0], lines[-1]) == (LAST_LINES, "5", str(LAST_LINES + 4))


def test_of_a_gigabyte_only_the_end_is_read(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with log.open("wb") as file:
        file.truncate(1 << 30)  # a hole, which costs no disk
        file.seek(0, 2)
        file.write(b"\nthe end\n")
    read: list[int] = []
    real_open = Path.open

    def counted(path: Path, mode: str) -> object:
        file = real_open(path, mode)
        real_read = file.read
        file.read = lambda size: read.append(size) or real_read(size)  # type: ignore[method-assign, func-returns-value]
        return file

    monkeypatch.setattr(Path, "open", counted)
    assert LogTail(log).read().lines[-1] == "the end"
    assert sum(read) <= TAIL_BYTES


def test_the_first_line_of_a_tail_is_a_whole_one(log: Path) -> None:
    row = "x" * 99 + "\n"
    log.write_text(row * (2 * TAIL_BYTES // len(row)))
    assert set(LogTail(log).read().lines) == {"x" * 99}


def test_a_log_that_ran_ahead_of_a_reader_begins_anew(log: Path) -> None:
    log.write_text("old\n")
    tail = LogTail(log)
    tail.read()
    with log.open("a") as file:
        file.write("y" * 9 + "\n" + ("z" * 1023 + "\n") * (TAIL_BYTES // 1024))
    piece = tail.read()
    assert piece.anew
    assert "old" not in piece.lines


def test_a_line_that_is_no_text_does_no_harm(log: Path) -> None:
    log.write_bytes(b"\xff\xfe\n")
    assert LogTail(log).read().lines == ("��",)


def test_a_log_that_cannot_be_read_says_so(log: Path) -> None:
    os.mkdir(log)
    with pytest.raises(OSError, match=r"trainer\.log"):
        LogTail(log).read()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("\x1b[1;31mred\x1b[0m  ", "red"),
        ("10 %\r50 %\r100 %", "100 %"),
        ("windows\r", "windows"),
        ("a\tb", "a\tb"),
        ("bell\x07", "bell"),
    ],
)
def test_terminal_codes_are_no_words(line: str, words: str) -> None:
    assert plain(line) == words


def test_a_search_minds_no_capitals() -> None:
    lines = ["Saved a checkpoint", "Warning: slow", "saved again"]
    assert matching(lines, "SAVED") == ["Saved a checkpoint", "saved again"]
    assert matching(lines, "") == lines
    assert matching(lines, "nothing of it") == []
