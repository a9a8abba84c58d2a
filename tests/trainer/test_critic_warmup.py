"""The critic learns alone at first, where somebody asks for that."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests.trainer.tape import Tape
from tests.trainer.test_graphs import SIZES, iterate
from tests.trainer.test_ppo import Learning
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import texts, train_tiny
from trainer import jsonl
from trainer.builder import fresh_state
from trainer.checkpoint import Counters, load, save
from trainer.checkpoint_folder import write_hashes
from trainer.networks import parameter_vector
from trainer.run_dir import RunDir
from trainer.schedules import is_warmup

WARM: dict[str, float | str] = {"critic_warmup_steps": 1000}


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


@pytest.mark.parametrize(
    ("steps", "taught", "warm"),
    [(0, 0, True), (99, 0, True), (100, 0, False), (599, 500, True), (600, 500, False)],
)
def test_it_counts_from_the_first_step_or_from_the_end_of_a_distillation(
    steps: int, taught: int, warm: bool
) -> None:
    config = tiny_config("ppo.critic_warmup_steps=100").ppo
    assert is_warmup(config, steps, taught) == warm
    assert not is_warmup(tiny_config().ppo, steps, taught)


def held_of(learning: Learning) -> list[Tensor]:
    """Weights and moments of all but the critic."""
    found = [
        parameter.detach().clone()
        for name, part in learning.model.parts.items()
        if name != "critic"
        for parameter in part.parameters()
    ]
    for name, optimizer in learning.optimizers.items():
        if not name.startswith("critic"):
            for moments in optimizer.state.values():
                found += [moment.detach().clone() for moment in moments.values()]
    return found


@pytest.mark.parametrize("shared", [(), (16,)])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"optimizer": "muon"},
        {"weight_decay": 0.1, "regeneration": 0.1, "value_clip": 0.1},
    ],
)
def test_only_the_critic_learns_in_its_warm_up(
    shared: tuple[int, ...], settings: dict[str, float | str]
) -> None:
    learning = Learning(shared, **SIZES, **settings)
    iterate(learning, 0)  # moments that would carry everything on
    warm = {**SIZES, **settings, **WARM}
    before, critic = held_of(learning), parameter_vector(learning.model.critic)
    learning.config = Learning(shared, **warm).config
    measured = iterate(learning, 999)
    after = held_of(learning)
    assert all(torch.equal(*pair) for pair in zip(before, after, strict=True))
    assert not torch.equal(parameter_vector(learning.model.critic), critic)
    still = [name for name in learning.model.parts if name != "critic"]
    assert [measured[f"Update/{name}_magnitude"] for name in still] == [0.0] * len(still)
    assert measured["Update/critic_magnitude"] > 0
    assert measured["Update/critic_only"] == 1
    assert all(math.isfinite(number) for number in measured.values())
    # And then all of them go on.
    assert iterate(learning, 1000)["Update/critic_only"] == 0
    changed = [not torch.equal(*pair) for pair in zip(after, held_of(learning), strict=True)]
    assert sum(changed) > len(changed) / 2


def test_the_critic_learns_what_it_would_learn_anyway() -> None:
    alone, both = Learning(**SIZES, **WARM), Learning(**SIZES)
    for learning in (alone, both):
        learning.update()
    expected = parameter_vector(both.model.critic)
    assert torch.equal(parameter_vector(alone.model.critic), expected)
    assert not torch.equal(parameter_vector(alone.model.actor), parameter_vector(both.model.actor))


def test_a_step_recorded_in_the_warm_up_is_the_one_replayed_after_it() -> None:
    Tape.recordings = 0
    plain, recorded = (Learning((16,), kind, **SIZES, **WARM) for kind in (None, Tape))
    for steps in (0, 500, 1000, 1500):
        assert iterate(recorded, steps) == iterate(plain, steps)
    assert torch.equal(parameter_vector(plain.model), parameter_vector(recorded.model))
    assert Tape.recordings == 2


def test_the_warm_up_ends_after_so_many_steps_and_says_so(run: RunDir) -> None:
    # An iteration is 32 steps: those that begin after 0, 32 and 64 are the critic's.
    settings = ("ppo.critic_warmup_steps=80", "checkpoint.every_steps=32")
    train_tiny(run, *settings, iterations=2)
    assert texts(run, "edit") == []
    train_tiny(run, *settings, iterations=3)
    records = jsonl.read_all(run.metrics)
    assert [record["Update/critic_only"] for record in records] == [1, 1, 1, 0, 0]
    moved = [record["Update/actor_magnitude"] > 0 for record in records]
    assert moved == [False, False, False, True, True]
    assert texts(run, "edit") == ["the critic has warmed up: from here on the actor learns too"]


def test_the_kl_of_an_actor_that_stands_still_moves_no_learning_rate(run: RunDir) -> None:
    adaptive = ("ppo.adaptive_learning_rate=true", "ppo.target_kl=1.0", "ppo.learning_rate=1e-3")
    train_tiny(run, *adaptive, "ppo.critic_warmup_steps=64", iterations=4)
    rates = [record["Update/learning_rate_actor"] for record in jsonl.read_all(run.metrics)]
    # Two iterations of the critic's, then times 1.5 after each that is far below its target.
    assert rates == pytest.approx([1e-3, 1e-3, 1e-3, 1.5e-3])


def test_when_a_distillation_ended_comes_back_and_older_checkpoints_had_none(run: RunDir) -> None:
    config = tiny_config()
    state = fresh_state(config, torch.device("cpu"))
    state.counters = replace(state.counters, steps=90, taught=64)
    path = save(run, config, state)
    again = fresh_state(config, torch.device("cpu"))
    load(path, config, again)
    assert again.counters.taught == 64
    record = json.loads((path / "state.json").read_text())
    del record["counters"]["taught"]
    (path / "state.json").write_text(json.dumps(record))
    write_hashes(path)
    load(path, config, again)
    assert again.counters == Counters(steps=90)
