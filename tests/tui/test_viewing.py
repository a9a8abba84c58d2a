from dataclasses import replace
from pathlib import Path

from trainer.config import RunConfig
from trainer.run_dir import RunDir, new_status
from tui.known import Known
from tui.viewing import Viewing

TRAINS = Known(RunDir(Path("run")), RunConfig(), "running", new_status("cpu"), now=100.0)


def test_the_policy_is_asked_for_and_asked_for_again_until_it_comes() -> None:
    viewing = Viewing(deterministic=False, on=True)
    assert viewing.must_ask(TRAINS)
    assert not viewing.must_ask(replace(TRAINS, now=102.9))
    assert viewing.must_ask(replace(TRAINS, now=103.0))


def test_nothing_is_asked_while_it_comes_or_nobody_watches_or_nobody_trains() -> None:
    fed = replace(TRAINS, status=replace(new_status("cpu"), viewer=True))
    assert not Viewing(deterministic=False, on=True).must_ask(fed)
    assert not Viewing(deterministic=False).must_ask(TRAINS)
    assert not Viewing(deterministic=False, on=True).must_ask(replace(TRAINS, situation="stopped"))
