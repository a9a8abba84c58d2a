import pytest

from trainer.beats import beats_of


@pytest.mark.parametrize(
    ("delay", "held", "new"), [(0, 0, 4), (1, 1, 3), (2, 1, 3), (3, 2, 2), (6, 3, 1)]
)
def test_at_60_hz_a_beat_is_two_ticks_and_a_delay_is_rounded_up(
    delay: int, held: int, new: int
) -> None:
    beats = beats_of(60, 8, delay)
    assert (beats.held, beats.new, beats.total) == (held, new, 4)
    assert beats.seconds == pytest.approx(2 / 120)


def test_at_120_hz_beats_are_ticks() -> None:
    beats = beats_of(120, 8, 3)
    assert (beats.held, beats.new, beats.total) == (3, 5, 8)
    assert beats.seconds == pytest.approx(1 / 120)


@pytest.mark.parametrize(("hz", "tick_skip"), [(60, 7), (50, 8), (240, 8)])
def test_a_rate_that_the_ticks_do_not_fit_is_refused(hz: int, tick_skip: int) -> None:
    with pytest.raises(ValueError, match=f"{hz} Hz cannot play decisions of {tick_skip} ticks"):
        beats_of(hz, tick_skip, 0)


def test_a_delay_that_fills_the_decision_once_rounded_up_is_refused() -> None:
    with pytest.raises(ValueError, match="action delay 4 is not within 0 to 3"):
        beats_of(60, 8, 7)
