"""Work that a GPU records once and replays, without Python between its kernels.

Tested by `tests/trainer/test_act_step.py` and `test_on_gpu.py`.
"""

from collections.abc import Callable
from typing import Final

import torch

Work = Callable[[], None]
Recorder = Callable[[Work], Work]
"""Does the work once and records it; what it returns does it again. May raise `RecordingError`."""


UNFINISHED: Final[list[torch.cuda.CUDAGraph]] = []
"""Graphs whose recording failed, for as long as the process lives: PyTorch's allocator goes on
asking them."""


class RecordingError(Exception):
    """Work was done, but could not be recorded."""


class GpuRecorder:
    """CUDA graphs that share their memory: never two at once, and none leaves anything in it."""

    def __init__(self, stream: torch.cuda.Stream) -> None:
        """On `stream`, which nobody else may use: PyTorch has few, and hands them out in a ring."""
        self._stream = stream
        self._pool = torch.cuda.graph_pool_handle()

    def __call__(self, work: Work) -> Work:
        """Do the work once, which warms up, and record it.

        Raises:
            RecordingError: When the GPU or PyTorch refuses to record.
        """
        outside = torch.cuda.current_stream()
        self._stream.wait_stream(outside)
        with torch.cuda.stream(self._stream):
            work()
        outside.wait_stream(self._stream)
        graph = torch.cuda.CUDAGraph()
        UNFINISHED.append(graph)
        try:
            # Brings back the stream of before, which a recording that fails would leave behind.
            with torch.cuda.stream(outside):
                self._capture(graph, work)
        except RuntimeError as error:
            raise RecordingError(f"the GPU could not record one ({error})") from error
        UNFINISHED.remove(graph)
        return graph.replay

    def _capture(self, graph: torch.cuda.CUDAGraph, work: Work) -> None:
        """Nothing is computed; other threads may go on using the GPU."""
        with torch.cuda.graph(
            graph, pool=self._pool, stream=self._stream, capture_error_mode="thread_local"
        ):
            work()


def new_stream(device: torch.device) -> torch.cuda.Stream:
    """One more stream of a GPU's work, beside those that others use."""
    stream: torch.cuda.Stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    return stream
