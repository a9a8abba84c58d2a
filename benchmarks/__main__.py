"""The commands of this folder; each writes JSON beside it and says what it found.

What is slow to import is imported inside the commands, so that processes which play load none of
it. Tested by `tests/benchmarks/`.
"""

import os
from pathlib import Path

from cyclopts import App
from cyclopts.types import PositiveFloat, PositiveInt

from trainer.cli import run_app
from trainer.cli_parts import refuse

app = App(
    name="python -m benchmarks",
    help="Remake the numbers of docs/performance.md and the pictures of README.",
)


@app.command
def growth(*, json: Path | None = None, seconds: PositiveFloat = 2.5) -> None:
    """Measure steps/s by arenas, workers, team and network sizes, and predict other machines.

    Takes five minutes on two cores.

    Args:
        json: File to write all of it to.
        seconds: Of each measurement.
    """
    from benchmarks.growth import grow, write_growth
    from benchmarks.tables import lines_of

    found = grow(seconds, print)
    for line in lines_of(found):
        print(line)
    if json:
        write_growth(json, found)


@app.command
def soak(*, json: Path | None = None, iterations: PositiveInt = 1000) -> None:
    """Train many short iterations and see whether memory grows.

    Takes five minutes on two cores.

    Args:
        json: File to write the memory of each iteration to.
        iterations: How many.
    """
    from benchmarks.soak import lines_of, measure, write_soak

    found = measure(iterations)
    for line in lines_of(found):
        print(line)
    if json:
        write_soak(json, found)


@app.command
def dashboard(run: Path, *, every: PositiveFloat = 2.0, seconds: PositiveFloat = 30.0) -> None:
    """Measure what the dashboard costs beside a run. Not on Windows.

    Args:
        run: Run folder whose metrics are played again.
        every: Seconds of an iteration.
        seconds: How long to watch.
    """
    from benchmarks.dashboard import watch

    found = watch(run, every, seconds)
    cost = f"{found.core_share:.1%} of a core, {found.rss_mb:.0f} MB"
    print(f"an iteration every {every:g} s: {cost}")


@app.command
def charts(*, iterations: PositiveInt = 100_000, metrics: PositiveInt = 100) -> None:
    """Measure how soon and how dearly a long run is seen on the page of charts.

    Args:
        iterations: Of the run that is made for it.
        metrics: Of each iteration.
    """
    from benchmarks.charts import lines_of, see

    for line in lines_of(see(iterations, metrics)):
        print(line)


@app.command
def pitch(*, frames: PositiveInt = 300, fps: PositiveInt = 15) -> None:
    """Measure what a frame of the pitch costs: six cars, a terminal of 120 by 40.

    Args:
        frames: How many to show.
        fps: How many a second.
    """
    os.environ.setdefault("TEXTUAL_COLOR_SYSTEM", "truecolor")  # read when textual is imported
    from benchmarks.pitch import measure

    found = measure(frames, fps)
    print(f"{found.cpu_ms:.1f} ms of CPU and {found.bytes:,.0f} bytes a frame")


@app.command
def screenshots(
    run: Path, *, replay: Path | None = None, into: Path = Path("docs/screenshots")
) -> None:
    """Draw every page of the dashboard on a real run, for README; best while it trains.

    Args:
        run: The run's folder.
        replay: A recorded game to draw as well.
        into: Folder for the SVG files.
    """
    from benchmarks.screenshots import take, take_game

    for picture in take(run, into):
        print(picture)
    if replay is not None:
        print(take_game(replay, into))


@app.command
def gpu(*, json: Path | None = None, iterations: PositiveInt = 5) -> None:
    """Compare ways to train `seed` on a GPU.

    Args:
        json: File to write all of it to, by way, after each of them.
        iterations: Of each way, beyond those that warm up.
    """
    from benchmarks.gpu import compare, write_ways
    from trainer.bench import require_place

    try:
        if json:
            require_place(json)
    except ValueError as error:
        raise SystemExit(refuse(error)) from None
    compare(iterations, print, lambda found: write_ways(json, found) if json else None)


@app.command
def evaluation(*, seconds: PositiveFloat = 60.0) -> None:
    """Measure how fast `rlppo select` plays, with networks of the laptop preset.

    Args:
        seconds: Game time of each game.
    """
    from benchmarks.evaluation import measure
    from trainer.config_file import load_config

    print(measure(load_config(None), seconds).words())


@app.command
def ratings(*, leagues: PositiveInt = 20) -> None:
    """Measure how far ratings can be trusted, on leagues whose truth is known.

    Args:
        leagues: Of each kind.
    """
    from benchmarks.ratings import PLANS, calibrate, lines_of

    for plan in PLANS:
        for line in lines_of(plan, calibrate(plan, leagues)):
            print(line)
        print()


@app.command
def agent(bundle: Path) -> None:
    """Measure what a bundle's bot costs before it drives: imports, verification, memory.

    Args:
        bundle: Bundle folder; after its first start, its own environment is used.
    """
    from benchmarks.agent import lines_of, measure

    for line in lines_of(measure(bundle)):
        print(line)


if __name__ == "__main__":
    raise SystemExit(run_app(app))
