import pytest

from trainer.bench_phases import PARTS, phase_lines, phases_of


def record(**seconds: float) -> dict[str, float]:
    """The timing of an iteration, 0 where nothing is said."""
    names = [name for part, phases in PARTS.items() for name in (part, *phases)]
    return {f"Timing/{name}_s": seconds.get(name, 0.0) for name in names}


def test_what_no_phase_holds_is_said_and_all_add_up_to_the_wall() -> None:
    slow = record(collect=5.0, physics=4.0, waiting=0.5, update=3.0, steps=3.0, publish=0.25)
    fast = record(collect=3.0, physics=2.0, waiting=0.5, update=1.0, steps=0.5, save=0.25)
    found = phases_of([slow, fast], [9.0, 5.0])
    assert (found["physics"], found["steps"], found["save"]) == (3.0, 1.75, 0.125)
    # 4 + 1.75 + 0.125 + 0.125 = 6 of 7: a quarter of a second of the update, and more, is nowhere.
    assert (found["unaccounted"], found["wall"]) == (1.0, 7.0)


def test_a_person_reads_each_phase_under_what_it_is_part_of() -> None:
    timing = record(collect=3.0, rollout=3.0, physics=2.0, update=0.5, steps=0.5)
    lines = [line.split() for line in phase_lines(phases_of([timing], [4.0]))]
    assert lines[1:4] == [
        ["collect", "3.0000", "s", "75.0%"],
        ["rollout", "3.0000", "s", "75.0%"],
        ["physics", "2.0000", "s", "50.0%"],
    ]
    names = [words[0] for words in lines[1:]]
    assert names.index("update") < names.index("steps") < names.index("save")
    assert lines[-2:] == [
        ["unaccounted", "0.5000", "s", "12.5%"],
        ["wall", "4.0000", "s", "100.0%"],
    ]


@pytest.mark.parametrize("missing", ["Timing/publish_s", "Timing/steps_s"])
def test_a_metric_that_is_missing_is_no_zero(missing: str) -> None:
    timing = record()
    del timing[missing]
    with pytest.raises(KeyError):
        phases_of([timing], [1.0])
