"""What a bot costs before it drives: its imports, the verification of its bundle, its memory.

Each start is a process of its own, in the bundle's environment where it has one. Tested by
`tests/benchmarks/test_agent.py`.
"""

import json
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

STARTS: Final = 9
CODE: Final = """
import json, time
began = time.perf_counter()
import rlbot_agent.bot
imported = time.perf_counter()
from rlbot_agent.activation import HOME, activate
files = len(activate(HOME).manifest.files)
ready = time.perf_counter()
import psutil
memory = psutil.Process().memory_info().rss / 1e6
print(json.dumps([imported - began, ready - imported, memory, files]))
"""


@dataclass(frozen=True)
class Start:
    """One start of a bot, up to its first decision."""

    import_s: float
    """Until everything is imported."""
    verify_s: float
    """From there until every file is verified and the policy has decided once."""
    rss_mb: float
    """Memory of the process then, in MB of 10^6 bytes."""
    files: int
    """That were verified."""


def python_of(bundle: Path) -> Path:
    """The bundle's own Python, or this one while it has none."""
    own = bundle / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return own if own.exists() else Path(sys.executable)


def measure(bundle: Path, starts: int = STARTS) -> list[Start]:
    """Start the bot of a bundle so many times, the first of which is not counted."""
    command = [str(python_of(bundle).absolute()), "-E", "-B", "-X", "utf8", "-c", CODE]
    found = []
    for _ in range(starts + 1):
        done = subprocess.run(command, cwd=bundle, capture_output=True, check=True)
        found.append(Start(*json.loads(done.stdout)))
    return found[1:]


def lines_of(starts: list[Start]) -> list[str]:
    """The median of each number, and the largest."""
    columns = {
        "imports, s": [start.import_s for start in starts],
        "verification, s": [start.verify_s for start in starts],
        "memory, MB": [start.rss_mb for start in starts],
    }
    lines = [f"{len(starts)} starts, {starts[0].files} files verified in each"]
    lines += [
        f"{name:16} median {statistics.median(values):.3f}, largest {max(values):.3f}"
        for name, values in columns.items()
    ]
    return lines
