import os
import signal
import time

import pytest

from trainer.stopping import Limit, Stop, signals_ask


def test_asking_once_ends_after_the_iteration_and_twice_drops_it() -> None:
    stop = Stop()
    assert not stop.asked
    stop.ask()
    assert stop.asked
    assert not stop.insisted
    stop.ask()
    assert stop.insisted


@pytest.mark.skipif(os.name == "nt", reason="Windows has no kill of one's own process by signal")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_each_signal_asks_once_and_the_old_handler_comes_back(name: str) -> None:
    number = getattr(signal, name)
    before = signal.signal(number, signal.SIG_DFL)
    stop = Stop()
    with signals_ask(stop):
        os.kill(os.getpid(), number)
        assert stop.asked
        assert not stop.insisted
    assert signal.getsignal(number) is signal.SIG_DFL
    signal.signal(number, before)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no hang-up")
def test_a_hang_up_that_nohup_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    stop = Stop()
    with signals_ask(stop):
        os.kill(os.getpid(), signal.SIGHUP)
    signal.signal(signal.SIGHUP, before)
    assert not stop.asked


def test_a_limit_ends_at_its_iteration_or_its_time_whichever_comes_first() -> None:
    assert not Limit().reached(10**9)
    assert not Limit(last_iteration=3).reached(2)
    assert Limit(last_iteration=3).reached(3)
    assert not Limit(last_iteration=3, ends=time.time() + 60).reached(2)
    assert Limit(last_iteration=3, ends=time.time() - 1).reached(2)
