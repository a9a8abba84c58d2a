"""Playing and whole sessions on a device that is not the host's.

`elsewhere.py` is that device, for machines that have none. Beside `test_elsewhere.py`.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from tests.trainer.elsewhere import DEVICE, Elsewhere, entered
from tests.trainer.test_central import TWO
from tests.trainer.test_workers import nothing, run_of
from tests.trainer.tiny import tiny_config
from trainer import builder, training
from trainer.builder import build
from trainer.central import Central
from trainer.deciding import GROUPS
from trainer.game import Counts
from trainer.overlap import _Flight


@pytest.fixture
def chosen(device: Elsewhere, monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    """The device, when a session looks for one; a thread that plays has to enter it as well."""
    play = _Flight._play

    def fly(flight: _Flight) -> list[Counts]:
        with entered():
            return play(flight)

    monkeypatch.setattr(_Flight, "_play", fly)
    for module in (builder, training):
        monkeypatch.setattr(module, "choose_device", lambda name: DEVICE)
    return device


def test_of_a_rollout_that_is_decided_there_only_actions_come_back_row_by_row(
    chosen: Elsewhere,
) -> None:
    players = build(tiny_config(*TWO), Path(), None).players
    assert isinstance(players, Central)
    chosen.asked.clear()
    chosen.sent.clear()
    players.collect(0, nothing)
    players.close()
    decided = GROUPS * len(players.rollout.obs)
    # Where the next values of cut rows go, and whether all was finite, at the end.
    assert chosen.asked == decided * ["copy_"] + ["index_put_", "_local_scalar_dense"]
    # Observations, masks and numbers to draw with; then rewards, ends and who counts, and what is
    # left to be valued.
    assert chosen.sent == (3 * decided + 4) * ["copy_"] + ["_to_copy"]


# PyTorch warns of loading into what calls itself meta, which is not empty here.
@pytest.mark.filterwarnings("ignore:for .* copying from a non-meta parameter")
@pytest.mark.parametrize(
    ("inference", "settings"),
    [
        ("central", ("selfplay.chance=1", "selfplay.groups=2", "versions.every_steps=100")),
        ("workers", ("ppo.overlap=true", "ppo.scale_rewards=true")),
    ],
)
def test_a_run_that_is_resumed_there_is_the_run_that_is_resumed_here(
    chosen: Elsewhere,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    inference: str,
    settings: tuple[str, ...],
) -> None:
    # One process plays all arenas, or a thread of this one where nobody is asked.
    monkeypatch.setattr(builder, "count_workers", lambda config: 1)
    settings = (f"sim.inference={inference}", "ppo.steps_per_iteration=160", *settings)
    for _ in range(2):
        there = run_of(tmp_path / "there", *settings, iterations=2)
    for module in (builder, training):
        monkeypatch.setattr(module, "choose_device", lambda name: torch.device("cpu"))
    for _ in range(2):
        here = run_of(tmp_path / "here", *settings, iterations=2)
    np.testing.assert_equal(there, here)
