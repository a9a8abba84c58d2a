"""What holds for every test, and for every process that one starts."""

import gc
import os

# Before anything loads NumPy or PyTorch, which read it once. Threads add in another order, and
# those of tiny networks mostly wait for each other, on cores that other tests could use.
os.environ["OMP_NUM_THREADS"] = "1"


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and never in what was imported: a screen makes many objects.

    By Python's own thresholds that was a third of a screen test's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
