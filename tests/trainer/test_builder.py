import os
import time

import pytest
import torch

from tests.trainer.tiny import tiny_config
from trainer.builder import (
    DeviceError,
    choose_device,
    decides_centrally,
    make_clock,
)
from trainer.config import RunConfig
from trainer.config_ppo import PPOConfig
from trainer.sizes import count_workers


def test_a_gpu_is_taken_when_there_is_one_and_only_when_it_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for found, auto in ((True, "cuda"), (False, "cpu")):
        monkeypatch.setattr(torch.cuda, "is_available", lambda found=found: found)
        assert choose_device("auto") == torch.device(auto)
        assert choose_device("cpu") == torch.device("cpu")


def test_a_gpu_that_is_not_there_is_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(DeviceError, match="take auto or cpu"):
        choose_device("cuda")


def test_one_worker_plays_for_each_core_and_two_at_least_beside_the_update(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    overlap = RunConfig(ppo=PPOConfig(overlap=True))
    for cores, in_turn, beside in ((1, 1, 2), (2, 2, 2), (16, 16, 16)):
        monkeypatch.setattr(
            *(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores))), raising=False
        )
        assert (count_workers(RunConfig()), count_workers(overlap)) == (in_turn, beside)


@pytest.mark.parametrize(
    ("inference", "workers", "on_gpu", "on_cpu"),
    [
        ("auto", 4, True, False),
        ("auto", 1, False, False),
        ("workers", 4, False, False),
        ("central", 1, True, True),
    ],
)
def test_the_trainer_decides_for_several_workers_where_there_is_a_gpu_or_where_asked(
    inference: str, workers: int, on_gpu: bool, on_cpu: bool
) -> None:
    config = tiny_config("sim.arenas=8", f"sim.workers={workers}", f"sim.inference={inference}")
    assert decides_centrally(config, torch.device("cuda")) == on_gpu
    assert decides_centrally(config, torch.device("cpu")) == on_cpu


def test_a_clock_waits_for_a_gpu_only_when_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    gpu = torch.device("cuda")
    assert make_clock(gpu, synchronise=False) is time.perf_counter
    assert make_clock(torch.device("cpu"), synchronise=True) is time.perf_counter
    clock = make_clock(gpu, synchronise=True)
    assert clock() <= clock()
    assert waited == [gpu, gpu]
