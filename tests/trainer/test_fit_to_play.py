"""The environment of processes that play."""

import os

import pytest
import torch

from trainer.fit_to_play import fit_to_play


@pytest.fixture(autouse=True)
def on_a_cpu_with_avx512(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX512")


def test_who_starts_within_has_one_thread_fast_kernels_and_huge_pages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "16")
    for name in ("OPENBLAS_CORETYPE", "GLIBC_TUNABLES"):
        monkeypatch.delenv(name, raising=False)
    before = dict(os.environ)
    with fit_to_play():
        assert os.environ["OMP_NUM_THREADS"] == os.environ["OPENBLAS_NUM_THREADS"] == "1"
        assert os.environ["OPENBLAS_CORETYPE"] == "SkylakeX"
        assert os.environ["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=1"
    assert dict(os.environ) == before


def test_what_the_user_has_set_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Zen")
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.check=1")
    with fit_to_play():
        assert os.environ["OPENBLAS_CORETYPE"] == "Zen"
        assert os.environ["GLIBC_TUNABLES"] == "glibc.malloc.check=1"


def test_a_cpu_of_another_kind_keeps_openblas_own_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "DEFAULT")
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    with fit_to_play():
        assert "OPENBLAS_CORETYPE" not in os.environ
