import time

import pytest
import torch

from trainer.builder import DeviceError, choose_device, make_clock


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


def test_a_clock_waits_for_a_gpu_only_when_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    gpu = torch.device("cuda")
    assert make_clock(gpu, synchronise=False) is time.perf_counter
    assert make_clock(torch.device("cpu"), synchronise=True) is time.perf_counter
    clock = make_clock(gpu, synchronise=True)
    assert clock() <= clock()
    assert waited == [gpu, gpu]
