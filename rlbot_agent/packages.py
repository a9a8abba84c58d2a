"""The packages that the bot stands on: are they there, and if not, what a person can do.

Standard library only. Tested by `tests/rlbot_agent/test_packages.py`.
"""

import importlib
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Final

IMPORTED: Final = ("numpy", "onnxruntime", "rlbot")
"""What the bot imports itself."""
OLDEST: Final = (3, 11)
"""The first Python that all of them have wheels for."""


class PackageError(Exception):
    """Something the bot stands on is missing; one sentence says what to do."""


def why_not(name: str, error: ImportError) -> str:
    """Why the package called `name` cannot be imported, as a sentence with its remedy."""
    if sys.platform == "win32" and "DLL load failed" in str(error):
        return (
            f"{name} cannot start: install the newest Microsoft Visual C++ runtime, "
            "https://aka.ms/vs/17/release/vc_redist.x64.exe"
        )
    return f"{name} is not installed: {error}: start by run.bat or run.sh, which installs it"


def require_python(found: tuple[int, int], *, is_64_bit: bool) -> None:
    """Refuse a Python that the packages have no wheels for.

    Raises:
        PackageError: With its version.
    """
    if found < OLDEST or not is_64_bit:
        bits = 64 if is_64_bit else 32
        raise PackageError(
            f"this is Python {found[0]}.{found[1]}, {bits} bit; it must be 3.11 or newer, 64 bit"
        )


def require_imports() -> None:
    """Import them all.

    Raises:
        PackageError: For the first that cannot be.
    """
    for name in IMPORTED:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise PackageError(why_not(name, error)) from error


def other_versions(exported: Mapping[str, str]) -> list[str]:
    """A phrase for each package that has another version here than `exported` says."""
    found = {name: _version(name) for name in exported}
    return [
        f"{name} {found[name]} instead of {told}"
        for name, told in sorted(exported.items())
        if found[name] != told
    ]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
