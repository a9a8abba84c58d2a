import typing

import numpy as np
import pytest

from rlbot_agent.observation import OBSERVATIONS, ObservationError, make_observation
from rlbot_agent.state import GameState
from trainer.config import SimConfig


def test_the_config_offers_exactly_what_there_is() -> None:
    offered = typing.get_args(SimConfig.model_fields["observation"].annotation)
    assert set(offered) == set(OBSERVATIONS)
    assert SimConfig().observation == "local"


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ObservationError, match="no observation 'mine', there are default, local, "):
        make_observation("mine", (0, 1))


@pytest.mark.parametrize("name", OBSERVATIONS)
def test_each_is_of_its_name_its_width_and_its_team_size(name: str) -> None:
    obs = make_observation(name, (0, 1, 1), 3)
    assert obs.name == name
    assert obs.width == sum(term.width for term in obs.terms)
    assert obs.build(GameState(2, (0, 1, 1))).shape == (2, 3, obs.width)
    with pytest.raises(ValueError, match="2 cars does not fit max_team_size 1"):
        make_observation(name, (0, 1, 1), 1)


@pytest.mark.parametrize("name", OBSERVATIONS)
@pytest.mark.parametrize("size", [0, 3])
def test_places_are_where_mates_and_opponents_stand(name: str, size: int) -> None:
    teams = (0, 1, 0, 1)
    state = GameState(1, teams)
    state.raw[:, :-1] = np.random.default_rng(0).random((1, state.raw.shape[1] - 1))
    state.demo_timer[:] = 0
    obs = make_observation(name, teams, size)
    before = obs.build(state)[0, 0].copy()
    state.boost[0] += (0, 1, 2, 3)  # the others fill their tanks by one, two, three
    changed = set(np.flatnonzero(obs.build(state)[0, 0] != before).tolist())
    mates, opponents = obs.places[0]
    assert (mates.number, opponents.number) == ((2, 3) if size else (1, 2))
    assert opponents.start == mates.start + mates.number * mates.width
    assert opponents.start + opponents.number * opponents.width == obs.width
    (boost,) = {column - mates.start for column in changed if column < opponents.start}
    assert changed == {
        mates.start + boost,
        opponents.start + boost,
        opponents.start + opponents.width + boost,
    }
