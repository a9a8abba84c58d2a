from pathlib import Path

import pytest

from export.manifest import BundleError, hashes_of, read_manifest, require_files
from tests.export.bundles import make_bundle


def test_a_bundle_as_exported_passes(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    require_files(bundle, read_manifest(bundle))


def test_every_single_changed_byte_is_named(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    manifest = read_manifest(bundle)
    for name in hashes_of(bundle):
        path = bundle / name
        good = path.read_bytes()
        path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]) if good else b"x")
        with pytest.raises(BundleError) as caught:
            require_files(bundle, manifest)
        assert str(caught.value) == f"{name} was changed after the export"
        path.write_bytes(good)


def test_missing_and_added_files_are_named_together(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    (bundle / "policy.onnx").unlink()
    (bundle / "rlbot_agent" / "numpy.py").touch()
    with pytest.raises(BundleError) as caught:
        require_files(bundle, read_manifest(bundle))
    assert str(caught.value) == (
        "policy.onnx is missing; rlbot_agent/numpy.py was not exported with it"
    )


def test_what_the_first_start_makes_is_no_addition_but_only_there(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    (bundle / ".venv").mkdir()
    (bundle / ".venv" / "python").touch()
    (bundle / ".venv.lock").touch()
    require_files(bundle, read_manifest(bundle))
    (bundle / "rlbot_agent" / ".venv").mkdir()
    (bundle / "rlbot_agent" / ".venv" / "python").touch()
    with pytest.raises(BundleError, match=r"^rlbot_agent/\.venv/python was not exported"):
        require_files(bundle, read_manifest(bundle))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"contract": {}, "deterministic": true, "files": {}, "versions": {}}']
)
def test_a_damaged_manifest_is_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(BundleError, match=r"^manifest\.json is damaged: "):
        read_manifest(tmp_path)


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=r"manifest\.json is missing: .* is no bundle"):
        read_manifest(tmp_path)
