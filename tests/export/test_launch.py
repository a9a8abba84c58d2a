import os
import time
from pathlib import Path

import psutil
import pytest

from export.launch import BotProcess, LaunchError, read_bot_config
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the commands are a Unix shell's")


def write_bot(folder: Path, command: str, more: str = "") -> Path:
    text = f'[settings]\nagent_id = " x/y "\nname = "Y"\nrun_command_linux = \'{command}\'\n{more}'
    (folder / "bot.toml").write_text(text)
    return folder


def wait_for(path: Path) -> str:
    """What a bot wrote to `path`, once there is a whole line."""
    deadline = time.monotonic() + PATIENCE_S
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return path.read_text()


def test_a_bot_gets_its_folder_and_rlbots_two_variables(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    command = "echo $RLBOT_AGENT_ID $RLBOT_SERVER_PORT $MORE $PWD > said"
    write_bot(tmp_path, command, 'root_dir = "code"\n')
    config = read_bot_config(tmp_path)
    bot = BotProcess(config, 1234, tmp_path / "log", {"MORE": "m", "RLBOT_SERVER_PORT": "no"})
    bot.end()
    assert (tmp_path / "code" / "said").read_text() == f"x/y 1234 m {tmp_path / 'code'}\n"
    assert bot.exit_code == 0


def test_its_last_words_are_kept(tmp_path: Path) -> None:
    write_bot(tmp_path, "echo one; echo two >&2; exit 3")
    bot = BotProcess(read_bot_config(tmp_path), 1, tmp_path / "log")
    bot.end()
    assert (bot.exit_code, bot.last_words(1), bot.last_words()) == (3, "two", "one\ntwo")


def test_a_bot_that_does_not_end_is_ended_with_its_children(tmp_path: Path) -> None:
    write_bot(tmp_path, "sleep 600 & echo $! > child; sleep 600")
    bot = BotProcess(read_bot_config(tmp_path), 1, tmp_path / "log")
    child = int(wait_for(tmp_path / "child"))
    started = time.monotonic()
    bot.end(patience=0.1)
    assert time.monotonic() - started < 5
    assert bot.exit_code == -9
    assert is_gone(child)


def test_children_that_outlive_their_parent_are_ended(tmp_path: Path) -> None:
    write_bot(tmp_path, "sleep 600 & echo $! > child")
    bot = BotProcess(read_bot_config(tmp_path), 1, tmp_path / "log")
    child = int(wait_for(tmp_path / "child"))
    bot.end()
    assert bot.exit_code == 0
    assert is_gone(child)


def is_gone(process_id: int) -> bool:
    """Whether it ended; in a container nobody may have buried it yet."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            if psutil.Process(process_id).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "has no bot.toml"),
        ("[settings", "is not TOML"),
        ("[details]\n", r"lacks 'settings' of \[settings\]"),
        ('[settings]\nagent_id = "x"\n', r"lacks 'run_command'"),
        ('[settings]\nagent_id = " "\nrun_command_linux = "x"\n', "empty agent_id"),
    ],
)
def test_a_bot_toml_that_cannot_start_a_bot_is_refused(
    tmp_path: Path, text: str | None, words: str
) -> None:
    if text is not None:
        (tmp_path / "bot.toml").write_text(text)
    with pytest.raises(LaunchError, match=words):
        read_bot_config(tmp_path)


def test_a_bot_of_any_name_gets_what_it_asks_for(tmp_path: Path) -> None:
    (tmp_path / "mine.bot.toml").write_text(
        '[settings]\nagent_id = "x/y"\nhivemind = true\n'
        "run_command = 'echo $LEVEL $RLBOT_AGENT_ID > said'\n"
        "[settings.environment]\nLEVEL = 'hard'\nRLBOT_AGENT_ID = 'no'\n"
    )
    config = read_bot_config(tmp_path)
    assert read_bot_config(tmp_path / "mine.bot.toml") == config
    assert config.hivemind
    BotProcess(config, 1, tmp_path / "log").end()
    assert (tmp_path / "said").read_text() == "hard x/y\n"


def test_a_folder_of_several_bots_asks_which(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.bot.toml").write_text("")
    with pytest.raises(LaunchError, match=r"name one of a.bot.toml, b.bot.toml"):
        read_bot_config(tmp_path)


def test_variables_must_be_strings(tmp_path: Path) -> None:
    write_bot(tmp_path, "true", "environment = {LEVEL = 3}\n")
    with pytest.raises(LaunchError, match=r"a value in \[settings.environment\] that is no string"):
        read_bot_config(tmp_path)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    write_bot(tmp_path, "true", 'root_dir = "nowhere"\n')
    with pytest.raises(LaunchError, match=r"cannot start Y in .*nowhere"):
        BotProcess(read_bot_config(tmp_path), 1, tmp_path / "log")
