"""What a followed car thinks, held against the formulas written out in numpy."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from rlbot_agent.actions import ACTION_TABLE, NUM_ACTIONS
from tests.trainer.watched import WIDTH, model_that_likes
from trainer.brain import Brain
from trainer.frames import CarFrame, from_line, notice, to_line
from trainer.policy import PolicyError
from trainer.viewer_mind import ACTION_WORDS, Seats, mind_of, think

RNG = np.random.default_rng(1)
OBS = RNG.normal(size=(4, WIDTH)).astype(np.float32)
MASKS = RNG.random((4, NUM_ACTIONS)) < 0.5
CARS = np.array([1, 3])


def seats(has_critic: bool = True, action: int = 0) -> Seats:
    torch.manual_seed(4)
    model = model_that_likes(action)
    with torch.no_grad():
        model.actor.layers[-1].bias[action] = 1.0
        model.actor.layers[-1].weight.mul_(5)
    return Seats(Brain(model, has_critic, 0), CARS)


def row(**controls: int) -> int:
    names = ("throttle", "steer", "pitch", "yaw", "roll", "jump", "boost", "handbrake")
    wanted = [controls.get(name, 0) for name in names]
    return int(np.flatnonzero((wanted == ACTION_TABLE).all(axis=1))[0])


def test_actions_are_named_by_what_they_do() -> None:
    assert ACTION_WORDS[row()] == "nothing"
    turn = row(throttle=1, steer=-1, yaw=-1, boost=1)
    assert ACTION_WORDS[turn] == "throttle 1, steer -1, boost"
    assert ACTION_WORDS[row(pitch=-1, yaw=1, steer=1, roll=1)] == "pitch -1, yaw 1, roll 1"
    assert ACTION_WORDS[row(jump=1, pitch=1, handbrake=1)] == "pitch 1, jump, handbrake"
    assert len(set(ACTION_WORDS)) == NUM_ACTIONS


def test_probabilities_are_those_after_the_masks() -> None:
    who = seats()
    thought = think(who, OBS, MASKS, np.random.default_rng(0), deterministic=True)
    mind = mind_of(thought, 3)
    with torch.no_grad():
        logits = who.brain.model.logits(torch.from_numpy(OBS)).numpy()[3].astype(np.float64)
    allowed = np.where(MASKS[3], np.exp(logits), 0.0)
    chances = allowed / allowed.sum()
    best = np.argsort(-chances)[:5]
    assert [words for words, _ in mind.likeliest] == [ACTION_WORDS[action] for action in best]
    assert [chance for _, chance in mind.likeliest] == pytest.approx(chances[best], abs=1e-4)
    assert mind.action == ACTION_WORDS[best[0]]
    assert mind.car == 3


def test_the_value_is_the_critics_of_that_car() -> None:
    who = seats()
    thought = think(who, OBS, MASKS, np.random.default_rng(0), deterministic=True)
    with torch.no_grad():
        values = who.brain.model.values(torch.from_numpy(OBS)).tolist()
    assert len(set(values)) == 4
    assert mind_of(thought, 1).value == pytest.approx(values[1], abs=6e-4)
    assert mind_of(thought, 3).value == pytest.approx(values[3], abs=6e-4)
    alone = thought._replace(seats=seats(has_critic=False))
    assert mind_of(alone, 1).value is None


def test_only_possible_actions_are_likely_and_drawn() -> None:
    masks = np.zeros((4, NUM_ACTIONS), np.bool_)
    masks[:, [7, 9]] = True
    drawn = set()
    for seed in range(20):
        thought = think(seats(), OBS, masks, np.random.default_rng(seed), deterministic=False)
        drawn |= set(thought.actions.tolist())
        assert {words for words, _ in mind_of(thought, 1).likeliest} <= {
            ACTION_WORDS[7],
            ACTION_WORDS[9],
        }
    assert drawn == {7, 9}


def test_a_thought_fits_into_a_line() -> None:
    thought = think(seats(), OBS, MASKS, np.random.default_rng(0), deterministic=False)
    car = CarFrame(0, 0.0, 0.0, 17.0, 0.0, 0.0, True, False, False)
    frame = replace(notice(""), cars=(car,) * 4, mind=mind_of(thought, 3))
    assert from_line(to_line(frame)) == frame


def test_a_policy_that_is_not_finite_is_refused_by_the_cars_number() -> None:
    who = seats()
    obs = OBS.copy()
    obs[3, 5] = np.nan
    with pytest.raises(PolicyError, match="the observation of agent 3 is nan in column 5"):
        think(who, obs, MASKS, np.random.default_rng(0), deterministic=True)
