import sys
from importlib.metadata import version

import pytest

from rlbot_agent.packages import (
    PackageError,
    other_versions,
    require_imports,
    require_python,
    why_not,
)


@pytest.mark.parametrize(
    ("found", "is_64_bit", "words"), [((3, 10), True, "3.10, 64 bit"), ((3, 12), False, "32 bit")]
)
def test_a_python_without_wheels_is_refused_with_its_version(
    found: tuple[int, int], is_64_bit: bool, words: str
) -> None:
    with pytest.raises(PackageError, match=words):
        require_python(found, is_64_bit=is_64_bit)


def test_a_missing_package_is_a_sentence_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    require_imports()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(PackageError, match=r"^onnxruntime is not installed: .* start by run\.bat"):
        require_imports()


def test_only_windows_misses_the_visual_cpp_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    error = ImportError("DLL load failed while importing onnxruntime_pybind11_state")
    monkeypatch.setattr(sys, "platform", "win32")
    assert "install the newest Microsoft Visual C++ runtime" in why_not("onnxruntime", error)
    monkeypatch.setattr(sys, "platform", "linux")
    assert why_not("onnxruntime", error).startswith("onnxruntime is not installed: DLL load")


def test_other_versions_are_told_with_both_sides() -> None:
    here = version("rlbot")
    told = {"rlbot": here, "psutil": "0.1", "no-such-package": "1.0"}
    assert other_versions(told) == [
        "no-such-package missing instead of 1.0",
        f"psutil {version('psutil')} instead of 0.1",
    ]
