from pathlib import Path

import numpy as np
import pytest

from trainer.evaluation.contestants import EvaluationError
from trainer.evaluation.frozen_starts import make_starts, starts_text
from trainer.evaluation.protocol import StartsConfig
from trainer.resets import Starts


def equal(one: Starts, other: Starts) -> bool:
    pairs = zip(vars(one).values(), vars(other).values(), strict=True)
    return all(np.array_equal(left, right) and left.dtype == right.dtype for left, right in pairs)


def test_written_states_are_read_back_to_the_last_bit(tmp_path: Path) -> None:
    modes = ("1v1", "2v3")
    drawn = make_starts(StartsConfig(kickoffs=3, random=5, seed=4), tmp_path, modes)
    (tmp_path / "starts.jsonl").write_text(starts_text(drawn))
    read = make_starts(StartsConfig(file="starts.jsonl"), tmp_path, modes)
    assert list(read) == list(modes)
    assert all(equal(drawn[mode], read[mode]) for mode in modes)


def test_kickoffs_come_first_and_a_mode_draws_its_own(tmp_path: Path) -> None:
    config = StartsConfig(kickoffs=2, random=3)
    both = make_starts(config, tmp_path, ("1v1", "2v2"))
    assert both["1v1"].ball_position[:, :2].any(axis=1).tolist() == [False, False, True, True, True]
    assert equal(both["2v2"], make_starts(config, tmp_path, ("2v2",))["2v2"])
    other = make_starts(config.model_copy(update={"seed": 1}), tmp_path, ("1v1",))
    assert not equal(both["1v1"], other["1v1"])


def test_a_file_without_a_mode_is_refused(tmp_path: Path) -> None:
    drawn = make_starts(StartsConfig(kickoffs=1, random=1), tmp_path, ("1v1",))
    (tmp_path / "starts.jsonl").write_text(starts_text(drawn))
    with pytest.raises(EvaluationError, match="has no state of 2v2"):
        make_starts(StartsConfig(file="starts.jsonl"), tmp_path, ("1v1", "2v2"))
