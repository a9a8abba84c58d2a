"""What each rule of the health looks for in the last iterations, and how it says what it saw.

Pure functions of a `Case`: a sentence with the numbers, or None. Tested by
`tests/tui/test_health.py`.
"""

import math
from collections.abc import Sequence
from statistics import median

from tui.formatting import compact
from tui.health import Case

KL, CLIPPED, ENTROPY = "Loss/approx_kl", "Loss/clipfrac", "Loss/entropy_normalized"
EXPLAINED, VALUE_LOSS = "Loss/explained_variance", "Loss/value"
SPEED = "Throughput/overall_sps"
KL_HIGH_FOR, KL_LOW_FOR = 3, 20
CLIPPED_FOR = 10
ENTROPY_FOR = 10
EXPLAINED_FOR = 20
VALUE_LOSS_FOR, VALUE_LOSS_BEFORE = 10, (50, 100)
"""Iterations that it must last, and the least and most before them that it is compared with."""
SPEED_FOR, SPEED_BEFORE = 5, (20, 50)
_GB = 1e9
_NETWORKS = ("shared", "actor", "critic")


def kl_high(case: Case) -> str | None:
    """The policy moves too fast."""
    values, most = case.last(KL, KL_HIGH_FOR), case.health.max_kl
    if values and min(values) > most:
        return f"KL {compact(values[-1])}, above {most:g} for {KL_HIGH_FOR} iterations"
    return None


def kl_low(case: Case) -> str | None:
    """The policy barely moves."""
    values, least = case.last(KL, KL_LOW_FOR), case.health.min_kl
    if values and max(values) < least and not _critic_only(case):
        return f"KL {compact(values[-1])}, below {least:g} for {KL_LOW_FOR} iterations"
    return None


def clip_high(case: Case) -> str | None:
    """Updates leave the trusted region."""
    values, most = case.last(CLIPPED, CLIPPED_FOR), case.health.max_clip_fraction
    if values and min(values) > most:
        return f"{values[-1]:.0%} of rows clipped, above {most:.0%} for {CLIPPED_FOR} iterations"
    return None


def clip_low(case: Case) -> str | None:
    """Updates stay far inside the trusted region."""
    values, least = case.last(CLIPPED, CLIPPED_FOR), case.health.min_clip_fraction
    if values and max(values) < least and not _critic_only(case):
        return f"{values[-1]:.1%} of rows clipped, below {least:.0%} for {CLIPPED_FOR} iterations"
    return None


def entropy_collapse(case: Case) -> str | None:
    """The bot has stopped to explore."""
    values, health = case.last(ENTROPY, ENTROPY_FOR), case.health
    early = case.steps < health.min_entropy_until_steps
    if values and early and max(values) < health.min_entropy:
        return (
            f"entropy {values[-1]:.2f} of 1 at {compact(case.steps)} steps, below "
            f"{health.min_entropy:g} for {ENTROPY_FOR} iterations"
        )
    return None


def entropy_flat(case: Case) -> str | None:
    """The bot acts as if it had learned nothing."""
    values, health = case.last(ENTROPY, ENTROPY_FOR), case.health
    late = case.steps >= health.max_entropy_from_steps
    if values and late and min(values) > health.max_entropy:
        return (
            f"entropy still {values[-1]:.3f} of 1 at {compact(case.steps)} steps, above "
            f"{health.max_entropy:g}"
        )
    return None


def critic_blind(case: Case) -> str | None:
    """The critic foresees less than a constant would."""
    values, least = case.last(EXPLAINED, EXPLAINED_FOR), case.health.min_explained_variance
    if values and max(values) < least:
        return (
            f"explained variance {compact(values[-1])}, below {least:g} for "
            f"{EXPLAINED_FOR} iterations"
        )
    return None


def value_loss_jump(case: Case) -> str | None:
    """The critic's error has grown out of its own past."""
    last, before = _split(case, VALUE_LOSS, VALUE_LOSS_FOR, VALUE_LOSS_BEFORE)
    usual, growth = median(before) if before else math.nan, case.health.max_value_loss_growth
    if last and min(last) > growth * usual:
        return f"value loss {compact(last[-1])}, {last[-1] / usual:.1f} times its usual {usual:.3g}"
    return None


def nothing_trained(case: Case) -> str | None:
    """A network has not changed at all in the last update."""
    learning = ("critic",) if _critic_only(case) else _NETWORKS
    still = [name for name in learning if case.last(f"Update/{name}_magnitude", 1) == (0.0,)]
    return f"the last update moved no weight of: {', '.join(still)}" if still else None


def not_finite(case: Case) -> str | None:
    """A loss is no number, or the trainer ended because of one that was none."""
    if case.window:
        values = case.window[-1].values
        # Explained variance is none where all targets are equal.
        losses = [name for name in values if name.startswith("Loss/") and name != EXPLAINED]
        wrong = [name for name in losses if not math.isfinite(values[name])]
        if wrong:
            return f"{', '.join(wrong)}: not a finite number in the last iteration"
    begun = max((event.time for event in case.events if event.kind == "start"), default=-math.inf)
    told = [event for event in case.events if event.kind == "error" and event.time >= begun]
    return next((event.text for event in reversed(told) if "finite" in event.text), None)


def slow(case: Case) -> str | None:
    """The run has become slower than it was."""
    last, before = _split(case, SPEED, SPEED_FOR, SPEED_BEFORE)
    usual, least = median(before) if before else math.nan, case.health.min_throughput
    if last and max(last) < least * usual:
        return (
            f"{compact(last[-1])} steps/s, below {least:.0%} of the usual {compact(usual)} for "
            f"{SPEED_FOR} iterations"
        )
    return None


def disk_full(case: Case) -> str | None:
    """Soon nothing can be saved."""
    least = case.health.min_disk_gb
    if case.free_disk < least * _GB:
        return f"{case.free_disk / _GB:.2f} GB free where the run is saved, below {least:g} GB"
    return None


def _critic_only(case: Case) -> bool:
    """Whether the last update was to leave the actor as it was."""
    return tuple(case.last("Update/critic_only", 1)) == (1.0,)


def _split(
    case: Case, metric: str, count: int, before: tuple[int, int]
) -> tuple[Sequence[float], Sequence[float]]:
    """The last `count` values and those before them; nothing when those are too few."""
    least, most = before
    last = case.last(metric, count)
    earlier = [value for value in case.values(metric)[:-count] if math.isfinite(value)][-most:]
    return (last, earlier) if last and len(earlier) >= least else ((), ())
