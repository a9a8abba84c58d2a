"""Starting a bot from its bot.toml, exactly as RLBotServer does, and ending it for certain.

Knows no messages: a bot is a command, a folder and two environment variables. Tested by
`tests/export/test_launch.py`.
"""

import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

END_S: Final = 5.0
"""How long a bot may take to end by itself."""


class LaunchError(Exception):
    """A bot cannot be started; one sentence says why."""


@dataclass(frozen=True)
class BotConfig:
    """What bot.toml says of starting a bot."""

    agent_id: str
    """How its process introduces itself."""
    name: str
    """Wanted name; a server may append a number."""
    folder: Path
    """Working directory of its process."""
    command: str
    """For the shell of this system."""
    hivemind: bool = False
    """Whether one process drives all cars of its team."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that it asks for."""


def read_bot_config(bot: Path) -> BotConfig:
    """Read the bot.toml of anybody's RLBot v5 bot.

    Args:
        bot: Its folder, which holds bot.toml or one NAME.bot.toml, or that file.

    Raises:
        LaunchError: When it is missing, damaged, or has no agent id or command.
    """
    path = _find_bot_toml(bot)
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))["settings"]
        agent_id = settings["agent_id"].strip()
        command = _command(settings)
        environment = dict(settings.get("environment", {}))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LaunchError(f"{path} is not TOML: {error}") from error
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        raise LaunchError(f"{path} lacks {error} of [settings]") from error
    if not agent_id or not command:
        raise LaunchError(f"{path} has an empty agent_id or run command")
    if not all(isinstance(value, str) for value in environment.values()):
        raise LaunchError(f"{path} has a value in [settings.environment] that is no string")
    return BotConfig(
        agent_id=agent_id,
        name=settings.get("name", ""),
        folder=(path.parent / settings.get("root_dir", "")).resolve(),
        command=command,
        hivemind=settings.get("hivemind", False) is True,
        environment=environment,
    )


def _find_bot_toml(bot: Path) -> Path:
    if bot.is_file():
        return bot
    if (bot / "bot.toml").is_file():
        return bot / "bot.toml"
    found = sorted(bot.glob("*.bot.toml"))
    if not found:
        raise LaunchError(f"{bot} has no bot.toml: it is no bot")
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise LaunchError(f"{bot} has several bots, name one of {names}")
    return found[0]


def _command(settings: Mapping[str, str]) -> str:
    """That of this system; without one elsewhere than on Windows, Windows' own is tried.

    RLBot's Python loader does the same.
    """
    if sys.platform != "win32" and settings.get("run_command_linux"):
        return settings["run_command_linux"]
    return settings["run_command"]


class BotProcess:
    """A running bot, its children included; what it prints goes to a file."""

    def __init__(
        self, config: BotConfig, port: int, log: Path, extra: Mapping[str, str] | None = None
    ) -> None:
        """Start it.

        Args:
            config: How.
            port: Of the server on this machine.
            log: Where its output goes.
            extra: Environment variables besides RLBot's two.

        Raises:
            LaunchError: When its folder or the shell does not exist.
        """
        self.log = log
        shell = ["cmd.exe", "/c"] if sys.platform == "win32" else ["/bin/sh", "-c"]
        theirs = {"RLBOT_AGENT_ID": config.agent_id, "RLBOT_SERVER_PORT": str(port)}
        try:
            with log.open("wb") as output:
                self._process = subprocess.Popen(
                    [*shell, config.command],
                    cwd=config.folder,
                    env={**os.environ, **config.environment, **(extra or {}), **theirs},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # a group of its own, to be ended as one
                )
        except OSError as error:
            raise LaunchError(f"cannot start {config.name} in {config.folder}: {error}") from error

    @property
    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.poll()

    def last_words(self, lines: int = 5) -> str:
        """The end of what it printed."""
        printed = self.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return "\n".join(printed[-lines:])

    def end(self, patience: float = END_S) -> None:
        """Wait `patience` seconds for it to end by itself, then end the whole group."""
        try:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
        finally:
            self._kill()

    def _kill(self) -> None:
        """End what is left of the group, children that outlived their parent included."""
        if sys.platform == "win32":
            if self.exit_code is None:
                tree = ["taskkill", "/F", "/T", "/PID", str(self._process.pid)]
                subprocess.run(tree, capture_output=True, check=False)
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
