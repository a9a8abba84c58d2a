import hashlib
import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import requires, version
from pathlib import Path

import onnx
import pytest
from rlbot import flat
from rlbot.config import load_player_config
from safetensors.torch import load_file

import export.bundle
from export.bundle import AGENT, ExportError, Extras, export_bundle, pinned_versions
from export.manifest import hashes_of, read_manifest
from rlbot_agent.contract import Contract, ContractError
from rlbot_agent.reconstruction import RECONSTRUCTION
from tests.export.bundles import make_bundle, make_run
from trainer.checkpoint import CheckpointError, load_actor
from trainer.checkpoint_folder import newest_valid
from trainer.run_dir import RunDir


def contents(bundle: Path) -> dict[str, bytes]:
    files = (path for path in bundle.rglob("*") if path.is_file())
    return {path.relative_to(bundle).as_posix(): path.read_bytes() for path in files}


def test_a_bundle_holds_what_a_bot_needs_and_nothing_else(tmp_path: Path) -> None:
    found = set(contents(make_bundle(tmp_path)))
    agent = {name for name in found if name.startswith("rlbot_agent/")}
    assert found - agent == {
        "bot.toml",
        "loadout.toml",
        "manifest.json",
        "policy.onnx",
        "policy.safetensors",
        "requirements.txt",
        "run.bat",
        "run.sh",
        "start.py",
    }
    assert agent == {f"rlbot_agent/{path.name}" for path in AGENT.glob("*.py")}
    assert {"rlbot_agent/__main__.py", "rlbot_agent/bot.py", "rlbot_agent/obs.py"} <= agent


def test_the_same_checkpoint_gives_the_same_bytes(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    first = export_bundle(run, None, tmp_path / "a" / "bundle")
    second = export_bundle(run, 64, None)
    assert second == run.bundles / "64"
    assert contents(first) == contents(second)


def test_nothing_of_the_exporting_machine_is_inside(tmp_path: Path) -> None:
    everything = b"".join(contents(make_bundle(tmp_path)).values())
    for path in (tmp_path, Path.home(), AGENT.parent, Path(sys.prefix), Path.cwd()):
        assert str(path).encode() not in everything


def test_the_manifest_says_what_is_inside(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path, "sim.tick_skip=6")
    manifest = read_manifest(bundle)
    files = {name: data for name, data in contents(bundle).items() if name != "manifest.json"}
    assert manifest.files == {
        name: hashlib.sha256(data).hexdigest() for name, data in files.items()
    }
    assert manifest.contract.steps == 64
    assert manifest.contract.tick_skip == 6
    assert manifest.deterministic is True
    assert set(manifest.versions) == {"rlppo", "onnx", *pinned_versions()}


def test_manifest_metadata_and_weights_all_name_the_same_actor(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    contract = read_manifest(bundle).contract
    (entry,) = onnx.load(bundle / "policy.onnx").metadata_props
    assert Contract.from_json(entry.value) == contract
    assert contract.checkpoint_hash == hashes_of(bundle)["policy.safetensors"]
    newest = newest_valid(RunDir(tmp_path / "my run"))
    assert newest is not None
    actor, _ = load_actor(newest)
    saved = load_file(bundle / "policy.safetensors")
    assert {name: value.tolist() for name, value in saved.items()} == {
        name: value.tolist() for name, value in actor.state_dict().items()
    }


@pytest.mark.parametrize("team", [0, 1])
def test_rlbot_itself_reads_the_bot_toml(tmp_path: Path, team: int) -> None:
    bundle = make_bundle(tmp_path)
    player = load_player_config(bundle / "bot.toml", team).variety
    assert isinstance(player, flat.CustomBot)
    assert player.agent_id == "rlppo/my run/64"
    assert player.name == "my run 64"
    assert player.root_dir == str(bundle)
    assert player.run_command == "sh run.sh"
    assert player.loadout is not None
    assert player.loadout.car_id == 23


def test_the_run_commands_suit_a_shell_in_quotes(tmp_path: Path) -> None:
    settings = tomllib.loads((make_bundle(tmp_path) / "bot.toml").read_text())["settings"]
    assert settings["run_command"] == "run.bat"
    assert settings["run_command_linux"] == "sh run.sh"


def test_teams_are_described_as_such(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path, "sim.modes.2v2=1")
    details = tomllib.loads((bundle / "bot.toml").read_text())["details"]
    assert details["tags"] == ["teamplay"]
    assert details["description"] == "Learned 2v2 by PPO in 64 steps."


def test_several_modes_are_described_by_their_names(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path, "sim.arenas=3", "sim.modes={3v3=1, 1v1=1, 1v2=1}")
    details = tomllib.loads((bundle / "bot.toml").read_text())["details"]
    assert details["tags"] == ["1v1", "teamplay"]
    assert details["description"] == "Learned 3v3, 1v1, 1v2 by PPO in 64 steps."


def test_batch_files_end_their_lines_as_windows_does_and_shell_files_do_not(
    tmp_path: Path,
) -> None:
    bundle = make_bundle(tmp_path)
    batch = (bundle / "run.bat").read_bytes()
    assert batch.count(b"\r\n") == batch.count(b"\n") > 5
    assert b"\r" not in (bundle / "run.sh").read_bytes()


def test_the_shell_file_is_one(tmp_path: Path) -> None:
    subprocess.run(["sh", "-n", make_bundle(tmp_path) / "run.sh"], check=True)


def test_the_shell_file_says_plainly_that_python_is_missing(tmp_path: Path) -> None:
    bundle = make_bundle(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "dirname").symlink_to("/usr/bin/dirname")
    done = subprocess.run(
        ["/bin/sh", "run.sh"],
        cwd=bundle,
        env={"PATH": str(tmp_path / "bin")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert (
        done.stderr == "This bot cannot start: there is no Python on this machine. "
        "Install Python 3.12, then start again.\n"
    )


def test_the_pins_are_the_versions_that_are_tested_here() -> None:
    pins = pinned_versions()
    # The trainer's numpy may be an older one, which the meshes' package asks for.
    del pins["numpy"]
    assert {"onnxruntime", "protobuf", "rlbot", "rlbot_flatbuffers"} < set(pins)
    assert pins == {name: version(name) for name in pins}


def test_the_pins_are_all_that_the_bot_needs() -> None:
    pinned = {name.lower().replace("_", "-") for name in pinned_versions()}
    for name in pinned:
        needed = {re.split(r"[^\w-]", need)[0] for need in requires(name) or () if ";" not in need}
        assert {need.lower().replace("_", "-") for need in needed} <= pinned


def test_an_existing_folder_is_left_alone_and_a_free_name_is_proposed(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    finished = contents(export_bundle(run, None, None))
    (run.bundles / "64-2").mkdir()
    with pytest.raises(ExportError) as caught:
        export_bundle(run, None, None)
    assert str(caught.value) == (
        f"{run.bundles}/64 exists already and stays as it is: "
        f"export to another folder, for example --out {run.bundles}/64-3"
    )
    assert contents(run.bundles / "64") == finished
    assert sorted(path.name for path in run.bundles.iterdir()) == ["64", "64-2"]


def test_an_export_that_is_interrupted_leaves_no_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run")

    def interrupt(*_: object) -> None:
        assert [path.name[0] for path in run.bundles.iterdir()] == ["."]
        raise KeyboardInterrupt

    monkeypatch.setattr(export.bundle, "_write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        export_bundle(run, None, None)
    assert list(run.bundles.iterdir()) == []


def test_a_bundle_for_the_botpack_says_how_it_is_built(tmp_path: Path) -> None:
    run = make_run(tmp_path / "my run")
    bundle = export_bundle(run, None, None, Extras(botpack=True))
    (config,) = tomllib.loads((bundle / "bob.toml").read_text())["config"]
    assert config["project_name"] == "my run"
    assert config["builder_config"] == {"builder_type": "pyinstaller", "entry_file": "bot.spec"}
    assert all((bundle / name).is_file() for name in config["bot_configs"])
    compile((bundle / "bot.spec").read_text(), "bot.spec", "exec")
    # Git must not give its text files other bytes.
    assert "\n* -text\n" in (bundle / ".gitattributes").read_text()
    assert {"bob.toml", "bot.spec", ".gitattributes"} < set(read_manifest(bundle).files)
    with pytest.raises(ExportError, match="installs nothing"):
        export_bundle(run, None, tmp_path / "b", Extras(botpack=True, wheels_for="3.11"))


def test_the_newest_checkpoint_is_taken_and_an_older_one_on_demand(tmp_path: Path) -> None:
    make_run(tmp_path / "run", steps=64)
    run = make_run(tmp_path / "run", steps=128)
    assert export_bundle(run, None, None).name == "128"
    assert export_bundle(run, 64, None).name == "64"
    with pytest.raises(ExportError, match="no checkpoint of 96 steps; there are: 128, 64"):
        export_bundle(run, 96, None)


def test_a_run_without_checkpoints_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="holds no whole checkpoint"):
        export_bundle(RunDir(tmp_path / "nowhere"), None, None)
    run = make_run(tmp_path / "run")
    (run.checkpoints / "000000000000064" / "actor.safetensors").write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"actor\.safetensors is not what was saved"):
        export_bundle(run, 64, None)
    assert not run.bundles.exists()


def test_an_actor_with_other_senses_than_this_code_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run")
    monkeypatch.setattr("rlbot_agent.policy.TABLE_HASH", "0123")
    with pytest.raises(ContractError, match=r"action_hash is '\w{16}' in .* but '0123' in this"):
        export_bundle(run, None, None)


def test_an_actor_that_sees_what_the_game_does_not_show_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(tmp_path / "run")
    monkeypatch.delitem(RECONSTRUCTION, "handbrake")
    with pytest.raises(ExportError, match=r"does not show what the actor sees: own\.handbrake$"):
        export_bundle(run, None, None)


def test_the_manifest_is_readable_json(tmp_path: Path) -> None:
    text = (make_bundle(tmp_path) / "manifest.json").read_text()
    assert text.startswith("{\n")
    assert list(json.loads(text)) == [
        *("contract", "deterministic", "files", "provenance", "versions"),
    ]
