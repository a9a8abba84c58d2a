import pytest

from tests.tui.test_phase_times import timed
from trainer.config import RunConfig
from trainer.metrics import IterationMetrics
from tui.phase_hints import Bound, bound
from tui.phase_times import Times

CPU, GPU = "cpu (2 threads)", "cuda (NVIDIA H200)"
PLAYING = {"collect": 9.25, "update": 2.0, "iteration": 11.5, "waiting": 0.5}
LEARNING = {"collect": 3.0, "update": 10.0, "iteration": 13.25, "waiting": 0.1}


def judged(
    device: str, config: dict[str, dict[str, object]] | None = None, **seconds: float
) -> Bound:
    found = bound(Times([timed(**seconds)]), RunConfig.model_validate(config or {}), device)
    assert found
    return found


def test_nothing_bounds_a_run_that_has_not_begun() -> None:
    assert bound(Times([]), RunConfig(), CPU) is None


@pytest.mark.parametrize(
    ("save", "publish", "setting"),
    [
        (4.0, 0.1, "checkpoint.every_steps, 1,000,000 now"),
        (0.1, 4.0, "ppo.steps_per_iteration, 50,000 now"),
    ],
)
def test_a_run_that_writes_a_fifth_of_its_time_should_write_less(
    save: float, publish: float, setting: str
) -> None:
    found = judged(CPU, save=save, publish=publish)
    assert found.kind == "saving"
    assert setting in found.hint
    assert judged(CPU, save=1.5, publish=1.5).kind != "saving"


def test_the_longer_of_playing_and_learning_bounds_a_run() -> None:
    assert judged(CPU, **PLAYING).kind == "playing"
    assert judged(CPU, **LEARNING).kind == "learning"


@pytest.mark.parametrize(
    ("inference", "device", "hint"),
    [
        ("auto", CPU, "sim.workers to one fewer"),
        ("workers", GPU, "sim.workers to one fewer"),
        ("auto", GPU, "sim.workers of twice the cores"),
        ("central", CPU, "sim.workers of twice the cores"),
    ],
)
def test_workers_that_wait_a_tenth_of_the_rollout_have_too_few_cores(
    inference: str, device: str, hint: str
) -> None:
    config = {"sim": {"inference": inference}}
    found = judged(device, config, **PLAYING | {"waiting": 0.95})
    assert found.kind == "waiting"
    assert hint in found.hint
    assert judged(device, config, **PLAYING | {"waiting": 0.85}).kind == "playing"


@pytest.mark.parametrize(
    ("longest", "hint"),
    [
        ({"decisions": 5.0}, "bf16"),
        ({"physics": 5.0}, "only more cores"),
        ({"physics": 1.0, "decisions": 1.0}, "more sim.arenas, up to 128 a worker"),
    ],
)
def test_what_to_try_about_playing_depends_on_its_longest_phase(
    longest: dict[str, float], hint: str
) -> None:
    assert hint in judged(CPU, **PLAYING | longest).hint


def test_what_is_set_already_is_not_advised() -> None:
    decisions = PLAYING | {"decisions": 5.0}
    precise = {"ppo": {"actor_precision": "bf16", "critic_precision": "bf16"}}
    assert judged(CPU, precise, **decisions).hint.startswith("Take smaller networks")
    assert "sim.workers = 0" in judged(CPU, {"sim": {"workers": 3}}, **PLAYING).hint
    assert judged(CPU, precise, **LEARNING).hint.startswith("Fewer ppo.epochs, 2 now")


def test_a_gpu_that_decides_likes_many_cars() -> None:
    seconds = PLAYING | {"decisions": 5.0, "update": 1.0}
    assert judged(GPU, **seconds).hint.startswith("Set more sim.arenas: a GPU decides")


def test_a_gpu_that_rests_while_others_play_should_not() -> None:
    assert judged(GPU, **PLAYING | {"update": 4.0, "iteration": 13.5}).hint == (
        "Set ppo.overlap = true: it plays while the GPU learns."
    )
    assert "ppo.overlap = true" in judged(GPU, **LEARNING).hint


def test_an_overlap_on_a_cpu_is_better_left() -> None:
    overlap = {"ppo": {"overlap": True}}
    assert "ppo.overlap = false" in judged(CPU, overlap, **PLAYING).hint
    assert judged(CPU, overlap, **LEARNING).kind == "learning"


def test_an_overlap_on_a_gpu_is_bound_by_what_is_still_waited_for() -> None:
    overlap = {"ppo": {"overlap": True, "minibatch_size": 1_000}}
    hidden = {"collect": 0.1, "update": 10.0, "iteration": 10.5}
    found = judged(GPU, overlap, **hidden)
    assert found.kind == "learning"
    assert "Raise ppo.minibatch_size, 1,000 now" in found.hint
    late = {"collect": 3.0, "update": 10.0, "iteration": 13.25, "waiting": 0.5}
    assert judged(GPU, overlap, **late).kind == "playing"


@pytest.mark.parametrize("rows", [1_999, 8_001])
def test_a_cpu_learns_fastest_in_chunks_that_fit_its_caches(rows: int) -> None:
    config = {"ppo": {"minibatch_size": rows, "batch_size": 10_000}}
    assert f"from 2,000 to 8,000, {rows:,} now" in judged(CPU, config, **LEARNING).hint
    assert "bf16" in judged(CPU, **LEARNING).hint


def test_a_gpu_that_does_all_it_can_learns_less() -> None:
    alone = {"collect": 1.0, "update": 10.0, "iteration": 11.5}
    assert judged(GPU, **alone).hint == "Fewer ppo.epochs, 2 now, or smaller networks."


def test_a_distillation_is_not_told_to_overlap_and_its_epochs_are_its_own() -> None:
    def taught(device: str, seconds: dict[str, float], **ppo: object) -> Bound:
        values = dict(timed(**seconds).values) | {"Transfer/loss": 0.5}
        config = RunConfig.model_validate({"ppo": ppo, "transfer": {"epochs": 7}})
        found = bound(Times([IterationMetrics(1, 1, 0.0, values)]), config, device)
        assert found
        return found

    for overlap in (False, True):
        for seconds in (PLAYING, LEARNING):
            for device in (CPU, GPU):
                assert "ppo.overlap" not in taught(device, seconds, overlap=overlap).hint
    whole = {"batch_size": 2_500, "minibatch_size": 2_500}
    assert "Fewer transfer.epochs, 7 now" in taught(GPU, LEARNING, **whole).hint
