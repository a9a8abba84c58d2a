import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rlbot_agent.activation import activate, find_bundle
from rlbot_agent.contract import ContractError
from rlbot_agent.manifest import BundleError, read_manifest
from rlbot_agent.policy import OnnxPolicy
from tests.export.bundles import make_bundle, reseal


def test_a_bundle_as_exported_is_loaded_and_says_what_it_is(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    loaded = activate(bundle)
    contract, chain = loaded.manifest.contract, loaded.manifest.provenance
    assert loaded.notes == ()
    assert loaded.words == (
        f"1v1 after 64 steps, policy {chain.policy[:12]}, checkpoint {chain.checkpoint[:12]}, "
        f"config {chain.config[:12]}, no selection; rlppo {contract.source_revision}"
    )
    assert loaded.policy.logits(np.zeros((1, 92), np.float32)).shape == (1, 90)


@pytest.mark.parametrize("name", ["policy.onnx", "rlbot_agent/obs.py", "requirements.txt"])
def test_nothing_is_decided_before_every_file_is_what_was_exported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    bundle = make_bundle(tmp_path)

    def decide(*_: object) -> None:
        raise AssertionError("it decided")

    monkeypatch.setattr(OnnxPolicy, "logits", decide)
    with (bundle / name).open("ab") as file:
        file.write(b"#")
    with pytest.raises(BundleError) as caught:
        activate(bundle)
    assert str(caught.value) == (
        f"{name} was changed after the export: copy the bundle anew, or export again"
    )


def test_a_policy_of_another_training_is_refused_before_it_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = make_bundle(tmp_path / "a")
    other = make_bundle(tmp_path / "b", "sim.tick_skip=4")
    (bundle / "policy.onnx").write_bytes((other / "policy.onnx").read_bytes())
    reseal(bundle)
    monkeypatch.setattr(OnnxPolicy, "logits", None)
    with pytest.raises(BundleError, match="hold two different contracts"):
        activate(bundle)


def test_a_policy_for_another_body_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = make_bundle(tmp_path)
    monkeypatch.setattr("rlbot_agent.policy.TABLE_HASH", "0123")
    with pytest.raises(ContractError, match="action_hash is"):
        activate(bundle)


def test_another_name_or_paint_is_told_and_plays(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    for name in ("bot.toml", "loadout.toml"):
        (bundle / name).write_text("# mine\n")
    assert activate(bundle).notes == (
        "bot.toml was changed after the export",
        "loadout.toml was changed after the export",
    )


def make_manifest(folder: Path, age_s: int) -> Path:
    folder.mkdir(parents=True)
    (folder / "manifest.json").touch()
    os.utime(folder / "manifest.json", (1000 - age_s, 1000 - age_s))
    return folder


def test_a_bundle_plays_itself(tmp_path: Path) -> None:
    make_manifest(tmp_path / "runs" / "a" / "bundles" / "64", 0)
    (tmp_path / "manifest.json").touch()
    assert find_bundle(tmp_path, "") == tmp_path


def test_a_checkout_plays_the_newest_bundle_of_its_runs(tmp_path: Path) -> None:
    make_manifest(tmp_path / "runs" / "a" / "bundles" / "300", 2)
    newest = make_manifest(tmp_path / "runs" / "b" / "bundles" / "100", 1)
    make_manifest(tmp_path / "runs" / "b" / "bundles" / ".200.77.tmp", 0)
    assert find_bundle(tmp_path, "") == newest


@pytest.mark.parametrize("chosen", ["runs/a", "runs/a/bundles", "runs/a/bundles/300"])
def test_a_run_a_folder_of_bundles_or_a_bundle_can_be_chosen(tmp_path: Path, chosen: str) -> None:
    wanted = make_manifest(tmp_path / "runs" / "a" / "bundles" / "300", 5)
    make_manifest(tmp_path / "runs" / "b" / "bundles" / "100", 1)
    (tmp_path / "manifest.json").touch()
    assert find_bundle(tmp_path, str(tmp_path / chosen)) == wanted


def test_no_bundle_is_refused_with_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match=f"no bundle in {tmp_path}/runs: export one"):
        find_bundle(tmp_path, "")
    with pytest.raises(BundleError, match=r"no bundle in elsewhere: .* RLPPO_BUNDLE"):
        find_bundle(tmp_path, "elsewhere")


def test_a_bundle_runs_without_torch_or_onnx(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    code = (
        "import sys; from pathlib import Path; import rlbot_agent.bot;"
        "from rlbot_agent.activation import HOME, activate; activate(HOME);"
        "heavy = ('torch', 'onnx', 'safetensors', 'pydantic', 'trainer', 'export');"
        "print(HOME, [name for name in heavy if name in sys.modules])"
    )
    command = [sys.executable, "-E", "-B", "-c", code]
    done = subprocess.run(command, cwd=bundle, capture_output=True, text=True, check=True)
    assert done.stdout == f"{bundle} []\n"
    assert read_manifest(bundle).files.keys() >= {"rlbot_agent/activation.py"}
