from benchmarks.charts import lines_of, see


def test_a_run_that_was_made_for_it_is_seen_whole() -> None:
    found = see(iterations=300, metrics=6)
    assert 0 < found.first_s < found.first_s + found.page_s <= found.whole_s
    assert 0 < found.frame_ms < 1000
    assert found.file_mb > 0.03
    assert 0 < found.iteration_ms < 1000
    assert len(lines_of(found)) == 7
