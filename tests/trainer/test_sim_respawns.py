import numpy as np

from tests.trainer.test_sim import rest
from trainer.meshes import find_meshes
from trainer.resets import kickoff_starts
from trainer.sim import Simulator


def respawns(*seeds: int) -> np.ndarray:
    """(B, 2) where the blue car of each arena comes back, by the generator of that arena."""
    rngs = [np.random.default_rng(seed) for seed in seeds]
    sim = Simulator(len(seeds), (0, 1), 8, 1, find_meshes(""), rngs)
    starts = kickoff_starts(len(seeds), (0, 1), np.random.default_rng(0))
    sim.reset(np.arange(len(seeds)), starts)
    for blue, _ in sim.cars:
        blue.demolish()
    for _ in range(46):  # 3 seconds and a decision
        sim.step(rest(sim))
    assert not sim.state.demo_timer.any()
    return sim.state.position[:, 0, :2].round()


def test_an_arena_with_its_own_generator_does_not_depend_on_the_others() -> None:
    together = respawns(4, 5, 6, 7, 4, 5, 6, 7)
    assert len(np.unique(together, axis=0)) > 1
    assert np.array_equal(together[:4], together[4:])
    for arena, seed in enumerate((4, 5, 6, 7)):
        assert np.array_equal(respawns(seed)[0], together[arena])
