"""Stands in for the viewer: prints frames, obeys, dies, or hangs, as its argument says."""

import sys
import time
from dataclasses import replace

from trainer.frames import notice, to_line

FRAME = notice("from the fake viewer")


def show(steps: int, deterministic: bool = False) -> None:
    print(to_line(replace(FRAME, steps=steps, deterministic=deterministic)), flush=True)


def echo() -> None:
    """A frame for each line on standard input, until it closes."""
    for steps, line in enumerate(sys.stdin):
        show(steps, line == "deterministic on\n")


def flood() -> None:
    """A thousand frames in one write, among lines that are none."""
    lines = [to_line(replace(FRAME, steps=steps)) for steps in range(1000)]
    sys.stdout.write("RocketSim says hello\n" + "\n".join(lines) + "\nhalf a fra")
    sys.stdout.flush()
    sys.stdin.read()


def die() -> None:
    show(1)
    print("Traceback\n  somewhere\nMeshError: no collision meshes\n", file=sys.stderr)
    sys.exit(3)


def hang() -> None:
    """Never looks at standard input."""
    show(1)
    time.sleep(60)


if __name__ == "__main__":
    {"echo": echo, "flood": flood, "die": die, "hang": hang}[sys.argv[1]]()
