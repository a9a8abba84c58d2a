import sys
from multiprocessing import get_context
from multiprocessing.connection import Connection

import numpy as np
import pytest

from trainer.memory import memory_mb, pss_mb
from trainer.shared_arrays import Plan, SharedArrays

SHARED_MB = 64


def hold(shared: SharedArrays, orders: Connection) -> None:
    """Touch all of the shared memory, and stay until told."""
    shared["block"][:] = 1
    orders.send("held")
    orders.recv()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how memory is shared")
def test_what_two_processes_share_counts_once_where_the_system_tells() -> None:
    context = get_context("spawn")
    shared = SharedArrays({"block": Plan((SHARED_MB * 2**20,), "uint8")}, context)
    assert np.all(shared["block"] == 0)
    ours, theirs = context.Pipe()
    process = context.Process(target=hold, args=(shared, theirs), daemon=True)
    process.start()
    try:
        assert ours.recv() == "held"
        assert process.pid is not None
        once, twice = pss_mb(), memory_mb([process.pid])
    finally:
        ours.send("go")
        process.join()
    assert once is not None
    # Libraries are shared as well, beside the block.
    assert twice - once > SHARED_MB
