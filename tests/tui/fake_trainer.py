"""Stands in for `python -m trainer`: a real process that writes a run folder and obeys commands.

Takes the real command line, then behaves by FAKE_TRAINER: "good" trains until told; "dies" fails in
iteration 2; "deaf" reads no commands and only hears signals; "refuses" exits at once.
"""

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

from trainer import metrics
from trainer.control import CommandReader, tell
from trainer.run_dir import RunDir, Status, new_status, write_status

ITERATION_S = 0.1


def main() -> int:
    behaviour = os.environ.get("FAKE_TRAINER", "good")
    print("fake trainer:", *sys.argv[1:], flush=True)
    if behaviour == "refuses":
        print("runs/1v1 is trained by another process already", file=sys.stderr)
        return 2
    return train(RunDir(Path(sys.argv[sys.argv.index("--run") + 1])), behaviour)


def train(run: RunDir, behaviour: str) -> int:
    heard: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: heard.append(number))
    write_status(run, status := replace(new_status("a fake CPU"), next_save=1000))
    reader = CommandReader(run)
    tell(run, "start", "Fake training.", 0)
    while True:
        status = iterate(run, status)
        if behaviour == "dies" and status.iteration == 2:
            raise RuntimeError("the loss is not finite")
        asked = [] if behaviour == "deaf" else reader.read()
        if "save" in asked:
            tell(run, "save", "Saved on demand.", status.steps)
        if "quit" in asked or heard:
            tell(run, "save", "Saved at the end.", status.steps)
            write_status(run, replace(status, phase="stopped"))
            return 0


def iterate(run: RunDir, status: Status) -> Status:
    time.sleep(ITERATION_S)
    iteration, steps = status.iteration + 1, status.steps + 100
    values = {"Reward/total": iteration / 10, "Throughput/overall_sps": 1000.0}
    metrics.append(run.metrics, metrics.IterationMetrics(iteration, steps, time.time(), values))
    status = replace(status, phase="collecting", iteration=iteration, steps=steps)
    write_status(run, status)
    return status


if __name__ == "__main__":
    sys.exit(main())
