import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from rlbot_agent.manifest import (
    BundleError,
    changes_in,
    provenance_of,
    read_manifest,
    require_chain,
)
from tests.export.bundles import make_bundle

PROVENANCE = ("checkpoint", "config", "contract", "policy", "selection")


def test_every_link_of_the_chain_is_the_hash_of_what_it_names(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    (checkpoint,) = (tmp_path / "my run" / "checkpoints").iterdir()
    chain = read_manifest(bundle).provenance

    def hash_of(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()

    assert chain.checkpoint == hash_of((checkpoint / "actor.safetensors").read_bytes())
    assert chain.config == hash_of((checkpoint / "config.toml").read_bytes())
    assert chain.contract == hash_of((checkpoint / "contract.json").read_bytes().strip())
    assert chain.policy == hash_of((bundle / "policy.onnx").read_bytes())
    assert chain.selection == ""


@pytest.mark.parametrize("link", ["checkpoint", "config", "contract", "policy"])
def test_a_link_that_is_not_what_the_manifest_says_elsewhere_is_named(
    tmp_path: Path, link: str
) -> None:
    manifest = read_manifest(make_bundle(tmp_path))
    chain = replace(manifest.provenance, **{link: "00" * 32})
    with pytest.raises(BundleError, match=f"manifest.json contradicts itself about: {link}$"):
        require_chain(replace(manifest, provenance=chain))


def test_weights_of_another_checkpoint_are_refused_although_the_links_agree(
    tmp_path: Path,
) -> None:
    manifest = read_manifest(make_bundle(tmp_path))
    files = {**manifest.files, "policy.safetensors": "00" * 32}
    other = replace(manifest, files=files, provenance=provenance_of(manifest.contract, files, ""))
    with pytest.raises(BundleError, match="is not the checkpoint that the contract names"):
        require_chain(other)


def test_changed_and_missing_files_are_told_by_their_names(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    assert changes_in(bundle, read_manifest(bundle)) == {}
    (bundle / "loadout.toml").write_text("")
    (bundle / "rlbot_agent" / "obs.py").unlink()
    assert changes_in(bundle, read_manifest(bundle)) == {
        "loadout.toml": "loadout.toml was changed after the export",
        "rlbot_agent/obs.py": "rlbot_agent/obs.py is missing",
    }


def test_a_manifest_without_provenance_is_damaged(tmp_path: Path) -> None:
    path = make_bundle(tmp_path) / "manifest.json"
    found = json.loads(path.read_text())
    del found["provenance"]
    path.write_text(json.dumps(found))
    with pytest.raises(BundleError, match=r"^manifest\.json is damaged: 'provenance'$"):
        read_manifest(path.parent)


@pytest.mark.parametrize(
    "change",
    [
        {"files": []},
        {"files": {"policy.onnx": 5}},
        {"files": {"../../elsewhere": "00" * 32}},
        {"files": {"a/../../elsewhere": "00" * 32}},
        {"files": {"/etc/hostname": "00" * 32}},
        {"files": {"C:\\Windows\\win.ini": "00" * 32}},
        {"files": {"\\\\host\\share\\x": "00" * 32}},
        {"files": {"": "00" * 32}},
        {"versions": {"rlppo": None}},
        {"versions": "1.0"},
        {"deterministic": "yes"},
        {"provenance": dict.fromkeys(PROVENANCE, 1)},
    ],
)
def test_a_manifest_with_a_value_of_another_kind_or_a_path_outside_is_damaged(
    tmp_path: Path, change: dict[str, object]
) -> None:
    path = make_bundle(tmp_path) / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(BundleError, match=r"^manifest\.json is damaged: "):
        read_manifest(path.parent)


def test_a_manifest_that_nests_too_deeply_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("[" * 100_000)
    with pytest.raises(BundleError, match=r"^manifest\.json is damaged: "):
        read_manifest(tmp_path)


def test_a_policy_that_no_hash_holds_is_refused(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    manifest = read_manifest(bundle)
    files = {name: told for name, told in manifest.files.items() if name != "policy.onnx"}
    open_ended = provenance_of(manifest.contract, files, "")
    with pytest.raises(BundleError, match=r"manifest\.json holds no hash of policy\.onnx"):
        require_chain(replace(manifest, files=files, provenance=open_ended))
