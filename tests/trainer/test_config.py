from collections.abc import Iterator

import pytest
from pydantic import BaseModel, ValidationError

from trainer.config import NetworksConfig, RunConfig
from trainer.config_health import HealthConfig
from trainer.config_ppo import PPOConfig
from trainer.config_sim import SimConfig
from trainer.modes import Mode


def models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    yield model
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from models(field.annotation)


def test_every_setting_has_a_docstring() -> None:
    undocumented = [
        f"{model.__name__}.{name}"
        for model in models(RunConfig)
        for name, field in model.model_fields.items()
        if not field.description
    ]
    assert undocumented == []


def test_a_rollout_is_rounded_up_to_whole_decisions_of_all_agents() -> None:
    # 128 arenas of 1v1 are 256 agents; 50,000 / 256 = 195.3, so 196 decisions and 50,176 rows.
    config = RunConfig()
    assert (config.rollout_length, config.rollout_rows) == (196, 50_176)


def test_blue_cars_come_before_orange_ones() -> None:
    assert SimConfig(modes={"2v1": 1}).teams == (0, 0, 1)


def test_a_config_cannot_change_while_it_runs() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        RunConfig().seed = 1  # type: ignore[misc]


def test_padding_below_a_team_is_refused() -> None:
    with pytest.raises(ValidationError, match="max_team_size 1 is below the teams of 1v2"):
        SimConfig(modes={"1v1": 1, "1v2": 1}, max_team_size=1)


@pytest.mark.parametrize(
    ("modes", "max_team_size", "padding"),
    [
        ({"3v3": 1}, 0, 0),
        ({"3v3": 1}, 4, 4),
        ({"1v2": 1}, 0, 2),
        ({"1v1": 1, "2v2": 1}, 0, 2),
        ({"1v1": 1, "2v2": 1}, 3, 3),
        ({"1v1": 1, "3v3": 0}, 0, 3),
    ],
)
def test_one_observation_fits_every_mode_that_is_named(
    modes: dict[Mode, float], max_team_size: int, padding: int
) -> None:
    assert SimConfig(modes=modes, max_team_size=max_team_size).padding == padding


def test_the_agents_are_the_cars_of_each_modes_arenas() -> None:
    sim = SimConfig(arenas=8, modes={"2v2": 3, "4v4": 0, "1v2": 1})
    # 6 arenas with 4 cars, 2 with 3.
    assert sim.shares == {"2v2": 6, "1v2": 2}
    assert sim.agents == 30
    assert sim.teams == (0, 0, 1, 1)


def test_one_mode_alone_keeps_its_arenas_and_the_width_of_the_mix() -> None:
    alone = SimConfig(arenas=8, modes={"1v1": 3, "3v3": 1}, tick_skip=6).only("1v1")
    assert (alone.shares, alone.agents) == ({"1v1": 6}, 12)
    assert (alone.padding, alone.tick_skip) == (3, 6)


def test_an_overlap_without_a_process_beside_the_trainer_is_refused() -> None:
    overlap = PPOConfig(overlap=True)
    for sim, name in ((SimConfig(workers=1), "workers"), (SimConfig(arenas=1), "arenas")):
        with pytest.raises(ValidationError, match=rf"set sim\.{name} to 2 or more"):
            RunConfig(sim=sim, ppo=overlap)
    assert RunConfig(ppo=overlap).sim.workers == 0


@pytest.mark.parametrize("network", ["actor", "critic"])
def test_an_actor_or_a_critic_without_hidden_layers_is_refused(network: str) -> None:
    with pytest.raises(ValidationError, match=f"{network}\n.*at least 1 item"):
        NetworksConfig.model_validate({network: []})


def test_a_minibatch_above_its_batch_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"ppo\.minibatch_size 200 is more than"):
        RunConfig(ppo=PPOConfig(batch_size=100, minibatch_size=200))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"clip_schedule": "linear"}, "a schedule needs ppo.schedule_steps"),
        ({"overlap": True, "critic_precision": "tf32"}, "take f32 or bf16"),
        (
            {"learning_rate_schedule": "cosine", "schedule_steps": 9, "schedule_end": 0},
            "only entropy may fall to 0",
        ),
        ({"kl_stop": True}, "need ppo.target_kl"),
        ({"adaptive_learning_rate": True}, "need ppo.target_kl"),
        ({"target_kl": 0.01}, "does nothing without"),
        (
            {
                "adaptive_learning_rate": True,
                "target_kl": 0.01,
                "learning_rate_schedule": "linear",
                "schedule_steps": 9,
            },
            "set the same rate",
        ),
        (
            {"adaptive_learning_rate": True, "target_kl": 0.01, "learning_rate": 0.1},
            "needs a ppo.learning_rate from 1e-06 to 0.01",
        ),
    ],
)
def test_settings_of_the_update_that_contradict_each_other_are_refused(
    settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ValidationError, match=sentence):
        PPOConfig.model_validate(settings)


def test_entropy_alone_may_fall_to_nothing() -> None:
    falling = {"entropy_schedule": "linear", "schedule_steps": 9, "schedule_end": 0}
    assert PPOConfig.model_validate(falling).schedule_end == 0


def test_a_target_kl_is_refused_where_only_one_step_is_made() -> None:
    one_step = {"batch_size": 50_176, "epochs": 1, "target_kl": 0.01, "kl_stop": True}
    with pytest.raises(ValidationError, match="needs several optimizer steps"):
        RunConfig(ppo=PPOConfig.model_validate(one_step))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"coarse_until_steps": 0}, "coarse_chance needs coarse_until_steps"),
        ({"tick_skip": 7}, "needs an even tick_skip, such as 8, not 7"),
        ({"action_delay": 7}, r"needs an action_delay up to 6 .*, not 7"),
        ({"tick_skip": 2, "action_delay": 1}, r"needs an action_delay up to 0 .*, not 1"),
    ],
)
def test_coarse_physics_that_cannot_be_played_is_refused(
    settings: dict[str, int], words: str
) -> None:
    possible = {"coarse_until_steps": 1000, "tick_skip": 8, "action_delay": 1}
    SimConfig(coarse_chance=0.5, **possible)
    with pytest.raises(ValidationError, match=words):
        SimConfig(coarse_chance=0.5, **(possible | settings))
    # Without a chance nobody plays at 60 Hz.
    SimConfig(**(possible | settings))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"min_kl": 0.03}, "health.min_kl 0.03 must be below max_kl 0.03"),
        ({"max_clip_fraction": 0.01}, "min_clip_fraction 0.01 must be below max_clip_fraction"),
        ({"min_entropy": 0.99}, "health.min_entropy 0.99 must be below max_entropy 0.98"),
    ],
)
def test_warnings_that_could_never_be_silent_are_refused(
    settings: dict[str, float], sentence: str
) -> None:
    with pytest.raises(ValidationError, match=sentence):
        HealthConfig(**settings)  # type: ignore[arg-type]
