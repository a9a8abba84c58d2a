import subprocess
import sys

import numpy as np
import pytest
import torch

from rlbot_agent.actions import NUM_ACTIONS
from rlbot_agent.observation import OBSERVATIONS
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of
from trainer.config_file import load_config, preset_names
from trainer.networks import ActorCritic, parameter_count
from trainer.ppo import shuffled_batches
from trainer.rollout import rollout_plans
from trainer.sizes import ACTIONS, memory_mb, obs_width, parameters, row_bytes, sizes_of

# fmt: off
MIXES = (
    '{"1v1" = 1}', '{"2v2" = 1}', '{"3v3" = 1}', '{"4v4" = 1}', '{"1v1" = 1, "3v3" = 1}',
    '{"1v2" = 1}', '{"4v2" = 1}', '{"1v1" = 1, "2v2" = 0}',
)
# fmt: on


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("modes", MIXES)
@pytest.mark.parametrize("most", [0, 4])
def test_what_is_seen_is_as_wide_as_the_observation_that_is_built(
    observation: str, modes: str, most: int
) -> None:
    asked = (f"sim.observation={observation}", f"sim.modes={modes}", f"sim.max_team_size={most}")
    config = tiny_config(*asked)
    assert obs_width(config.sim) == contract_of(config, 0).obs_width
    assert ACTIONS == NUM_ACTIONS


@pytest.mark.parametrize("norm", ["none", "layer_norm", "rms_norm"])
@pytest.mark.parametrize("shared", ["[]", "[16, 24]"])
def test_parameters_are_those_of_the_networks_that_are_built(norm: str, shared: str) -> None:
    config = tiny_config(f"networks.norm={norm}", f"networks.shared={shared}")
    model = ActorCritic(obs_width(config.sim), NUM_ACTIONS, config.networks)
    built = {name: parameter_count(part) for name, part in model.parts.items()}
    assert parameters(config) == built


def test_a_rollout_takes_as_many_bytes_as_its_arrays() -> None:
    plans = rollout_plans(7, 11, 53, NUM_ACTIONS)
    assert row_bytes(53) * 77 == sum(plan.nbytes for plan in plans.values())


@pytest.mark.parametrize("batch_size", [16, 20, 24, 32])
def test_steps_are_those_that_an_update_makes(batch_size: int) -> None:
    config = tiny_config(f"ppo.batch_size={batch_size}", "ppo.epochs=3")
    rng = np.random.default_rng(0)
    batches = shuffled_batches(torch.arange(config.rollout_rows), config.ppo.batch_size, rng)
    found = sizes_of(config)
    assert (found.batches, found.optimizer_steps) == (len(batches), 3 * len(batches))
    assert found.passes == max(-(-len(batch) // 8) for batch in batches)


def test_the_laptop_preset_comes_to_numbers_that_were_worked_out_by_hand() -> None:
    found = sizes_of(load_config(None, ["sim.workers=2"]))
    # 50,000 steps of 2 * 128 agents are 195.3 decisions, and 196 of them 196 * 8 / 120 s.
    assert (found.decisions, found.agents, round(found.game_s, 2)) == (196, 256, 13.07)
    # 50,176 rows are 20.07 batches of 2,500; 2,509 rows each, so two passes of at most 2,500.
    assert (found.batches, found.optimizer_steps, found.passes) == (20, 40, 2)
    # 117 * 256 + 2 * 257 * 256 + 257 * 90, and 257 * 1 for the critic.
    assert found.parameters == {"actor": 184_666, "critic": 161_793}
    rounded = {name: round(size) for name, size in found.memory_mb.items()}
    # 50,176 and 2,500 rows of 4 * 116 + 90 + 8 + 16 + 3 bytes; 346,459 * 16 bytes; 2,500 * 1,536 *
    # 12 bytes.
    assert rounded == {
        "trainer": 320, "workers": 120, "arenas": 46, "rollout": 28, "batch": 1, "networks": 5,
        "one pass": 44,
    }  # fmt: skip


def test_old_opponents_take_the_memory_of_their_actors_where_there_can_be_any() -> None:
    # An actor of 184,666 numbers of 4 bytes; 4 that play, 4 that just played, and 4 copies.
    laptop, play = ["sim.workers=2"], ["selfplay.chance=0.2"]
    found = memory_mb(load_config(None, [*laptop, *play]))
    assert found.pop("old opponents") == pytest.approx(12 * 184_666 * 4 / 2**20)
    assert found == memory_mb(load_config(None, laptop))
    few = memory_mb(load_config(None, [*laptop, *play, "versions.keep=3", "selfplay.groups=1"]))
    assert few["old opponents"] == pytest.approx(3 * 184_666 * 4 / 2**20)
    every = memory_mb(load_config(None, [*laptop, *play, "versions.keep=0"]))
    assert every["old opponents"] == pytest.approx(12 * 184_666 * 4 / 2**20)
    shared = memory_mb(tiny_config(*play, "networks.shared=[6]", "networks.critic=[99]"))
    # 93 * 6 + 7 * 8 + 9 * 8 + 9 * 90
    assert shared["old opponents"] == pytest.approx(12 * 1_496 * 4 / 2**20)


def test_what_needs_more_memory_is_seen_to() -> None:
    config = tiny_config("sim.workers=1")
    assert memory_mb(config)["workers"] == 0
    assert memory_mb(tiny_config("sim.workers=1", "sim.inference=central"))["workers"] == 60
    twice = memory_mb(tiny_config("sim.workers=2", "ppo.overlap=true"))
    assert twice["rollout"] == 2 * memory_mb(config)["rollout"]
    normed = memory_mb(tiny_config("networks.norm=rms_norm"))
    assert normed["one pass"] == memory_mb(config)["one pass"] * 4 / 3
    anchored = memory_mb(tiny_config("ppo.regeneration=0.1"))
    assert anchored["networks"] == memory_mb(config)["networks"] * 5 / 4


@pytest.mark.parametrize("preset", preset_names())
def test_every_preset_has_sizes(preset: str) -> None:
    found = sizes_of(load_config(None, [f"preset={preset}"]))
    assert found.decisions * found.agents >= 50_000
    assert min(found.memory_mb.values()) > 0


def test_nothing_heavy_is_loaded_for_it() -> None:
    code = "import sys, trainer.sizes; print([m for m in ('numpy', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
