import math
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from tests.patience import PATIENCE_S
from trainer.run_dir import Status, new_status
from tui.system_probe import NO_GPU, Gpu, Probe


class NVMLError(Exception):
    pass


class Driver:
    """A driver with two GPUs, of which the second tells hardly anything."""

    NVMLError = NVMLError
    NVML_TEMPERATURE_GPU = 0

    def __init__(self, *, broken: bool = False, count: int = 2) -> None:
        self.broken, self.count, self.opened = broken, count, 0

    def nvmlInit(self) -> None:  # noqa: N802 - NVIDIA's names
        if self.broken:
            raise NVMLError("NVML Shared Library Not Found")
        self.opened += 1

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        if self.broken:
            raise NVMLError("GPU is lost")
        return self.count

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802
        return index

    def nvmlDeviceGetName(self, handle: int) -> str:  # noqa: N802
        return f"GPU number {handle}"

    def nvmlDeviceGetUtilizationRates(self, handle: int) -> Any:  # noqa: N802, ANN401
        self._refuse(handle)
        return SimpleNamespace(gpu=37)

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> Any:  # noqa: N802, ANN401
        return SimpleNamespace(used=2 << 30, total=8 << 30)

    def nvmlDeviceGetTemperature(self, handle: int, sensor: int) -> int:  # noqa: N802
        self._refuse(handle)
        return 61

    def _refuse(self, handle: int) -> None:
        if handle == 1:
            raise NVMLError("Not Supported")


@pytest.fixture
def child() -> Any:  # noqa: ANN401
    """A process with a child of its own, which both wait."""
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)\n"
        "print('up', flush=True)\n"
        "input()\n"
        "child.communicate(b'done')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout
    process.stdout.readline()
    yield process
    process.communicate(b"done")


def status_of(pid: int, created: float | None = None) -> Status:
    created = psutil.Process(pid).create_time() if created is None else created
    return Status(pid, created, 0.0, "collecting", 0.0, "cpu", 0, 0, 0, False)


def test_the_trainer_is_its_process_and_those_it_started(child: Any, tmp_path: Path) -> None:  # noqa: ANN401
    probe = Probe(nvml=Driver(broken=True))
    status = status_of(child.pid)
    first = probe.read(tmp_path, status)
    assert first.trainer
    assert (first.trainer.processes, first.trainer.threads) == (2, 2)
    assert 2 << 20 < first.trainer.memory < 1 << 30
    assert math.isnan(first.trainer.cores)
    assert math.isnan(first.cpu)
    end = time.monotonic() + PATIENCE_S
    while True:
        later = probe.read(tmp_path, status)
        assert later.trainer
        assert later.trainer.cores >= 0.0
        assert 0.0 <= later.cpu <= 1.0
        if later.trainer.cores < 0.9:  # both only wait, once they have started
            break
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_busy_trainer_takes_a_core(tmp_path: Path) -> None:
    probe = Probe(nvml=Driver(broken=True))
    status = new_status("cpu")
    probe.read(tmp_path, status)
    spent = time.process_time()
    while time.process_time() - spent < 0.2:
        pass
    reading = probe.read(tmp_path, status)
    assert reading.trainer
    assert reading.trainer.cores > 0.05


def test_the_machine_is_measured_in_its_own_units(tmp_path: Path) -> None:
    reading = Probe(nvml=Driver(broken=True)).read(tmp_path, None)
    assert reading.cores == os.cpu_count()
    assert reading.memory_total == psutil.virtual_memory().total
    assert 0 < reading.memory_used < reading.memory_total
    assert 0 < reading.disk_free <= reading.disk_total
    assert reading.trainer is None


def test_a_trainer_that_is_gone_is_none(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    created = psutil.Process(gone.pid).create_time()
    gone.wait()
    assert Probe().read(tmp_path, status_of(gone.pid, created)).trainer is None


def test_another_process_with_its_number_is_not_the_trainer(tmp_path: Path) -> None:
    status = status_of(os.getpid(), created=12.0)
    assert Probe().read(tmp_path, status).trainer is None


def test_a_trainer_that_ends_between_two_looks_is_none_at_the_second(tmp_path: Path) -> None:
    code = "input()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    status, probe = status_of(process.pid), Probe()
    assert probe.read(tmp_path, status).trainer
    process.communicate(b"done")
    assert probe.read(tmp_path, status).trainer is None


class Denied:
    """A process of somebody else."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def create_time(self) -> float:
        return 5.0

    def children(self, *, recursive: bool) -> list["Denied"]:
        return []

    def cpu_percent(self, interval: None) -> float:
        raise psutil.AccessDenied(self.pid)


def test_a_trainer_that_may_not_be_looked_at_is_none(tmp_path: Path) -> None:
    system = SimpleNamespace(
        Process=Denied,
        Error=psutil.Error,
        virtual_memory=psutil.virtual_memory,
        cpu_percent=psutil.cpu_percent,
        cpu_count=lambda: None,
    )
    reading = Probe(system, Driver()).read(tmp_path, status_of(1, 5.0))
    assert reading.trainer is None
    assert reading.cores == 1


def test_a_folder_that_is_not_there_has_no_disk(tmp_path: Path) -> None:
    reading = Probe(nvml=Driver(broken=True)).read(tmp_path / "never", None)
    assert math.isnan(reading.disk_free)
    assert math.isnan(reading.disk_total)


def test_every_gpu_tells_what_it_can(tmp_path: Path) -> None:
    first, second = Probe(nvml=Driver()).read(tmp_path, None).gpus
    assert first == Gpu("GPU number 0", 0.37, 2 << 30, 8 << 30, 61.0)
    assert second.memory_total == 8 << 30
    assert math.isnan(second.use)
    assert math.isnan(second.temperature)


@pytest.mark.parametrize("driver", [Driver(broken=True), Driver(count=0)])
def test_a_machine_without_a_gpu_says_so(tmp_path: Path, driver: Driver) -> None:
    reading = Probe(nvml=driver).read(tmp_path, None)
    assert (reading.gpus, reading.gpu_words) == ((), NO_GPU)


def test_a_gpu_that_falls_off_is_told_and_not_an_error(tmp_path: Path) -> None:
    driver = Driver()
    probe = Probe(nvml=driver)
    assert probe.read(tmp_path, None).gpus
    driver.broken = True
    reading = probe.read(tmp_path, None)
    assert (reading.gpus, reading.gpu_words) == ((), "the driver no longer answers: GPU is lost")


def test_the_driver_is_opened_once(tmp_path: Path) -> None:
    driver = Driver()
    probe = Probe(nvml=driver)
    for _ in range(3):
        probe.read(tmp_path, None)
    assert driver.opened == 1


def test_the_real_driver_of_this_machine_is_asked_without_an_error(tmp_path: Path) -> None:
    reading = Probe().read(tmp_path, None)
    assert bool(reading.gpus) != bool(reading.gpu_words)
