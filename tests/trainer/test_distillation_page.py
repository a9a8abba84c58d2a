"""What `docs/distillation.md` tells people to run does what it says."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from rlgym.rocket_league.common_values import (
    BACK_NET_Y,
    CAR_MAX_ANG_VEL,
    CAR_MAX_SPEED,
    CEILING_Z,
    SIDE_WALL_X,
)
from rlgym.rocket_league.obs_builders import DefaultObs
from torch import nn

from rlbot_agent.observation import make_observation
from tests.rlbot_agent.test_obs import engine_on
from tests.trainer.foreign import DiscreteFF, hidden, save_pickled
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of
from trainer.config import ResetsConfig
from trainer.config_transfer import TeacherConfig
from trainer.meshes import find_meshes
from trainer.resets import draw_starts
from trainer.sim import Simulator
from trainer.teachers import load_teacher

PAGE = Path(__file__).parents[2] / "docs" / "distillation.md"
RESCALE, PLAIN, UNPACK = re.findall(
    r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
)
STUDENT = contract_of(tiny_config(), 0)


def test_the_first_layer_takes_in_the_scales_of_rlgym_ppos_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = DiscreteFF(92, 32)
    save_pickled(theirs, tmp_path / "PPO_POLICY.pt")
    monkeypatch.chdir(tmp_path)
    exec(RESCALE, {})
    teacher = load_teacher(Path("rescaled.pt"), TeacherConfig(), STUDENT, ["1v1"])

    builder = DefaultObs(
        zero_padding=None,
        pos_coef=np.asarray([1 / SIDE_WALL_X, 1 / BACK_NET_Y, 1 / CEILING_Z]),
        ang_coef=1 / np.pi,
        lin_vel_coef=1 / CAR_MAX_SPEED,
        ang_vel_coef=1 / CAR_MAX_ANG_VEL,
    )
    rng = np.random.default_rng(0)
    sim = Simulator(4, (0, 1), 8, 1, find_meshes(""), rng)
    sim.reset(np.arange(4), draw_starts(4, (0, 1), ResetsConfig(), rng))
    for _ in range(20):
        sim.step(rng.integers(0, 90, (4, 2)))
    seen = [builder.build_obs([0, 1], engine_on(sim, b)._get_state(), {}) for b in range(4)]
    rows = np.array([[each[0], each[1]] for each in seen], np.float32)
    ours = torch.from_numpy(make_observation("default", (0, 1)).build(sim.state))
    assert np.abs(rows - ours.numpy()).max() > 0.1
    torch.testing.assert_close(
        teacher.actor(ours), theirs.logits(torch.from_numpy(rows)), atol=1e-5, rtol=0
    )


def test_the_first_layer_takes_in_what_rlgym_ppos_learner_standardises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = DiscreteFF(92, 32)
    save_pickled(theirs, tmp_path / "PPO_POLICY.pt")
    # Of the first number: mean 0.25, variance 12 / (4 - 1), so a deviation of 2.
    stats = {"mean": [0.25, *[7.0] * 91], "var": [12.0, *[5.0] * 91], "shape": [92], "count": 4}
    book = {"epoch": 3, "obs_running_stats": stats}
    (tmp_path / "BOOK_KEEPING_VARS.json").write_text(json.dumps(book))
    monkeypatch.chdir(tmp_path)
    exec(PLAIN, {})
    teacher = load_teacher(Path("plain.pt"), TeacherConfig(), STUDENT, ["1v1"])
    obs = torch.randn(10, 92)
    torch.testing.assert_close(
        teacher.actor(obs), theirs.logits((obs - 0.25) / 2), atol=1e-5, rtol=0
    )


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_torchscript_that_is_trusted_becomes_a_folder_that_is_a_teacher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = nn.Sequential(*hidden(92, (16,), nn.LayerNorm))
    actor = nn.Sequential(*hidden(16, (8,), nn.LayerNorm), nn.Linear(8, 90))
    for module, name in ((head, "SHARED_HEAD.lt"), (actor, "POLICY.lt")):
        torch.jit.save(torch.jit.script(module), tmp_path / name)
    monkeypatch.chdir(tmp_path)
    exec(UNPACK, {})
    known = TeacherConfig(norm="layer_norm")
    teacher = load_teacher(tmp_path, known, STUDENT, ["1v1"])
    obs = torch.randn(10, 92)
    torch.testing.assert_close(teacher.actor(obs), actor(head(obs)), atol=1e-6, rtol=0)
