import numpy as np

from rlbot_agent.actions import ACTION_TABLE
from trainer.free_sim import FreeSimulator
from trainer.meshes import find_meshes
from trainer.resets import kickoff_starts
from trainer.sim import Simulator


def make(kind: type[Simulator]) -> Simulator:
    rng = np.random.default_rng(0)
    sim = kind(1, (0, 1), 1, 0, find_meshes(""), rng)
    sim.reset(np.array([0]), kickoff_starts(1, (0, 1), np.random.default_rng(1)))
    return sim


def test_rows_of_the_action_table_play_as_in_training() -> None:
    trained, free = make(Simulator), make(FreeSimulator)
    assert isinstance(free, FreeSimulator)
    rng = np.random.default_rng(2)
    for _ in range(240):
        rows = rng.integers(len(ACTION_TABLE), size=2)
        trained.step(rows[None])
        free.step_freely(ACTION_TABLE[rows])
        assert np.array_equal(trained.state.raw, free.state.raw)


def test_half_a_throttle_is_slower_than_a_whole_one() -> None:
    free = make(FreeSimulator)
    assert isinstance(free, FreeSimulator)
    controls = np.zeros((2, 8), np.float32)
    controls[:, 0] = (0.5, 1.0)
    for _ in range(60):
        free.step_freely(controls)
    half, whole = np.linalg.norm(free.state.velocity[0], axis=1)
    assert 0.3 * whole < half < 0.8 * whole
    assert free.state.controls[0, :, 0].tolist() == [0.5, 1.0]
