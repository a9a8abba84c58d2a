from tui.quitting import PATIENCE_S, Quitting


def test_nothing_is_done_before_somebody_asks() -> None:
    assert Quitting().orders("running", 0.0) == []


def test_asking_sends_one_quit() -> None:
    quitting = Quitting()
    quitting.ask(0.0)
    assert quitting.orders("running", 0.0) == ["send"]
    assert quitting.orders("running", 100.0) == []


def test_asking_again_sends_a_second_quit_and_after_some_patience_a_signal_once() -> None:
    quitting = Quitting()
    quitting.ask(0.0)
    quitting.orders("running", 0.0)
    quitting.ask(10.0)
    assert quitting.orders("running", 10.0) == ["send"]
    assert quitting.orders("running", 10.0 + PATIENCE_S - 0.1) == []
    assert quitting.orders("running", 10.0 + PATIENCE_S) == ["interrupt"]
    quitting.ask(20.0)
    assert quitting.orders("running", 60.0) == []


def test_a_trainer_that_starts_is_told_when_it_listens() -> None:
    quitting = Quitting()
    quitting.ask(0.0)
    assert quitting.orders("starting", 0.0) == []
    assert quitting.orders("running", 3.0) == ["send"]


def test_a_trainer_that_starts_and_is_forced_gets_a_signal_at_once() -> None:
    quitting = Quitting()
    quitting.ask(0.0)
    quitting.ask(0.1)
    assert quitting.orders("starting", 0.1) == ["interrupt"]


def test_a_trainer_that_is_gone_is_left_alone() -> None:
    quitting = Quitting()
    quitting.ask(0.0)
    quitting.ask(0.1)
    assert quitting.orders("stopped", 60.0) == []
    assert quitting.orders("died", 60.0) == []
