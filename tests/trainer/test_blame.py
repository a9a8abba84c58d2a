import numpy as np
import pytest

from rlbot_agent.obs import DefaultObs, Term
from trainer.blame import agent_words, car_words, naming_agents, spoiled_observation, term_words
from trainer.collector import AgentError
from trainer.modes import Mode

TERMS = (Term("ball_position", 3, "ball_position"), Term("own.boost", 1, "boost"))


def duel(agent: int) -> str:
    return car_words(agent, num_cars=2, mode="1v1")


def test_agents_are_numbered_arena_by_arena() -> None:
    # 2v2: arena 0 has agents 0 to 3, arena 1 has 4 to 7.
    assert car_words(6, num_cars=4, mode="2v2") == "car 2 of arena 1 of 2v2"


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (0, "ball_position (column 1 of 3, 1 of all)"),
        (2, "ball_position (column 3 of 3, 3 of all)"),
        (3, "own.boost (column 1 of 1, 4 of all)"),
    ],
)
def test_a_column_is_called_by_its_term(column: int, words: str) -> None:
    assert term_words(column, TERMS) == words


def test_every_column_of_an_observation_has_a_name() -> None:
    obs = DefaultObs((0, 0, 1, 1), 3)
    names = [term_words(column, obs.terms).split()[0] for column in range(obs.width)]
    assert list(dict.fromkeys(names)) == [term.name for term in obs.terms]


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_the_first_number_that_is_not_finite_is_told(wrong: float) -> None:
    obs = np.zeros((4, 4), np.float32)
    obs[2, 3] = wrong
    obs[3, 0] = np.nan
    assert spoiled_observation(obs, TERMS, duel) == (
        f"the observation of car 0 of arena 1 of 1v1 is {wrong} "
        "in own.boost (column 1 of 1, 4 of all)"
    )


def test_infinities_that_would_cancel_are_still_seen() -> None:
    obs = np.zeros((2, 4), np.float32)
    obs[0, :2] = np.inf, -np.inf
    assert "arena 0 of 1v1 is inf in ball_position" in spoiled_observation(obs, TERMS, duel)


def test_large_numbers_are_sound_even_when_their_sum_is_not() -> None:
    obs = np.full((2, 4), 3e38, np.float32)
    assert spoiled_observation(obs, TERMS, duel) == ""


def test_an_error_about_an_agent_gets_its_car_and_others_stay_as_they_are() -> None:
    with pytest.raises(AgentError) as about_agent, naming_agents(lambda agent: f"car {agent}"):
        raise AgentError(5, "odd")
    assert about_agent.value.__notes__ == ["agent 5 is car 5"]
    with pytest.raises(ValueError, match="odd") as other, naming_agents(str):
        raise ValueError("odd")
    assert not hasattr(other.value, "__notes__")


def test_agents_of_several_modes_stand_side_by_side() -> None:
    # Two arenas of 1v1 have agents 0 to 3, then those of 2v2.
    shares: dict[Mode, int] = {"1v1": 2, "2v2": 1}
    assert agent_words(3, shares) == "car 1 of arena 1 of 1v1"
    assert agent_words(4, shares) == "car 0 of arena 0 of 2v2"
    with pytest.raises(IndexError, match="only 8 agents"):
        agent_words(8, shares)
