from multiprocessing import get_context

import numpy as np
import pytest

from trainer.collector import Abandoned
from trainer.remote_policy import Gate, RemotePolicy
from trainer.rollout import Rollout


def nothing() -> None:
    pass


def new_gate() -> Gate:
    context = get_context("spawn")
    return Gate(context.Semaphore(0), context.Semaphore(0))


def test_the_actions_are_those_that_somebody_wrote_for_the_next_row() -> None:
    gate, rollout = new_gate(), Rollout.allocate(2, 3, 4, 5)
    uniforms = np.zeros((2, 3), np.float32)
    policy = RemotePolicy(gate, rollout, uniforms, nothing)
    rollout.actions[:] = [[1, 2, 3], [4, 0, 4]]
    rng = np.random.default_rng(0)
    for t in range(2):
        gate.answered.release()
        decision = policy.act(rollout.obs[t], rollout.masks[t], rng)
        np.testing.assert_array_equal(decision.actions, rollout.actions[t])
        assert gate.asked.acquire(block=False)
    # Drawn as by a policy that decides by itself: three numbers for each decision.
    again = np.random.default_rng(0)
    np.testing.assert_array_equal(
        uniforms, [again.random(3, dtype=np.float32), again.random(3, dtype=np.float32)]
    )


def test_who_waits_in_vain_looks_up_and_may_go() -> None:
    gate, looks = new_gate(), list[int]()

    def look_up() -> None:
        looks.append(1)
        if len(looks) == 2:
            raise Abandoned

    rollout = Rollout.allocate(1, 1, 1, 1)
    policy = RemotePolicy(gate, rollout, np.zeros((1, 1), np.float32), look_up)
    with pytest.raises(Abandoned):
        policy.act(rollout.obs[0], rollout.masks[0], np.random.default_rng(0))
    assert gate.asked.acquire(block=False)


def test_what_is_to_be_valued_is_kept_for_whoever_can() -> None:
    policy = RemotePolicy(
        new_gate(), Rollout.allocate(1, 2, 3, 4), np.zeros((1, 2), np.float32), nothing
    )
    assert policy.unvalued is None
    seen = np.ones((5, 3), np.float32)
    assert policy.values(seen).tolist() == [0, 0, 0, 0, 0]
    assert policy.unvalued is seen
