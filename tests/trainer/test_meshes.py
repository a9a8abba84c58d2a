import shutil
from pathlib import Path

import pytest

from trainer.meshes import ENVIRONMENT_VARIABLE, MeshError, find_meshes, mesh_warnings


@pytest.fixture
def meshes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the installed meshes, and no environment variable."""
    monkeypatch.delenv(ENVIRONMENT_VARIABLE, raising=False)
    return Path(shutil.copytree(find_meshes(""), tmp_path / "meshes"))


def test_the_configured_folder_comes_before_the_environment_and_the_installed_one(
    meshes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = find_meshes("")
    elsewhere = Path(shutil.copytree(meshes, tmp_path / "elsewhere"))
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(meshes))
    assert find_meshes("") == meshes
    assert find_meshes(str(elsewhere)) == elsewhere
    assert installed not in (meshes, elsewhere)


def test_a_named_folder_without_meshes_is_refused_and_nothing_else_is_tried(
    meshes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(meshes))
    with pytest.raises(MeshError, match=r"sim\.meshes says .*nowhere"):
        find_meshes(str(tmp_path / "nowhere"))
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, str(tmp_path / "gone"))
    with pytest.raises(MeshError, match=f"{ENVIRONMENT_VARIABLE} says .*gone"):
        find_meshes("")


def test_the_installed_meshes_are_the_standard_ones(meshes: Path) -> None:
    assert mesh_warnings(meshes) == []


def test_the_names_of_the_files_do_not_matter(meshes: Path) -> None:
    (meshes / "soccar" / "mesh_3.cmf").rename(meshes / "soccar" / "goal.cmf")
    assert mesh_warnings(meshes) == []


def test_a_changed_a_lacking_and_an_extra_mesh_are_named(meshes: Path) -> None:
    changed = meshes / "soccar" / "mesh_3.cmf"
    changed.write_bytes(changed.read_bytes()[:-1] + b"\0\1")
    (warning,) = mesh_warnings(meshes)
    assert "unknown mesh_3.cmf, missing 1 of 16" in warning

    changed.unlink()
    (warning,) = mesh_warnings(meshes)
    assert "unknown none, missing 1 of 16" in warning
