"""Which viewers a test has left running."""

import psutil

STANDARD_LIBRARY = "multiprocessing.resource_tracker"
"""A child that Python keeps from the first process on that any test has spawned."""


def no_child_is_left() -> bool:
    """Whether this process has no child of a test's making."""
    return all(map(_is_pythons_own, psutil.Process().children()))


def _is_pythons_own(child: psutil.Process) -> bool:
    try:
        return STANDARD_LIBRARY in " ".join(child.cmdline())
    except psutil.NoSuchProcess:  # gone, or a zombie that nobody has waited for yet
        return not child.is_running()
