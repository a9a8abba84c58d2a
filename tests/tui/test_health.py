import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.tui.conftest import RECORDED
from trainer import jsonl
from trainer.config import RunConfig
from trainer.control import Event, EventKind
from trainer.metrics import IterationMetrics, from_record
from tui.health import Case, Rule, findings
from tui.health_rules import RULES
from tui.history import WINDOW

HEALTHY = {
    "Loss/policy": -0.002,
    "Loss/value": 10.0,
    "Loss/approx_kl": 0.009,
    "Loss/clipfrac": 0.12,
    "Loss/entropy_normalized": 0.7,
    "Loss/explained_variance": 0.8,
    "Update/actor_magnitude": 1.5,
    "Update/critic_magnitude": 1.5,
    "Throughput/overall_sps": 10_000.0,
}


def iterations(
    count: int, change: Callable[[int], dict[str, float]] = lambda n: {}, steps: int = 50_000
) -> list[IterationMetrics]:
    """Healthy iterations 1 to `count`, 10 s each, but for what `change` says of one."""
    return [
        IterationMetrics(n, n * steps, 10.0 * n, HEALTHY | change(n)) for n in range(1, count + 1)
    ]


def fired(window: Sequence[IterationMetrics], **known: Any) -> list[str]:  # noqa: ANN401 - fields of a Case
    case = Case(window, known.pop("config", config()), **known)
    return [finding.rule for finding in findings(case, RULES)]


def config(**health: float) -> RunConfig:
    return RunConfig.model_validate({"health": {"quiet_iterations": 0} | health})


def happened(kind: EventKind, time: float, text: str = "") -> Event:
    return Event(time, kind, text, 0)


def after(number: int, **values: float) -> Callable[[int], dict[str, float]]:
    """`values`, such as Loss__value=3.0, in the iterations after `number`."""
    changed = {name.replace("__", "/"): value for name, value in values.items()}
    return lambda n: changed if n > number else {}


def test_a_healthy_run_is_told_nothing() -> None:
    assert fired(iterations(WINDOW), free_disk=1e12) == []


def test_nothing_is_said_before_the_first_iteration() -> None:
    assert fired([], free_disk=1e12) == []


def test_the_recorded_run_is_healthy_at_every_iteration_of_it() -> None:
    records = jsonl.read_all(RECORDED / "metrics.jsonl")
    window = [found for record in records if (found := from_record(record))]
    assert len(window) == 48
    for end in range(1, 49):
        assert fired(window[:end]) == []


LASTING = [
    ("kl-high", "Loss/approx_kl", 0.031, 0.030, 3),
    ("kl-low", "Loss/approx_kl", 0.00049, 0.0005, 20),
    ("clip-high", "Loss/clipfrac", 0.26, 0.25, 10),
    ("clip-low", "Loss/clipfrac", 0.009, 0.01, 10),
    ("entropy-collapse", "Loss/entropy_normalized", 0.14, 0.15, 10),
    ("critic-blind", "Loss/explained_variance", -0.01, 0.0, 20),
]


@pytest.mark.parametrize(("rule", "metric", "beyond", "at", "lasts"), LASTING)
def test_what_passes_its_threshold_must_last(
    rule: str, metric: str, beyond: float, at: float, lasts: int
) -> None:
    values = lambda value, since: iterations(60, after(60 - since, **{metric: value}))  # noqa: E731
    assert fired(values(beyond, lasts)) == [rule]
    assert fired(values(beyond, lasts - 1)) == []
    assert fired(values(at, 60)) == []


def test_one_calm_iteration_ends_a_warning() -> None:
    calm = lambda n: {"Loss/approx_kl": 0.009 if n == 59 else 0.5}  # noqa: E731
    assert fired(iterations(60, calm)) == []


def test_a_low_entropy_is_a_collapse_only_while_it_is_early() -> None:
    low = after(0, Loss__entropy_normalized=0.1)
    # 60 iterations of 1.7 million steps are 102 million: what is low by then may be right.
    assert fired(iterations(60, low, steps=1_600_000)) == ["entropy-collapse"]
    assert fired(iterations(60, low, steps=1_700_000)) == []


def test_a_high_entropy_is_no_learning_only_when_it_is_late() -> None:
    high = after(0, Loss__entropy_normalized=0.99)
    assert fired(iterations(60, high, steps=300_000)) == []  # 18 million
    assert fired(iterations(60, high, steps=340_000)) == ["entropy-flat"]  # 20.4 million


def test_a_value_loss_three_times_its_usual_for_ten_iterations_has_jumped() -> None:
    assert fired(iterations(100, after(90, Loss__value=30.1))) == ["value-loss"]
    assert fired(iterations(100, after(91, Loss__value=30.1))) == []
    assert fired(iterations(100, after(90, Loss__value=30.0))) == []
    # With 49 iterations before them nobody knows what is usual.
    assert fired(iterations(59, after(49, Loss__value=99.0))) == []
    # A loss that doubles over a hundred iterations is the bot that meets more goals.
    assert fired(iterations(130, lambda n: {"Loss/value": 10 + n / 13})) == []


def test_a_run_that_keeps_less_than_three_fifths_of_its_speed_is_slow() -> None:
    assert fired(iterations(60, after(55, Throughput__overall_sps=5_900.0))) == ["slow"]
    assert fired(iterations(60, after(56, Throughput__overall_sps=5_900.0))) == []
    assert fired(iterations(60, after(55, Throughput__overall_sps=6_000.0))) == []
    assert fired(iterations(24, after(19, Throughput__overall_sps=100.0))) == []


@pytest.mark.parametrize("network", ["shared", "actor", "critic"])
def test_a_network_that_did_not_move_at_all_is_named_at_once(network: str) -> None:
    window = iterations(1, after(0, **{f"Update__{network}_magnitude": 0.0}))
    (finding,) = findings(Case(window, RunConfig()), RULES)
    assert (finding.rule, finding.seen) == (
        "nothing-trained",
        f"the last update moved no weight of: {network}",
    )


def test_an_actor_that_waits_for_its_critic_is_no_trouble() -> None:
    still = {"Update__actor_magnitude": 0.0, "Update__shared_magnitude": 0.0}
    still |= {"Loss__approx_kl": 0.0, "Loss__clipfrac": 0.0}
    assert fired(iterations(60, after(0, **still))) == ["nothing-trained", "kl-low"]
    waiting = {**still, "Update__critic_only": 1.0}
    assert fired(iterations(60, after(0, **waiting))) == []
    # A critic that does not move is one, in a warm-up too.
    assert fired(iterations(60, after(0, **waiting, Update__critic_magnitude=0.0))) == [
        "nothing-trained"
    ]


def test_a_loss_that_is_no_number_is_named_at_once() -> None:
    window = iterations(1, after(0, Loss__value=math.nan, Loss__explained_variance=math.nan))
    (finding,) = findings(Case(window, RunConfig()), RULES)
    assert finding.seen == "Loss/value: not a finite number in the last iteration"


def test_an_explained_variance_that_could_not_be_measured_is_no_fault() -> None:
    assert fired(iterations(60, after(0, Loss__explained_variance=math.nan))) == []


def test_an_error_about_a_number_is_told_until_the_run_starts_anew() -> None:
    error = happened("error", 20.0, "NonFiniteError: Loss/policy is nan (its rows are finite)")
    other = happened("error", 20.0, "OSError: no space left")
    assert fired([], events=[happened("start", 10.0), error]) == ["not-finite"]
    assert fired([], events=[happened("start", 10.0), error, happened("start", 30.0)]) == []
    assert fired([], events=[other]) == []


def test_a_disk_with_less_than_two_gigabytes_is_told_before_any_iteration() -> None:
    assert fired([], free_disk=1.99e9) == ["disk"]
    assert fired([], free_disk=2.0e9) == []
    assert fired([], free_disk=math.nan) == []


def test_warnings_that_say_the_same_are_told_once() -> None:
    both = after(0, Loss__approx_kl=0.5, Loss__clipfrac=0.6)
    assert fired(iterations(60, both)) == ["kl-high"]
    assert fired(iterations(60, after(0, Loss__approx_kl=1e-5, Loss__clipfrac=0.0))) == ["kl-low"]


@pytest.mark.parametrize("kind", ["start", "edit"])
def test_a_change_silences_what_it_may_have_caused_for_a_while(kind: EventKind) -> None:
    # The change comes at 605 s, in iteration 61; 10 iterations are let go, then 3 must be too high.
    events = [happened(kind, 605.0)]
    quiet = config(quiet_iterations=10)
    high = after(0, Loss__approx_kl=0.5)
    assert fired(iterations(60, high), config=quiet, events=events[:0]) == ["kl-high"]
    assert fired(iterations(72, high), config=quiet, events=events) == []
    assert fired(iterations(73, high), config=quiet, events=events) == ["kl-high"]


@pytest.mark.parametrize("kind", ["save", "viewer", "warning"])
def test_what_changes_nothing_silences_nothing(kind: EventKind) -> None:
    high = iterations(60, after(0, Loss__approx_kl=0.5))
    assert fired(high, events=[happened(kind, 599.0)]) == ["kl-high"]


def test_what_was_usual_before_a_change_is_forgotten() -> None:
    window = iterations(100, after(50, Throughput__overall_sps=1_000.0, Loss__value=99.0))
    assert fired(window[:60]) == ["value-loss", "slow"]
    assert fired(window, events=[happened("edit", 505.0)]) == []


def test_every_rule_reaches_back_less_than_what_is_kept_and_let_go() -> None:
    # The longest: 10 iterations that last after 100 that are compared with, and 20 let go at most.
    jump = iterations(500, after(490, Loss__value=99.0))[-WINDOW:]
    assert fired(jump, config=config(quiet_iterations=20)) == ["value-loss"]
    assert WINDOW >= 10 + 100 + 20


def test_thresholds_are_settings() -> None:
    window = iterations(60, after(0, Loss__approx_kl=0.05))
    assert fired(window, config=config(max_kl=0.06)) == []
    assert fired(iterations(60), config=config(max_kl=0.008)) == ["kl-high"]
    assert fired(iterations(60), config=config(min_kl=0.01)) == ["kl-low"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_says_when_it_warns_who_says_so_and_what_to_try(rule: Rule) -> None:
    assert rule.threshold(RunConfig().health)
    assert len(rule.source.split()) > 5
    assert rule.advice.endswith(".")
    assert rule.unless in ("", *(other.id for other in RULES[: RULES.index(rule)]))


def test_the_page_about_health_lists_every_rule_as_it_is() -> None:
    page = Path(__file__).parents[2] / "docs" / "health.md"
    rows = re.findall(r"^\| `.*$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [
        f"| `{rule.id}` | {rule.threshold(RunConfig().health)} | {rule.source} | {rule.advice} |"
        for rule in RULES
    ]
