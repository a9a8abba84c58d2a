import numpy as np

from trainer.rollout import Rollout


def test_rows_are_steps_by_agents() -> None:
    rollout = Rollout.allocate(num_steps=5, num_agents=3, obs_width=7, num_actions=2)
    assert (rollout.num_steps, rollout.num_rows) == (5, 15)
    assert rollout.obs.shape == (5, 3, 7)
    assert rollout.masks.shape == (5, 3, 2)
    for name in ("actions", "log_probs", "values", "rewards", "terminated", "truncated"):
        assert getattr(rollout, name).shape == (5, 3)


def test_every_row_is_to_be_learned_from_until_somebody_says_otherwise() -> None:
    rollout = Rollout.allocate(num_steps=5, num_agents=3, obs_width=7, num_actions=2)
    assert rollout.valid.tolist() == [[True] * 3] * 5
    rollout.of_agents(1, 2).valid[4] = False
    assert rollout.valid[4].tolist() == [True, False, True]


def test_the_next_value_is_the_next_row_s_the_last_one_s_or_the_final_state_s() -> None:
    rollout = Rollout.allocate(num_steps=3, num_agents=2, obs_width=1, num_actions=1)
    rollout.values[:] = [[10, 11], [20, 21], [30, 31]]
    rollout.truncated[:] = [[False, True], [False, False], [True, False]]
    rollout.bootstrap(last=np.array([40, 41], np.float32), final=np.array([-1, -2], np.float32))
    assert rollout.next_values.tolist() == [[20, -1], [30, 31], [-2, 41]]
