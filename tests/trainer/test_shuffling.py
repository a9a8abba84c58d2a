from collections import Counter

import numpy as np
import pytest

from rlbot_agent.observation import OBSERVATIONS, make_observation
from rlbot_agent.places import Places
from rlbot_agent.state import GameState
from trainer.shuffling import shuffle_players


def test_blocks_trade_places_whole_and_within_their_kind() -> None:
    arenas = 6000
    row = np.array([9, 1, 2, 3, 4, 5, 6, 7, 8], np.float32)
    seen = np.tile(row, (arenas, 1, 1))
    # A block of 2 alone, then three blocks of 2.
    shuffle_players(seen, ((Places(1, 1, 2), Places(3, 3, 2)),), np.random.default_rng(0))
    assert (seen[:, 0, :3] == (9, 1, 2)).all()
    orders = Counter(tuple(found) for found in seen[:, 0, 3:].astype(int).tolist())
    blocks = ((3, 4), (5, 6), (7, 8))
    assert set(orders) == {
        (*blocks[a], *blocks[b], *blocks[c])
        for a in range(3)
        for b in range(3)
        for c in range(3)
        if {a, b, c} == {0, 1, 2}
    }
    # Each of the six orders 1000 times, give or take 5 standard deviations of 29.
    assert all(abs(count - 1000) < 145 for count in orders.values())


@pytest.mark.parametrize("name", OBSERVATIONS)
def test_no_car_is_lost_and_the_own_one_stays(name: str) -> None:
    teams = (0, 0, 0, 1, 1)
    obs = make_observation(name, teams, 3)
    state = GameState(50, teams)
    state.raw[:, :-1] = np.random.default_rng(0).random((50, state.raw.shape[1] - 1))
    plain = obs.build(state)
    shuffled = plain.copy()
    shuffle_players(shuffled, obs.places, np.random.default_rng(1))
    mates, opponents = obs.places[0]
    np.testing.assert_array_equal(shuffled[..., : mates.start], plain[..., : mates.start])
    assert (shuffled != plain).any()
    for start, number, width in (mates, opponents):
        kinds = [
            seen[..., start : start + number * width].reshape(50, 5, number, width)
            for seen in (plain, shuffled)
        ]
        np.testing.assert_array_equal(*(np.sort(kind, axis=2) for kind in kinds))
