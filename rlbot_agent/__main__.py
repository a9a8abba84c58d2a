"""`python -m rlbot_agent`: start the bot, as RLBot does through bot.toml; `check`: try it first.

What may be missing on this machine is missed here, in a sentence, before anything imports it.
Tested by `tests/rlbot_agent/test_check.py`.
"""

import argparse
import sys
from pathlib import Path

from rlbot_agent.manifest import MANIFEST, changes_in, read_manifest
from rlbot_agent.packages import PackageError, require_imports, require_python


def main() -> None:
    """Play, or check."""
    parser = argparse.ArgumentParser("rlbot_agent", description="An RLBot v5 bot, learned by PPO.")
    parser.add_argument(
        "command", nargs="?", choices=["check"], help="check everything instead of playing"
    )
    parser.add_argument(
        "--dry-run",
        type=Path,
        metavar="FILE",
        help="with check: packets that RLPPO_PACKETS recorded, to be played through the bot",
    )
    asked = parser.parse_args()
    if asked.dry_run and not asked.command:
        parser.error("--dry-run belongs to check")
    try:
        require_python(sys.version_info[:2], is_64_bit=sys.maxsize > 2**32)
        require_imports()
    except PackageError as error:
        sys.exit(f"rlppo bot: {error}")
    try:
        from rlbot_agent.bot import main as play
        from rlbot_agent.check import run_check
    except Exception:
        # Code that was damaged after the export may not even load.
        if wrong := _changed():
            sys.exit(f"rlppo bot: {wrong}: copy the bundle anew, or export again")
        raise
    if asked.command:
        sys.exit(run_check(asked.dry_run))
    play()


def _changed() -> str:
    """Which files of the bundle that this package lies in were changed; empty in a checkout."""
    bundle = Path(__file__).resolve().parent.parent
    if not (bundle / MANIFEST).is_file():
        return ""
    return "; ".join(changes_in(bundle, read_manifest(bundle)).values())


if __name__ == "__main__":
    main()
