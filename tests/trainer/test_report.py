from trainer.metrics import IterationMetrics
from trainer.report import iteration_line


def test_an_iteration_is_one_plain_line() -> None:
    values = {"Throughput/overall_sps": 8931.4, "Reward/total": 0.03124, "GAE/unseen": 1.0}
    line = iteration_line(IterationMetrics(12, 614_400, 0.0, values))
    assert line == "iteration 12 | 614,400 steps | steps/s 8,931 | reward 0.0312"


def test_a_number_that_is_not_finite_is_a_dash() -> None:
    values = {"Loss/approx_kl": float("nan"), "Loss/entropy": float("inf")}
    line = iteration_line(IterationMetrics(1, 2, 0.0, values))
    assert line == "iteration 1 | 2 steps | KL - | entropy -"
