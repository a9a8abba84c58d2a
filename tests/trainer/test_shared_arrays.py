from multiprocessing import get_context

import numpy as np
import pytest

from trainer.shared_arrays import Plan, SharedArrays

CONTEXT = get_context("spawn")
PLANS = {
    "rows": Plan((3, 5), "float32"),
    "flags": Plan((7,), "bool"),
    "none": Plan((0, 4), "int64"),
}


def double(arrays: SharedArrays) -> None:
    arrays["rows"][:] *= 2
    arrays["flags"][2] = True


def test_arrays_are_of_their_shape_and_kind_and_hold_zeros() -> None:
    arrays = SharedArrays(PLANS, CONTEXT)
    for name, plan in PLANS.items():
        assert arrays[name].shape == plan.shape
        assert arrays[name].dtype == plan.dtype
        assert not arrays[name].any()


def test_no_array_reaches_into_another() -> None:
    arrays = SharedArrays(PLANS, CONTEXT)
    arrays["rows"][:] = 1
    assert not arrays["flags"].any()
    arrays["flags"][:] = True
    assert (arrays["rows"] == 1).all()
    assert not np.shares_memory(arrays["rows"], arrays["flags"])


def test_the_block_is_the_memory_of_all_of_them() -> None:
    arrays = SharedArrays(PLANS, CONTEXT)
    # 3·5·4 = 60 bytes and 7 bytes, each in a line of 64 of its own.
    assert arrays.block.nbytes == 128
    arrays.block[:] = 1
    assert arrays["flags"].all()


def test_an_array_of_an_unknown_name_is_refused() -> None:
    with pytest.raises(KeyError):
        SharedArrays(PLANS, CONTEXT)["columns"]


def test_another_process_writes_into_the_same_memory() -> None:
    arrays = SharedArrays(PLANS, CONTEXT)
    arrays["rows"][:] = np.arange(15).reshape(3, 5)
    process = CONTEXT.Process(target=double, args=(arrays,))
    process.start()
    process.join()
    assert arrays["rows"].ravel().tolist() == list(range(0, 30, 2))
    assert arrays["flags"].tolist() == [False, False, True, False, False, False, False]
