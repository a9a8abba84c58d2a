"""One iteration, or one error, as one plain line for a person, or for a log file.

Knows no terminal: no colour, no cursor, no width. Tested by `tests/trainer/test_report.py`.
"""

import math

from trainer.metrics import IterationMetrics

COLUMNS = (
    ("Throughput/overall_sps", "steps/s", "{:,.0f}"),
    ("Reward/total", "reward", "{:.4f}"),
    ("Game/touches_per_minute", "touches/min", "{:.2f}"),
    ("Game/goals_per_minute", "goals/min", "{:.2f}"),
    ("Loss/approx_kl", "KL", "{:.4f}"),
    ("Loss/entropy", "entropy", "{:.3f}"),
    ("Loss/explained_variance", "explained", "{:.2f}"),
    ("Transfer/accuracy", "accuracy", "{:.3f}"),
    ("Transfer/kl", "KL to teacher", "{:.4f}"),
    ("Timing/iteration_s", "seconds", "{:.1f}"),
)
"""Metric, its word in the line, its format."""


def iteration_line(iteration: IterationMetrics) -> str:
    """For example "iteration 12 | 614,400 steps | steps/s 8,931 | reward 0.0312 | …"."""
    parts = [f"iteration {iteration.iteration:,}", f"{iteration.steps:,} steps"]
    parts += [
        f"{word} {_number(iteration.values[name], shape)}"
        for name, word, shape in COLUMNS
        if name in iteration.values
    ]
    return " | ".join(parts)


def error_words(error: Exception) -> str:
    """What an error says, and the notes that were added to it on its way."""
    return "; ".join([str(error), *getattr(error, "__notes__", [])])


def _number(value: float, shape: str) -> str:
    return shape.format(value) if math.isfinite(value) else "-"
