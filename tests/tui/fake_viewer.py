"""Stands in for the viewer: prints frames, obeys, dies, or hangs, as its argument says."""

import sys
import time
from dataclasses import replace
from pathlib import Path

from trainer.frames import CarFrame, Mind, notice, to_line

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


def play() -> None:
    """A game of four; obeys, and writes down what was said in the file that is its argument."""
    cars = tuple(
        CarFrame(car // 2, 0.0, 0.0, 17.0, 0.0, 33.0, True, False, False) for car in range(4)
    )
    frame = replace(FRAME, cars=cars, note="", names=("newest", "5.0M steps"))
    with Path(sys.argv[2]).open("a") as heard:
        for line in sys.stdin:
            match line.split():
                case ["pause" | "resume" as word]:
                    frame = replace(frame, paused=word == "pause")
                case ["speed", speed]:
                    frame = replace(frame, speed=float(speed))
                case ["follow", car]:
                    mind = None if car == "none" else Mind(int(car), 0.5, "jump", (("jump", 0.5),))
                    frame = replace(frame, mind=mind)
            heard.write(line)
            heard.flush()
            print(to_line(frame), flush=True)


def die() -> None:
    show(1)
    print("Traceback\n  somewhere\nMeshError: no collision meshes\n", file=sys.stderr)
    sys.exit(3)


def hang() -> None:
    """Never looks at standard input."""
    show(1)
    time.sleep(600)


if __name__ == "__main__":
    {"echo": echo, "flood": flood, "play": play, "die": die, "hang": hang}[sys.argv[1]]()
