"""Processes that play and lose their trainer."""

import os
import signal
import sys
import time
from pathlib import Path

import psutil

from tests.patience import PATIENCE_S


def left_after_a_kill(folder: Path, module: str, settings: str) -> list[psutil.Process]:
    """Those who still play long after a trainer was killed in the middle of a rollout.

    Args:
        folder: To write into.
        module: Its `start` makes the players, of a config of `settings`, a name in it.
        settings: See `module`.
    """
    told = folder / "pids"
    script = folder / "parent.py"
    script.write_text(
        "import sys; from pathlib import Path\n"
        f"from {module} import {settings}, start\n"
        "from tests.trainer.tiny import tiny_config\n"
        "if __name__ == '__main__':\n"
        f"    players, _ = start(tiny_config(*{settings}))\n"
        "    Path(sys.argv[1]).write_text(' '.join(map(str, players.pids)))\n"
        "    players.collect(0, lambda: None)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    trainer = psutil.Popen([sys.executable, str(script), str(told)], env=environment)
    deadline = time.monotonic() + PATIENCE_S
    while not (told.exists() and told.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    pids = [int(pid) for pid in told.read_text().split()]
    assert pids
    trainer.send_signal(signal.SIGKILL)
    trainer.wait()
    players = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    return psutil.wait_procs(players, PATIENCE_S)[1]
