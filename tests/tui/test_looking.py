from tui.looking import LOOK_S, Looking


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_look_is_due_at_first_and_then_every_two_seconds() -> None:
    clock = Clock()
    looking = Looking(clock)
    assert looking.begin()
    looking.end()
    clock.now += LOOK_S - 0.1
    assert not looking.begin()
    clock.now += 0.1
    assert looking.begin()


def test_there_is_one_look_at_a_time_however_long_it_takes() -> None:
    clock = Clock()
    looking = Looking(clock)
    assert looking.begin()
    clock.now += 10 * LOOK_S
    assert not looking.begin()
    looking.end()
    assert looking.begin()


def test_what_changed_is_looked_at_soon() -> None:
    looking = Looking(Clock())
    assert looking.begin()
    looking.soon()
    assert not looking.begin()
    looking.end()
    assert looking.begin()
