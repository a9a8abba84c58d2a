from dataclasses import replace
from typing import get_args

from trainer.run_dir import Phase, Status
from tui.widgets.notice import waiting

STATUS = Status(1, 0.0, 0.0, "starting", 0.0, "cpu", 0, 0, 0, False)


def test_a_start_always_says_what_it_waits_for() -> None:
    assert waiting(None) == "Starting: loading the trainer…"
    for phase in get_args(Phase):
        assert waiting(replace(STATUS, phase=phase)).startswith("Starting: ")
