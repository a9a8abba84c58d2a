import json
from pathlib import Path

import pytest

from benchmarks.soak import Soak, lines_of, measure, slope, write_soak
from tests.trainer.tiny import SETTINGS


def test_a_leak_is_its_slope_after_the_warm_up() -> None:
    # 50 iterations that warm up, then 2 kB an iteration: 2 MB in 1,000.
    memory = [100.0 + turn for turn in range(50)] + [150 + 0.002 * turn for turn in range(50)]
    assert slope(memory) == pytest.approx((2.0, 0.0), abs=1e-6)
    assert slope([5.0] * 50) == pytest.approx((0.0, 0.0))


def test_noise_around_a_level_is_told_by_the_error() -> None:
    # ±1 in turn: s² = Σ r² / (n − 2) / Σ (t − t̄)² = 50 / 48 / (50 (50² − 1) / 12 · 1e-6) = 100.
    memory = [0.0] * 50 + [100.0 + (-1) ** turn for turn in range(50)]
    found, error = slope(memory)
    assert abs(found) < error
    assert error == pytest.approx(10.0, rel=1e-3)


def test_a_short_training_is_soaked(tmp_path: Path) -> None:
    found = measure(6, SETTINGS)
    assert len(found.rss_mb) == 6
    assert min(found.rss_mb) > 50
    write_soak(tmp_path / "soak.json", found)
    assert json.loads((tmp_path / "soak.json").read_text())["rss_mb"] == found.rss_mb


def test_a_person_reads_first_warm_and_last() -> None:
    memory = [*(float(turn) for turn in range(50)), *([50.0] * 49), 51.0]
    lines = lines_of(Soak(memory, 12.4))
    assert lines[0] == "100 iterations in 12 s"
    assert lines[1].split(maxsplit=1)[1] == "0.0 MB at first, 50.0 MB warm, 51.0 MB at last"
