from dataclasses import replace

import numpy as np
import pytest

from tests.trainer.evaluation.players import CHASER, CONTRACT, RANDOM, table_of, untrained
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of
from trainer.evaluation import engine
from trainer.evaluation.contestants import Contestant, EvaluationError
from trainer.evaluation.engine import Game, Result, play, shared_ticks
from trainer.resets import Starts
from trainer.sim import Simulator

SECOND = 15
"""Decisions."""


def mirrored(starts: Starts) -> Starts:
    """The field turned by 180 degrees, and each car of the 1v1 in the other's place."""
    turn = np.array([-1, -1, 1], np.float32)

    def cars(values: np.ndarray) -> np.ndarray:
        return values[:, ::-1] * turn

    rotation = starts.car_rotation[:, ::-1] + np.array([0, np.pi, 0], np.float32)
    return Starts(
        *(starts.ball_position * turn, starts.ball_velocity * turn),
        *(starts.ball_angular_velocity * turn, cars(starts.car_position)),
        *(cars(starts.car_velocity), cars(starts.car_angular_velocity)),
        *(rotation, starts.car_boost[:, ::-1]),
    )


def turned_over(result: Result) -> Result:
    return replace(result, blue=result.orange, orange=result.blue)


def test_a_game_is_the_same_alone_as_among_a_hundred_others() -> None:
    contestants = [untrained(0, sampled=True), untrained(1, sampled=True), RANDOM, CHASER]
    table = table_of(no_touch=3 * SECOND)
    rng = np.random.default_rng(5)
    games = [
        Game(int(blue), int(orange), int(start), (9, number), int(length))
        for number, (blue, orange, start, length) in enumerate(
            rng.integers((0, 0, 0, 30), (4, 4, 16, 100), (101, 4))
        )
    ]
    together = play(games, table, contestants)
    assert len({repr(result) for result in together}) == 101
    assert sum(result.ends["no_touch"] for result in together) > 20
    for number in (0, 13, 57, 100):
        assert play([games[number]], table, contestants) == [together[number]]
    assert play(games[40:60], table, contestants) == together[40:60]


def test_a_policy_against_itself_plays_the_same_game_from_both_sides() -> None:
    twin = untrained(0, sampled=True)
    table = table_of()
    there = play([Game(0, 1, s, (0, s), 60) for s in range(16)], table, [twin, twin])
    back = play([Game(1, 0, s, (0, s), 60) for s in range(16)], table, [twin, twin])
    assert there == back
    alone = play([Game(0, 0, s, (0, s), 60) for s in range(16)], table, [twin])
    assert alone == there


def test_other_seeds_and_other_sides_are_other_games() -> None:
    contestants = [untrained(0, sampled=True), untrained(1, sampled=True)]
    games = [Game(0, 1, 0, (0,), 60), Game(0, 1, 0, (1,), 60), Game(1, 0, 0, (0,), 60)]
    first, other_seed, swapped = play(games, table_of(), contestants)
    assert first != other_seed
    assert turned_over(swapped) != first


def test_swapped_sides_of_a_mirrored_start_mirror_the_game_as_long_as_rounding_allows() -> None:
    """Not for good: the physics of a turned field round otherwise, and games part after seconds."""
    contestants = [CHASER, untrained(1, sampled=False)]
    table = table_of(kickoffs=8, random=0)
    games = [Game(0, 1, start, (0,), SECOND) for start in range(8)]
    swapped = [game._replace(blue=1, orange=0) for game in games]
    there = play(games, table, contestants)
    back = play(swapped, table._replace(starts=mirrored(table.starts)), contestants)
    for result, turned in zip(there, map(turned_over, back), strict=True):
        for one, other in ((result.blue, turned.blue), (result.orange, turned.orange)):
            assert one.speed == pytest.approx(other.speed, rel=1e-3)
            assert one.boost_used == pytest.approx(other.boost_used, abs=0.1)
            assert one.rewards == pytest.approx(other.rewards, abs=2e-3)
    assert there[0].blue.speed > 1.2 * there[0].orange.speed


def test_chance_loses_to_somebody_who_chases_the_ball() -> None:
    table = table_of()
    games = [Game(*sides, s, (0, s), 60 * SECOND) for s in range(16) for sides in ((0, 1), (1, 0))]
    results = play(games, table, [CHASER, RANDOM])
    played = list(zip(games, results, strict=True))
    chaser, random = (
        [result.blue if game.blue == who else result.orange for game, result in played]
        for who in (0, 1)
    )
    assert sum(side.goals for side in chaser) > 2 * sum(side.goals for side in random)
    assert sum(side.touches for side in chaser) > 10 * sum(side.touches for side in random)
    assert sum(side.possession for side in chaser) > 0.7 * len(games)
    goals = [result.blue.goals + result.orange.goals for result in results]
    assert [result.ends["goal"] for result in results] == goals
    assert max(goals) > 1  # a goal is followed by a kickoff, not by the end


def test_games_of_uneven_teams_are_played_from_both_sides() -> None:
    padded = untrained(0, "sim.max_team_size=2", sampled=False)
    games = [Game(0, 1, 0, (0,), 30), Game(1, 0, 0, (0,), 30)]
    outnumbered, with_a_mate = play(games, table_of("1v2"), [padded, RANDOM])
    assert outnumbered.decisions == with_a_mate.decisions == 30
    assert outnumbered.blue.speed != with_a_mate.orange.speed > 0


def test_physics_that_break_are_counted_and_kicked_off_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Breaking(Simulator):
        def step(self, actions: np.ndarray) -> None:
            super().step(actions)
            self.events.goal[1] = 0
            self.broken[1] = True

    monkeypatch.setattr(engine, "Simulator", Breaking)
    games = [Game(0, 1, start, (0,), 4) for start in range(2)]
    sound, broken = play(games, table_of(), [CHASER, RANDOM])
    assert sound.ends["broken"] == 0
    assert broken.ends == {"goal": 0, "no_touch": 0, "broken": 4}


class Spy:
    """Takes the first possible action and remembers what it was shown."""

    def __init__(self) -> None:
        self.obs: list[np.ndarray] = []
        self.masks: list[np.ndarray] = []

    def choose(self, obs: np.ndarray, masks: np.ndarray, uniforms: np.ndarray) -> np.ndarray:
        self.obs.append(obs)
        self.masks.append(masks)
        return masks.argmax(-1)


def test_everybody_sees_by_its_own_contract_and_is_asked_once_for_all_its_cars() -> None:
    settings = ("sim.observation=local", "sim.action_masks=false", "sim.max_team_size=2")
    local = contract_of(tiny_config(*settings), 0)
    spies = Spy(), Spy(), Spy()
    contracts = CONTRACT, local, None
    contestants = [
        Contestant(name, "", contract, spy)
        for name, contract, spy in zip("abc", contracts, spies, strict=True)
    ]
    games = [Game(0, 1, 0, (0,), 3), Game(1, 0, 1, (0,), 3), Game(2, 1, 0, (0,), 3)]
    play(games, table_of(kickoffs=2, random=0), contestants)
    shapes = [[obs.shape for obs in spy.obs] for spy in spies]
    assert shapes == [[(2, CONTRACT.obs_width)] * 3, [(3, local.obs_width)] * 3, [(1, 0)] * 3]
    assert spies[1].masks[0].all()
    # On the ground only driving rows and jumps are possible.
    assert spies[0].masks[0].sum(-1).tolist() == spies[2].masks[0].sum(-1).tolist() * 2
    assert 24 < spies[0].masks[0][0].sum() < 90
    # Both meet the ball from their own half: the field is turned for orange.
    first, second = spies[0].obs[0][:, :3]
    assert first.tolist() == second.tolist()


def test_policies_that_decide_at_other_times_cannot_share_a_game() -> None:
    usual = Contestant("usual", "", CONTRACT, RANDOM.chooser)
    slow = Contestant("slow", "", replace(CONTRACT, tick_skip=4), RANDOM.chooser)
    with pytest.raises(EvaluationError) as refusal:
        shared_ticks([usual, RANDOM, slow])
    assert str(refusal.value) == (
        "usual decides every 8 ticks with a delay of 1, slow every 4 with 1: "
        "they cannot play each other"
    )
    assert shared_ticks([slow, RANDOM]) == (4, 1)
    assert shared_ticks([RANDOM]) == (8, 1)


def test_a_policy_that_cannot_see_so_many_cars_is_refused() -> None:
    small = Contestant("small", "", CONTRACT, RANDOM.chooser)
    with pytest.raises(EvaluationError, match="small cannot play 2v2: it sees 92 numbers of 1v1"):
        play([Game(0, 1, 0, (0,), 1)], table_of("2v2"), [small, RANDOM])
