import os
from collections.abc import Callable
from multiprocessing import active_children
from multiprocessing.connection import Connection

import pytest
import torch

from tests.trainer.elsewhere import CPU, DEVICE, Elsewhere
from tests.trainer.tiny import tiny_config
from trainer import bench_alone, bench_pieces
from trainer.act_step import act
from trainer.bench_alone import measure_inference, measure_physics, measure_update
from trainer.bench_limit import Load
from trainer.bench_pieces import timed
from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.config_ppo import PPOConfig
from trainer.crew import WorkerError
from trainer.deciding import Group, decide_row
from trainer.rollout_tensors import RolloutTensors
from trainer.sim import Indices, Simulator

CENTRAL = ("sim.inference=central", "sim.arenas=5", "sim.workers=3")


@pytest.fixture(autouse=True)
def _briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_alone, "LIMIT_S", 0.05)


class Clocks:
    """Two clocks that go on only while somebody works: 2 s of the wall, 3 s of cores a turn."""

    def __init__(self) -> None:
        self.turns: list[int] = []

    def work(self, turn: int) -> None:
        self.turns.append(turn)

    def wall(self) -> float:
        return 100 + 2.0 * len(self.turns)

    def cores(self) -> float:
        return 7 + 3.0 * len(self.turns)


def test_a_step_takes_its_share_of_the_turns_that_began_in_time() -> None:
    clocks = Clocks()
    load = timed(clocks.work, 6, 5.0, clocks.wall, clocks.cores)
    # The third begins after 4 s and ends after 6: 18 steps in 6 s, and 9 s of cores.
    assert (clocks.turns, load) == ([0, 1, 2], Load(1 / 3, 1 / 2))


def test_what_takes_longer_than_there_is_time_is_done_once() -> None:
    clocks = Clocks()
    assert timed(clocks.work, 4, 0.0, clocks.wall, clocks.cores) == Load(0.5, 0.75)


def test_who_decides_for_all_decides_row_by_row_and_group_by_group_as_in_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    decided: list[tuple[int, int]] = []

    def five_turns(work: Callable[[int], object], steps: int, seconds: float) -> Load:
        for turn in range(5):
            work(turn)
        return Load(steps, seconds)

    def witness(group: Group, t: int, old: None) -> None:
        decide_row(group, t, old)
        decided.append((t, len(group.step.obs)))
        # What workers would have written was read, and they would find their actions.
        shared = group.shared
        found = act(group.step._model, shared.obs[t], shared.masks[t], group.uniforms[t])
        assert torch.equal(shared.actions[t], found.actions)
        assert torch.equal(group.kept.log_probs[t], found.log_probs)
        assert shared.obs[t].std() == pytest.approx(1, abs=0.2)
        assert torch.get_num_threads() == 1

    monkeypatch.setattr(bench_alone, "decide_row", witness)
    monkeypatch.setattr(bench_alone, "timed", five_turns)
    load = measure_inference(tiny_config(*CENTRAL, "ppo.steps_per_iteration=40"))
    assert load == (10, 0.05)
    # Workers have 2, 2 and 1 arenas: two of them are one group. Once before it counts, then the
    # four rows over and over.
    assert decided == [(t, agents) for t in (0, 0, 1, 2, 3, 0) for agents in (8, 2)]


def test_workers_decide_and_play_in_processes_as_many_as_in_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def measured(config: RunConfig, name: str, work: Callable[..., None]) -> Load:
        asked.append(name)
        return Load(1, 1)

    monkeypatch.setattr(bench_alone, "_in_processes", measured)
    config = tiny_config("sim.workers=2")
    measure_physics(config)
    measure_inference(config)
    assert asked == ["physics", "decisions"]
    # Alone, the trainer decides as it plays: by its networks.
    assert measure_inference(tiny_config()) != Load(1, 1)
    assert len(asked) == 2


def test_processes_say_what_a_step_takes_them_together() -> None:
    config = tiny_config("sim.workers=2")
    for load in (measure_physics(config), measure_inference(config)):
        assert 0 < load.wall_s < 1
        assert 0 < load.cores_s < 1


def test_physics_is_that_of_every_mode_for_all_of_its_cars(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played: list[tuple[int, ...]] = []

    def once(work: Callable[[int], object], steps: int, orders: None) -> None:
        work(0)
        played.append((steps,))

    def witness(simulator: Simulator, choices: Indices) -> None:
        played.append(choices.shape)

    monkeypatch.setattr(bench_pieces, "_obey", once)
    monkeypatch.setattr(Simulator, "play", witness)
    config = tiny_config("sim.arenas=4", "sim.modes.1v1=1", "sim.modes.3v3=3")
    bench_pieces.physics(config, None)  # type: ignore[arg-type]
    assert played == [(1, 2), (3, 6), (20,)]


def dies_or_waits(config: RunConfig, orders: Connection) -> None:
    """The process of the arena of 1v1 dies; that of 2v2 waits for the word to begin."""
    if len(config.sim.teams) == 2:
        os._exit(3)
    orders.send("ready")
    orders.recv()


def test_where_a_process_dies_it_is_said_and_no_other_one_stays() -> None:
    config = tiny_config("sim.workers=2", "sim.modes.2v2=1")
    of_others = active_children()  # such as what a fixture of another file keeps
    with pytest.raises(WorkerError, match="a process that measured nothing alone died"):
        bench_alone._in_processes(config, "nothing", dies_or_waits)
    assert [child for child in active_children() if child not in of_others] == []


def test_the_update_alone_is_that_of_the_config_on_a_rollout_of_its_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    learn, seen = bench_alone.learn, list[tuple[PPOConfig, tuple[int, ...]]]()

    def witness(
        config: PPOConfig,
        state: TrainingState,
        rollout: RolloutTensors,
        on_batch: Callable[[], None],
    ) -> dict[str, float]:
        seen.append((config, tuple(rollout.obs.shape)))
        return learn(config, state, rollout, on_batch)

    monkeypatch.setattr(bench_alone, "learn", witness)
    config = tiny_config("ppo.overlap=true", "sim.workers=2", "ppo.epochs=2")
    load = measure_update(config)
    assert len(seen) >= 2
    # 8 decisions of the 4 agents of two arenas.
    assert set(seen) == {(config.ppo, (8, 4, 92))}
    assert 0 < load.wall_s < 1
    assert load.cores_s > 0


@pytest.mark.parametrize(("inference", "where"), [("central", DEVICE), ("workers", CPU)])
def test_the_rollout_to_learn_from_lies_where_a_run_has_it(
    device: Elsewhere, monkeypatch: pytest.MonkeyPatch, inference: str, where: torch.device
) -> None:
    found: list[torch.device] = []

    def witness(config: PPOConfig, state: None, rollout: RolloutTensors, on_batch: None) -> None:
        found.append(rollout.obs.device)

    monkeypatch.setattr(bench_alone, "learn", witness)
    monkeypatch.setattr(bench_alone, "choose_device", lambda name: DEVICE)
    measure_update(tiny_config(f"sim.inference={inference}", "sim.workers=2"))
    assert set(found) == {where}


def test_no_core_computes_what_a_gpu_does() -> None:
    assert bench_alone._on(torch.device("cuda"), Load(2, 3)) == Load(2, 0)
    assert bench_alone._on(CPU, Load(2, 3)) == Load(2, 3)
