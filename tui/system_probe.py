"""One look at the machine: processor, memory, disk, GPUs, and what the trainer takes of them.

Plain Python without a screen: `screens/system.py` calls `Probe.read` from a thread, again and again
with the same probe, since a processor's use is known between two looks. psutil and NVIDIA's
management library are arguments. What cannot be read is NaN or absent, never an error. Tested by
`tests/tui/test_system_probe.py`.
"""

import math
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pynvml

from trainer.run_dir import Status

NO_GPU = "no NVIDIA GPU that this machine's driver knows"


@dataclass(frozen=True)
class Gpu:
    """One NVIDIA GPU; NaN for what it does not tell."""

    name: str
    """As its maker calls it."""
    use: float
    """Share of the last moment in which it computed, 0 to 1."""
    memory_used: float
    """Bytes."""
    memory_total: float
    """Bytes."""
    temperature: float
    """Degrees Celsius."""


@dataclass(frozen=True)
class Trainer:
    """The trainer's process and its workers, together."""

    processes: int
    """How many there are."""
    threads: int
    """All of theirs."""
    cores: float
    """Processor time since the last look, in cores; NaN at the first look."""
    memory: float
    """Resident bytes; what they share counts in each."""


@dataclass(frozen=True)
class Reading:
    """What one look found."""

    cpu: float
    """Share of all cores that was busy since the last look, 0 to 1; NaN at the first."""
    cores: int
    """Logical cores of the machine."""
    memory_used: float
    """Bytes that are not to be had."""
    memory_total: float
    """Bytes of the machine."""
    disk_free: float
    """Bytes where the run folder is; NaN when that cannot be said."""
    disk_total: float
    """Bytes of that disk."""
    trainer: Trainer | None
    """None when no process trains, or it may not be looked at."""
    gpus: tuple[Gpu, ...]
    """Every one that the driver knows."""
    gpu_words: str
    """Why there is none; empty when there is."""


class Probe:
    """Looks at the machine."""

    def __init__(
        self,
        system: Any = psutil,  # noqa: ANN401 - psutil, or what a test has instead
        nvml: Any = pynvml,  # noqa: ANN401 - pynvml, which has no types
        disk: Callable[[Path], tuple[int, int, int]] = shutil.disk_usage,
    ) -> None:
        """Nothing is looked at before `read`."""
        self._system, self._nvml, self._disk = system, nvml, disk
        self._processes: dict[int, Any] = {}
        self._looked = False
        self._nvml_words: str | None = None

    def read(self, folder: Path, status: Status | None) -> Reading:
        """Look at the machine, at the disk of `folder` and at the trainer that `status` names."""
        memory = self._system.virtual_memory()
        busy = self._system.cpu_percent(interval=None) / 100
        total, _, free = self._disk_of(folder)
        trainer = self._trainer(status) if status else None
        reading = Reading(
            busy if self._looked else math.nan,
            self._system.cpu_count() or 1,
            memory.total - memory.available,
            memory.total,
            free,
            total,
            trainer,
            *self._gpus(),
        )
        self._looked = True
        return reading

    def _disk_of(self, folder: Path) -> tuple[float, float, float]:
        try:
            return self._disk(folder)
        except OSError:
            return math.nan, math.nan, math.nan

    def _trainer(self, status: Status) -> Trainer | None:
        """The trainer and its workers; those that end while they are looked at are left out."""
        try:
            head = self._process(status.pid)
            if abs(head.create_time() - status.pid_created) >= 1.0:
                return None  # another process has its number by now
            pids = [status.pid, *(child.pid for child in head.children(recursive=True))]
        except self._system.Error:
            self._processes.clear()
            return None
        known = {pid: self._processes.get(pid) for pid in pids}
        self._processes = {pid: process for pid, process in known.items() if process}
        looks = [look for pid in pids if (look := self._look(pid, first=known[pid] is None))]
        if not looks:
            return None
        cores = [cores for cores, _, _ in looks if not math.isnan(cores)]
        return Trainer(
            len(looks),
            sum(threads for _, threads, _ in looks),
            sum(cores) if cores else math.nan,
            sum(memory for _, _, memory in looks),
        )

    def _process(self, pid: int) -> Any:  # noqa: ANN401 - a psutil.Process
        """The same object at each look: it remembers the processor time of the last."""
        return self._processes.get(pid) or self._system.Process(pid)

    def _look(self, pid: int, *, first: bool) -> tuple[float, int, float] | None:
        """Cores since the last look (NaN at the `first`), threads and bytes of one process."""
        try:
            process = self._process(pid)
            cores = process.cpu_percent(interval=None) / 100
            found = math.nan if first else cores, process.num_threads(), process.memory_info().rss
        except self._system.Error:
            self._processes.pop(pid, None)
            return None
        self._processes[pid] = process
        return found

    def _gpus(self) -> tuple[tuple[Gpu, ...], str]:
        if self._nvml_words is None:
            self._nvml_words = self._open_nvml()
        if self._nvml_words:
            return (), self._nvml_words
        try:
            count = self._nvml.nvmlDeviceGetCount()
            gpus = tuple(self._gpu(index) for index in range(count))
        except self._nvml.NVMLError as error:
            return (), f"the driver no longer answers: {error}"
        return gpus, "" if gpus else NO_GPU

    def _open_nvml(self) -> str:
        """Why there is no driver to ask; empty when there is."""
        try:
            self._nvml.nvmlInit()
        except self._nvml.NVMLError:
            return NO_GPU
        return ""

    def _gpu(self, index: int) -> Gpu:
        nvml = self._nvml
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        name = nvml.nvmlDeviceGetName(handle)
        use = self._told(lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100)
        used = self._told(lambda: nvml.nvmlDeviceGetMemoryInfo(handle).used)
        total = self._told(lambda: nvml.nvmlDeviceGetMemoryInfo(handle).total)
        sensor = nvml.NVML_TEMPERATURE_GPU
        temperature = self._told(lambda: nvml.nvmlDeviceGetTemperature(handle, sensor))
        return Gpu(str(name), use, used, total, temperature)

    def _told(self, ask: Callable[[], float]) -> float:
        """What a GPU answers; NaN for what it does not support."""
        try:
            return float(ask())
        except self._nvml.NVMLError:
            return math.nan
