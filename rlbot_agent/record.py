"""The bot's diary: one row a decision, for a host that wants to compare what the bot saw.

A record file is rows of `record_type(D)` and nothing else, in the machine's byte order; a process
that is killed leaves whole rows. Tested by `tests/rlbot_agent/test_bot.py`.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rlbot_agent.state import Array

Records = npt.NDArray[np.void]


def record_type(obs_width: int) -> np.dtype[np.void]:
    """A row: frame (int64), car, action, skipped (int32 each), obs (D float32).

    `frame` is the packet's frame_num, `car` the index of the own car in its players, `action` a row
    of the action table, `skipped` the frames since the last kickoff that came without a packet.
    """
    return np.dtype(
        [
            ("frame", np.int64),
            ("car", np.int32),
            ("action", np.int32),
            ("skipped", np.int32),
            ("obs", np.float32, (obs_width,)),
        ]
    )


def append_record(path: Path, frame: int, car: int, action: int, skipped: int, obs: Array) -> None:
    """Add a row to the record file at `path`; `obs` is (D,).

    Raises:
        OSError: When it cannot be written.
    """
    row: Any = (frame, car, action, skipped, obs)
    with path.open("ab") as file:
        file.write(np.array(row, record_type(len(obs))).tobytes())


def read_records(path: Path, obs_width: int) -> Records:
    """All rows of a record file, in the order of writing; none when it does not exist."""
    data = path.read_bytes() if path.is_file() else b""
    row = record_type(obs_width)
    return np.frombuffer(data[: len(data) - len(data) % row.itemsize], row)
