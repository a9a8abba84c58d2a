"""What a config comes to, in words: rows and steps of an iteration, parameters, memory, speed.

Pure text. Tested by `tests/tui/test_derived_words.py`.
"""

from trainer.config import RunConfig
from trainer.sizes import Sizes, sizes_of

UNMEASURED = "F5 measures it on this machine"


def derived_lines(config: RunConfig, speed: str = "") -> list[str]:
    """One line a matter; `speed` is what was measured of this very config."""
    found = sizes_of(config)
    rows = found.decisions * found.agents
    return [
        _line("rollout", f"{found.decisions:,} decisions x {found.agents:,} agents = {rows:,}"),
        _line("", f"{found.game_s:.1f} s of game in each of {config.sim.arenas:,} arenas"),
        _line("update", _update_words(config, found)),
        _line("parameters", _parameter_words(found)),
        _line("memory", _memory_words(found)),
        _line("speed", speed or UNMEASURED),
    ]


def _update_words(config: RunConfig, found: Sizes) -> str:
    passes = f", each in {found.passes:,} passes" if found.passes > 1 else ""
    steps = _count(found.optimizer_steps, "optimizer step")
    epochs = _count(config.ppo.epochs, "epoch")
    batches = _count(found.batches, "batch", "batches")
    return f"{epochs} x {batches} = {steps}{passes}"


def _parameter_words(found: Sizes) -> str:
    parts = ", ".join(f"{name} {count:,}" for name, count in found.parameters.items())
    return f"{sum(found.parameters.values()):,}: {parts}"


def _memory_words(found: Sizes) -> str:
    largest = sorted(found.memory_mb.items(), key=lambda part: -part[1])[:3]
    parts = ", ".join(f"{name} {size:,.0f}" for name, size in largest)
    return f"about {sum(found.memory_mb.values()):,.0f} MB: {parts}"


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def _line(name: str, words: str) -> str:
    return f"{name:<11} {words}"
