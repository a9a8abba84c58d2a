from collections.abc import Iterator

import pytest
from pydantic import BaseModel, ValidationError

from trainer.config import NetworksConfig, RunConfig, SimConfig
from trainer.config_ppo import PPOConfig


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
    assert SimConfig(team_size=2).teams == (0, 0, 1, 1)


def test_a_config_cannot_change_while_it_runs() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        RunConfig().seed = 1  # type: ignore[misc]


def test_padding_below_the_team_size_is_refused() -> None:
    with pytest.raises(ValidationError, match="max_team_size 1 is below team_size 2"):
        SimConfig(team_size=2, max_team_size=1)


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
