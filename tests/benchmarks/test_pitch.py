"""The made-up game, and that its cost is counted."""

from benchmarks.pitch import game, measure
from trainer.frames import from_line, to_line


def test_every_moment_is_a_frame_and_things_happen() -> None:
    frames = [game(tick / 15) for tick in range(300)]
    assert all(from_line(to_line(frame)) == frame for frame in frames)
    cars = [car for frame in frames for car in frame.cars]
    for happens in ("touched", "boosting", "demolished", "on_ground"):
        assert {getattr(car, happens) for car in cars} == {True, False}


def test_what_a_terminal_is_sent_is_counted() -> None:
    # A picture differs from the one before in far fewer cells than the screen has.
    found = measure(frames=5, fps=100)
    assert 100 < found.bytes < 120 * 40 * 4
    assert found.cpu_ms > 0
