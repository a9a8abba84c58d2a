from collections.abc import Iterator

import pytest
import torch

from tests.trainer.elsewhere import Elsewhere, entered


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test of a GPU has none to run on without one."""
    if "cuda" in item.keywords and not torch.cuda.is_available():
        pytest.skip("PyTorch finds no GPU here")


@pytest.fixture(autouse=True)
def as_many_threads_as_before() -> Iterator[None]:
    """A test that asks PyTorch for several threads leaves the next one as many as it found."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.fixture
def device() -> Iterator[Elsewhere]:
    """A device that is not the host's, for as long as a test runs."""
    with entered() as made:
        yield made
