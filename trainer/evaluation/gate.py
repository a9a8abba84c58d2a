"""Whether the winner is fit to be shipped, in sentences.

Tested by `tests/trainer/evaluation/test_gate.py`.
"""

from dataclasses import dataclass

from trainer.evaluation.protocol import GateConfig
from trainer.evaluation.standings import Record


@dataclass(frozen=True)
class Finding:
    """One condition."""

    passed: bool
    words: str


def judge(
    config: GateConfig, against_random: Record, against_incumbent: Record | None
) -> list[Finding]:
    """What `config` asks of the winner, and whether its records show it."""
    findings = [_beats_random(config.random_margin, against_random)]
    if against_incumbent is not None:
        findings.append(_holds_against(config.incumbent, against_incumbent))
    return findings


def _beats_random(margin: float, record: Record) -> Finding:
    low, needed = record.points.low, 0.5 + margin
    words = f"{record.points.mean:.3f} points a game against random, at least {low:.3f}"
    passed = low >= needed
    return Finding(passed, f"{words}; {needed:.3f} {'is' if passed else 'was'} needed")


def _holds_against(incumbent: str, record: Record) -> Finding:
    mean = record.points.mean
    passed = mean >= 0.5
    words = f"{mean:.3f} points a game against the incumbent {incumbent}"
    return Finding(passed, f"{words}; 0.500 {'is' if passed else 'was'} needed")
