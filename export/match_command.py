"""`rlppo match`: plays, prints and writes what it was like, and says whether it is good.

Tested by `tests/export/test_match_command.py`.
"""

import signal
import sys
from pathlib import Path

import numpy as np

from export.client import HostError
from export.launch import LaunchError
from export.manifest import BundleError
from export.match import play
from export.match_report import report_lines, write_report
from export.parity import ParityError, require_parity
from export.terms import Terms
from rlbot_agent.decide import MatchError


def match_command(
    bots: tuple[Path, Path], terms: Terms, *, report: Path | None = None, record: Path | None = None
) -> int:
    """Play a match, print what it was like, and return the process's exit code.

    Args:
        bots: Blue's and orange's folder.
        terms: What is played.
        report: Folder for report.json and report.md.
        record: Replay to write.

    Raises:
        ContractError: When this version of the code has another observation or other actions.
        MeshError: When there are no meshes to play with.
        OSError: When report or replay cannot be written.
    """
    # Ends the bots on its way out, as Ctrl-C does; by default nothing would.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        found = play(bots, terms, np.random.default_rng(), record=record)
        for line in report_lines(found):
            print(line, flush=True)
        if report is not None:
            write_report(report, found)
        require_parity(found.hindsight.agreements)
    except (BundleError, HostError, LaunchError, MatchError, ParityError) as error:
        print(f"verdict       failed: {error}")
        return 1
    if found.hindsight.agreements:
        print("verdict       good: the bots saw what the simulator shows in training")
    else:
        print("verdict       played; no bundle took part, so no observation was compared")
    return 0
