import numpy as np
import pytest
import torch

from trainer.pinning import pin, unpin


class Runtime:
    """Answers as the CUDA runtime does, with an error's number."""

    def __init__(self, error: int) -> None:
        self.error = error
        self.pinned: dict[int, int] = {}

    def cudaHostRegister(self, address: int, size: int, flags: int) -> int:  # noqa: N802
        if not self.error:
            self.pinned[address] = size
        return self.error

    def cudaHostUnregister(self, address: int) -> int:  # noqa: N802
        del self.pinned[address]
        return 0


def test_all_of_a_block_is_pinned_until_it_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime, block = Runtime(error=0), np.zeros(100, np.uint8)
    monkeypatch.setattr(torch.cuda, "cudart", lambda: runtime)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    assert pin(block)
    assert runtime.pinned == {block.ctypes.data: 100}
    unpin(block)
    assert runtime.pinned == {}


def test_a_refusal_is_no_error_and_the_next_kernel_takes_its_blame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernels: list[int] = []

    def start_kernel(size: int, device: str) -> None:
        kernels.append(size)
        raise RuntimeError("CUDA error: part of the memory is pinned already")

    monkeypatch.setattr(torch.cuda, "cudart", lambda: Runtime(error=712))
    monkeypatch.setattr(torch, "ones", start_kernel)
    assert not pin(np.zeros(100, np.uint8))
    assert kernels == [1]


@pytest.mark.cuda
def test_pytorch_sees_that_shared_memory_is_pinned() -> None:
    block = np.zeros(2**20, np.uint8)
    assert pin(block)
    assert torch.from_numpy(block)[4096:].is_pinned()
    unpin(block)
    assert not torch.from_numpy(block).is_pinned()
