"""Finds how many workers and arenas, and which chunk of rows, are fastest for a config here.

Short measurements in turn, and lines for a person as they come; changes nothing. What to try and
what to take is in `tuning.py`, how it is measured in `trials.py`. Tested by
`tests/trainer/test_tune.py`.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

import psutil
import torch

from trainer.builder import choose_device, device_words
from trainer.checkpoint import contract_of
from trainer.config import RunConfig
from trainer.sizes import chunk_mb, count_cores, count_workers
from trainer.trials import (
    ROUNDS,
    CollectTrial,
    LearnTrial,
    in_turn,
    play_mb,
    usable_mb,
)
from trainer.tuning import (
    LEAST_DECISIONS,
    NEAR,
    Layout,
    Try,
    choose,
    choose_chunk,
    chunks_of,
    search,
    with_layout,
)

MOST_ROWS: Final = 16_384
"""Rows that chunk sizes are measured on, unless the config's own chunk is larger."""
LOOK_S: Final = 1.0
"""Seconds of looking how busy the machine is."""
BUSY_PERCENT: Final = 10
"""Of all cores, from which on others are warned of."""
MEMORY: Final = torch.device("cpu")
"""Where arenas lie."""


def tune(
    config: RunConfig, config_folder: Path, seconds: float, say: Callable[[str], None]
) -> None:
    """Measure, one line a finding, then the settings to take and why.

    Args:
        config: The run's settings; its own layout and chunk are measured as well.
        config_folder: Where the user's own rewards and start states are.
        seconds: Of each measurement.
        say: Gets each line for a person.

    Raises:
        MeshError, RewardError, StartFileError, DeviceError, WorkerError: As `build`.
    """
    device = choose_device(config.device)
    free = psutil.virtual_memory().available / 2**30
    say(f"machine       {count_cores()} cores, {free:.1f} GB free, {device_words(device)}")
    busy = psutil.cpu_percent(LOOK_S)
    if busy > BUSY_PERCENT:
        say(f"warning       other programs use {busy:.0f} % of the cores: try again without them")
    arenas = _Arenas(config, config_folder, seconds)

    def note(layout: Layout, found: Try) -> None:
        say(_layout_line(config, layout, found, "yours" if layout == arenas.own else ""))

    try:
        tries = search(arenas.own, count_cores(), arenas.possible, arenas.duel, note)
    finally:
        arenas.close()
    chunks = _chunk_speeds(config, device, seconds)
    more = (_chunk_lines(config, chunks), _choice_lines(config, arenas.own, tries, chunks))
    for line in (*arenas.passed_over.values(), *chain(*more)):
        say(line)


class _Arenas:
    """Measures layouts; keeps those alive that were measured last, who are likely asked again."""

    def __init__(self, config: RunConfig, config_folder: Path, seconds: float) -> None:
        self._config, self._folder, self._seconds = config, config_folder, seconds
        self._trials: dict[Layout, CollectTrial] = {}
        contract = contract_of(config, 0)
        self._widths = (contract.obs_width, contract.num_actions)
        self.own = Layout(count_workers(config), config.sim.arenas)
        """What the config has."""
        self.passed_over: dict[Layout, str] = {}
        """Why layouts were not measured, a line each."""

    def possible(self, layout: Layout) -> bool:
        """Whether the config may have it, its rollouts are long enough, and memory is there."""
        try:
            config = with_layout(self._config, layout)
        except ValueError:
            return False
        needed, free = play_mb(config, layout.workers, *self._widths), usable_mb(MEMORY)
        words = f"{layout.workers} workers, {layout.arenas:,} arenas"
        if config.rollout_length < LEAST_DECISIONS:
            why = f"rollouts of {config.rollout_length} decisions, fewer than {LEAST_DECISIONS}"
        elif needed > free:
            why = f"about {needed:,.0f} MB of memory, and {free:,.0f} MB may be taken"
        else:
            return True
        self.passed_over[layout] = f"not tried     {words}: {why}"
        return False

    def duel(self, one: Layout, other: Layout) -> tuple[float, float]:
        """Steps a second of both, measured in turn."""
        for layout in self._trials.keys() - {one, other}:
            self._trials.pop(layout).close()
        for layout in (one, other):
            if layout not in self._trials:
                config = with_layout(self._config, layout)
                self._trials[layout] = CollectTrial(config, self._folder)
        turn = self._seconds / ROUNDS
        trials = [self._trials[layout] for layout in (one, other)]
        first, second = in_turn([partial(trial.run, turn) for trial in trials])
        return first, second

    def close(self) -> None:
        """End all processes."""
        for trial in self._trials.values():
            trial.close()


def _chunk_speeds(config: RunConfig, device: torch.device, seconds: float) -> dict[int, float]:
    """Steps a second of an epoch by chunk size; those that need too much memory are left out."""
    own = config.ppo.minibatch_size
    rows = min(config.ppo.batch_size, max(MOST_ROWS, own))
    sizes = [
        size
        for size in chunks_of(rows, own)
        if size == own or chunk_mb(config, size) < usable_mb(device)
    ]
    trial = LearnTrial(config, rows)
    # Networks that need longer than asked for are measured once: noise is a small part of it.
    rounds = ROUNDS if rows / trial.run(own) < seconds / ROUNDS else 1
    found = in_turn([partial(trial.run, size) for size in sizes], rounds)
    return dict(zip(sizes, found, strict=True))


def _layout_line(config: RunConfig, layout: Layout, found: Try, mark: str) -> str:
    length = with_layout(config, layout).rollout_length
    words = f"{layout.workers:>3} workers, {layout.arenas:>6,} arenas, {length:>5,} decisions"
    return f"collects      {words}: {found.sps:>9,.0f} steps/s x{found.speed:.2f} {mark}".rstrip()


def _chunk_lines(config: RunConfig, chunks: dict[int, float]) -> Iterator[str]:
    own = config.ppo.minibatch_size
    for size, sps in chunks.items():
        mark = "yours" if size == own else ""
        words = f"learns        in chunks of {size:>6,} rows"
        yield f"{words}: {sps:>9,.0f} steps/s x{sps / chunks[own]:.2f} {mark}".rstrip()


def _choice_lines(
    config: RunConfig, own: Layout, tries: dict[Layout, Try], chunks: dict[int, float]
) -> Iterator[str]:
    long_enough = {
        layout: found
        for layout, found in tries.items()
        if with_layout(config, layout).rollout_length >= LEAST_DECISIONS
    }
    layout = choose(long_enough) if long_enough else own
    chunk, own_chunk = choose_chunk(chunks), config.ppo.minibatch_size
    if tries:
        mine, theirs = (
            _overall(config, tries[taken].speed * tries[own].sps, chunks[size])
            for taken, size in ((layout, chunk), (own, own_chunk))
        )
        yield f"overall       about {mine:,.0f} steps/s, with what you have {theirs:,.0f}"
    words = "the fewest arenas and the smallest chunk of all that are"
    yield f"why           {words} within {1 - NEAR:.0%} of the fastest"
    length, now = with_layout(config, layout).rollout_length, config.rollout_length
    if length != now:
        words = f"arenas change how long rollouts are, from {now:,} decisions to {length:,}"
        yield f"careful       {words}, which may change learning;"
        yield "              ppo.steps_per_iteration in the same proportion keeps their length"
    yield from ("", "[sim]", f"workers = {layout.workers}", f"arenas = {layout.arenas}")
    yield from ("", "[ppo]", f"minibatch_size = {chunk}", "")
    yield (
        f"--set sim.workers={layout.workers} --set sim.arenas={layout.arenas} "
        f"--set ppo.minibatch_size={chunk}"
    )


def _overall(config: RunConfig, collect_sps: float, learn_sps: float) -> float:
    """Steps a second of whole iterations."""
    # Seconds of a step are those of playing it and those of each time it is learned from.
    return 1 / (1 / collect_sps + config.ppo.epochs / learn_sps)
