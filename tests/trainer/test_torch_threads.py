import numpy as np
import pytest
import torch

from tests.trainer.evaluation.players import table_of
from trainer.evaluation.contestants import Contestant, EvaluationError
from trainer.evaluation.engine import Game, play
from trainer.torch_threads import one_torch_thread


@pytest.fixture(autouse=True)
def _three_threads() -> None:
    torch.set_num_threads(3)  # conftest.py restores what was before


def test_the_number_of_threads_is_restored_also_when_something_fails() -> None:
    with one_torch_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 3
    with pytest.raises(ZeroDivisionError), one_torch_thread():
        _ = 1 / 0
    assert torch.get_num_threads() == 3


def test_games_are_decided_by_one_thread_whoever_plays_them() -> None:
    found: list[int] = []

    class Counts:
        def choose(self, obs: object, masks: np.ndarray, uniforms: object) -> np.ndarray:
            found.append(torch.get_num_threads())
            if len(found) == 3:
                raise EvaluationError("enough")
            return masks.argmax(-1)

    counts = Contestant("counts", "", None, Counts())
    games = [Game(0, 0, 0, (0,), 2)]
    play(games, table_of(kickoffs=1, random=0), [counts])
    assert torch.get_num_threads() == 3
    with pytest.raises(EvaluationError, match="enough"):
        play(games, table_of(kickoffs=1, random=0), [counts])
    assert (found, torch.get_num_threads()) == ([1, 1, 1], 3)
