"""Rollouts are played by the weights that they are said to be played by."""

from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests.trainer.flights import start as start_overlapping
from tests.trainer.test_workers import TWO, nothing, run_of, start
from tests.trainer.tiny import tiny_config
from trainer import builder
from trainer.collector import Decision, Flags, Floats
from trainer.crew import Crew, WorkerError, share_rollout
from trainer.networks import parameter_count
from trainer.overlap import require_young
from trainer.self_play import Today
from trainer.shared_arrays import SharedArrays
from trainer.shared_weights import SharedWeights, WrongWeightsError, weights_plans
from trainer.start_file import NO_STARTS
from trainer.worker import Answer, Assignment, Collect, Collected, MakePolicy, _Worker
from trainer.workers import who_decides

PLANS = weights_plans(5, versions=(2, 3))
ONE = ("sim.workers=1", "sim.arenas=4", "ppo.steps_per_iteration=16")
"""Two decisions of eight agents."""


def weights() -> SharedWeights:
    return SharedWeights(SharedArrays(PLANS, get_context("spawn")))


def test_each_publication_has_the_next_number_and_nothing_is_there_before_the_first() -> None:
    mine = weights()
    mine.require(0, "now")
    for number in (1, 2, 3):
        with mine.publishing() as shared:
            shared["parameters"][:] = number
            shared["versions"][:] = 10 * number
        mine.require(number, "now")
    words = "^weights number 4 were to play, but number 3 lay there before the first decision$"
    with pytest.raises(WrongWeightsError, match=words):
        mine.require(4, "before the first decision")
    assert (shared["parameters"] == 3).all()
    assert (shared["versions"] == 30).all()


def test_what_is_half_written_shows_until_somebody_publishes_the_whole() -> None:
    mine = weights()
    with mine.publishing():
        pass
    words = "^weights number 1 were to play, but half-written ones lay there now$"
    with mine.publishing(), pytest.raises(WrongWeightsError, match=words):
        mine.require(1, "now")
    with pytest.raises(ValueError, match="broadcast"), mine.publishing() as shared:
        shared["parameters"][:] = np.zeros(4)
    with pytest.raises(WrongWeightsError, match="half-written"):
        mine.require(2, "now")
    with mine.publishing():
        pass
    mine.require(3, "now")


def test_a_copy_of_weights_is_told_from_the_weights() -> None:
    mine = weights()
    with mine.publishing() as shared:
        vector = shared["parameters"]
    mine.require_read([vector[:2], vector[2:].reshape(3, 1)])
    with pytest.raises(WrongWeightsError, match="a copy of weights"):
        mine.require_read([vector[:2], vector[2:].copy()])
    with pytest.raises(WrongWeightsError, match="a copy of weights"):
        mine.require_read([np.zeros(2, np.float32)])


@pytest.mark.parametrize("precision", ["f32", "bf16"])
def test_a_policy_of_a_worker_shows_all_that_it_decides_by(precision: str) -> None:
    layers = ("networks.shared=[8]", "networks.norm=layer_norm")
    config = tiny_config(*TWO, *layers, f"ppo.actor_precision={precision}")
    model = builder.fresh_state(config, builder.choose_device("cpu")).model
    vector = np.arange(sum(part.numel() for part in model.parameters()), dtype=np.float32)
    policy = who_decides(config, model)(vector)
    found = np.concatenate([part.ravel() for part in policy.parameters])
    np.testing.assert_array_equal(np.sort(found), vector)
    assert all(np.shares_memory(part, vector) for part in policy.parameters)


class Played(NamedTuple):
    """One worker's work in this process, whose weights somebody else publishes."""

    weights: SharedWeights
    obey: Callable[[Collect], Answer]


def play(decides: Callable[[SharedWeights, MakePolicy], MakePolicy], *settings: str) -> Played:
    config = tiny_config(*ONE, *settings)
    model = builder.fresh_state(config, builder.choose_device("cpu")).model
    plans = weights_plans(parameter_count(model), None)
    shared = share_rollout(config, model, lambda *rows: plans)
    rngs = {name: np.random.default_rng(0) for name in ("env", "policy")}
    agents, weights = (0, config.sim.agents), SharedWeights(shared)
    by = decides(weights, who_decides(config, model))
    told = Assignment(config, Path(), agents, shared, by, None, rngs, 0, NO_STARTS)
    return Played(weights, _Worker(told).obey)


def as_it_is(weights: SharedWeights, decides: MakePolicy) -> MakePolicy:
    return decides


def from_a_copy(weights: SharedWeights, decides: MakePolicy) -> MakePolicy:
    return lambda vector: decides(vector.copy())


def while_somebody_writes(weights: SharedWeights, decides: MakePolicy) -> MakePolicy:
    def make(vector: Floats) -> Today:
        policy = decides(vector)
        act = policy.act

        def act_and_publish(obs: Floats, masks: Flags, rng: np.random.Generator) -> Decision:
            publish(weights)
            return act(obs, masks, rng)

        vars(policy)["act"] = act_and_publish
        return policy

    return make


def publish(weights: SharedWeights) -> None:
    with weights.publishing():
        pass


def test_a_worker_plays_each_rollout_by_the_weights_of_its_order() -> None:
    weights, obey = play(as_it_is)
    for number in (1, 2):
        publish(weights)
        answer = obey(Collect(0, (), number))
        assert isinstance(answer, Collected)
        assert answer.number == number


def test_a_publication_that_was_forgotten_is_noticed() -> None:
    weights, obey = play(as_it_is)
    publish(weights)
    obey(Collect(0, (), 1))
    words = "^weights number 2 were to play, but number 1 lay there before the first decision$"
    with pytest.raises(WrongWeightsError, match=words):
        obey(Collect(0, (), 2))


def test_a_write_between_the_order_and_the_first_decision_is_noticed() -> None:
    weights, obey = play(as_it_is)
    publish(weights)
    order = Collect(0, (), 1)
    publish(weights)
    words = "^weights number 1 were to play, but number 2 lay there before the first decision$"
    with pytest.raises(WrongWeightsError, match=words):
        obey(order)


def test_a_write_while_somebody_plays_is_noticed() -> None:
    weights, obey = play(while_somebody_writes)
    publish(weights)
    # One publication at each of the 2 decisions, which nobody looks at on the way.
    words = "^weights number 1 were to play, but number 3 lay there after the last decision$"
    with pytest.raises(WrongWeightsError, match=words):
        obey(Collect(0, (), 1))


def test_weights_that_are_being_written_are_noticed() -> None:
    weights, obey = play(as_it_is)
    words = "^weights number 1 were to play, but half-written ones lay there before the first"
    with weights.publishing(), pytest.raises(WrongWeightsError, match=words):
        obey(Collect(0, (), 1))


@pytest.mark.parametrize("precision", ["f32", "bf16"])
def test_a_worker_that_decides_by_a_copy_is_noticed(precision: str) -> None:
    weights, obey = play(from_a_copy, f"ppo.actor_precision={precision}")
    publish(weights)
    with pytest.raises(WrongWeightsError, match=r"^what decides reads a copy of weights"):
        obey(Collect(0, (), 1))


def test_wrong_weights_in_a_process_end_the_run_in_one_sentence() -> None:
    players, _ = start(tiny_config(*TWO))
    publish(players._weights)
    words = (
        r"^WrongWeightsError: weights number 1 were to play, but number 2 lay there before the "
        r"first decision \(in process [12] of 2 that play arenas\)$"
    )
    with pytest.raises(WorkerError, match=words):
        players.collect(0, nothing)
    players.close()


def test_an_answer_to_another_order_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    players, _ = start(tiny_config(*TWO))
    receive = Crew._receive

    def belated(crew: Crew, rank: int) -> Answer:
        answer = receive(crew, rank)
        assert isinstance(answer, Collected)
        return answer._replace(number=0)

    monkeypatch.setattr(Crew, "_receive", belated)
    with pytest.raises(WrongWeightsError, match=r"^rollout 1 was ordered, but 0 was played$"):
        players.collect(0, nothing)
    players.close()


def ages(folder: Path, *settings: str, iterations: int) -> list[float]:
    found = run_of(folder, *settings, iterations=iterations)
    return [record["Collect/policy_age"] for record in found]


@pytest.mark.parametrize("who", ["workers", "central"])
def test_a_run_is_played_by_the_newest_policy_or_by_that_of_one_update_before(
    tmp_path: Path, who: str
) -> None:
    settings = (f"sim.inference={who}", "ppo.overlap=true")
    assert ages(tmp_path, *settings, iterations=3) == [0, 1, 1]
    # A session that resumes begins with the newest once more.
    assert ages(tmp_path, *settings, iterations=3) == [0, 1, 1, 0, 1, 1]
    in_turn = ages(tmp_path, settings[0], iterations=2)
    assert in_turn == [0, 1, 1, 0, 1, 1, 0, 0]


def test_a_rollout_may_be_one_update_old_and_no_older() -> None:
    require_young(played=7, handed=7, newest=7)
    require_young(played=7, handed=7, newest=8)
    words = (
        "^a rollout that began with the weights after 7 updates was played by those after 7, and "
        "is learned from after 9: it may be one update old$"
    )
    with pytest.raises(WrongWeightsError, match=words):
        require_young(played=7, handed=7, newest=9)
    for played, newest in ((6, 7), (8, 8)):
        with pytest.raises(WrongWeightsError, match=f"was played by those after {played}"):
            require_young(played, handed=7, newest=newest)


def test_a_second_update_before_a_rollout_in_flight_is_learned_from_is_noticed() -> None:
    players, state = start_overlapping(tiny_config())
    players.collect(0, nothing)
    state.counters = builder.Counters(iteration=2)
    with pytest.raises(WrongWeightsError, match=r"after 0 updates .* learned from after 2"):
        players.collect(32, nothing)
    players.close()
