from pathlib import Path

from benchmarks.agent import Start, lines_of, measure
from rlbot_agent.manifest import read_manifest
from tests.export.bundles import make_bundle


def test_a_start_is_measured_in_a_process_of_its_own_that_stays_small(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    (start,) = measure(bundle, 1)
    assert start.files == len(read_manifest(bundle).files)
    assert start.import_s > 0
    assert start.verify_s > 0
    # Python alone takes more than 8 MB; torch alone would take more than 150.
    assert 8 < start.rss_mb < 150


def test_medians_and_largest_are_shown() -> None:
    starts = [Start(0.1, 0.01, 60.0, 40), Start(0.3, 0.02, 61.0, 40), Start(0.2, 0.09, 62.0, 40)]
    assert lines_of(starts) == [
        "3 starts, 40 files verified in each",
        "imports, s       median 0.200, largest 0.300",
        "verification, s  median 0.020, largest 0.090",
        "memory, MB       median 61.000, largest 62.000",
    ]
