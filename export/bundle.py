"""A checkpoint becomes a bundle: one folder with all that an RLBot v5 bot needs.

The same checkpoint gives the same bytes: no times, nothing of the exporting machine. Knows neither
torch's exporter nor the game. Tested by `tests/export/test_bundle.py`.
"""

import hashlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import onnx
import tomlkit

import rlbot_agent
from export.onnx_graph import onnx_bytes
from export.selected import Selected
from export.wheels import PythonVersion, fetch_wheels
from rlbot_agent.contract import Contract
from rlbot_agent.manifest import MANIFEST, POLICY, WEIGHTS, Manifest, provenance_of
from rlbot_agent.observation import make_observation
from rlbot_agent.policy import require_fit
from rlbot_agent.reconstruction import RECONSTRUCTION
from trainer.checkpoint import load_actor
from trainer.checkpoint_folder import checkpoint_path, list_checkpoints, newest_valid
from trainer.files import write_folder_atomic
from trainer.revision import source_revision
from trainer.run_dir import RunDir

TEMPLATES: Final = Path(__file__).with_name("templates")
AGENT: Final = Path(str(rlbot_agent.__file__)).parent
COPIED: Final = ("loadout.toml", "requirements.txt", "run.sh", "start.py")


class ExportError(Exception):
    """Nothing can be exported; the message is one sentence for a person."""


class Extras(NamedTuple):
    """What a bundle may hold beside what every bundle holds."""

    selected: Selected | None = None
    """The selection that must have chosen the checkpoint."""
    wheels_for: PythonVersion | None = None
    """A Python whose packages for Windows lie in the bundle, fetched from the network."""
    botpack: bool = False
    """Whether it holds what the RLBot botpack builds it by."""


PLAIN: Final = Extras()


def export_bundle(
    run: RunDir,
    steps: int | None,
    out: Path | None,
    extras: Extras = PLAIN,
    explain: Callable[[str], None] | None = None,
) -> Path:
    """Write the bundle of a checkpoint once, whole or not at all; what is there is never replaced.

    Args:
        run: The run folder.
        steps: Agent steps of the checkpoint; None takes the selected one, or the newest whole one.
        out: The folder to create; None is bundles/<steps> of the run.
        extras: What else it holds.
        explain: Is told, a sentence each, which damaged checkpoints the newest whole one replaces.

    Returns:
        The folder.

    Raises:
        ExportError: When there is no such checkpoint, the folder exists already, or extras exclude
            each other.
        SelectionError: When the checkpoint is not the selected one.
        WheelError: When the wheels cannot be had.
        CheckpointError: When the checkpoint is damaged.
        ContractError: When this version of the code has another observation or other actions.
        OSError: When the disk refuses.
    """
    if extras.botpack and extras.wheels_for:
        raise ExportError("a bot of the botpack installs nothing: leave --offline-wheels out")
    if steps is None and extras.selected:
        steps = extras.selected.steps
    checkpoint = _find_checkpoint(run, steps, explain)
    bundle = out or run.bundles / str(int(checkpoint.name))
    if bundle.exists():
        raise ExportError(
            f"{bundle} exists already and stays as it is: export to another folder, "
            f"for example --out {_free_name(bundle)}"
        )
    contents = bundle_contents(run.path.resolve().name, checkpoint, extras)
    write_folder_atomic(bundle, lambda folder: _write(folder, contents))
    return bundle


def bundle_contents(run_name: str, checkpoint: Path, extras: Extras = PLAIN) -> dict[str, bytes]:
    """Every file of the bundle by its path in it, the manifest last."""
    actor, contract = load_actor(checkpoint)
    if extras.selected:
        extras.selected.require(contract, str(checkpoint))
    require_fit(contract, str(checkpoint))
    _require_visible(contract)
    contents = {
        POLICY: onnx_bytes(actor, contract),
        WEIGHTS: (checkpoint / "actor.safetensors").read_bytes(),
        "bot.toml": _bot_toml(run_name, contract).encode(),
        "run.bat": _template("run.bat").replace("\n", "\r\n").encode(),
        **{name: _template(name).encode() for name in COPIED},
        **_agent_sources(),
        **_extra_files(run_name, extras),
    }
    files = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    selection = extras.selected.report_sha256 if extras.selected else ""
    manifest = Manifest(
        contract=contract,
        deterministic=True,
        files=files,
        versions={"rlppo": source_revision(), "onnx": onnx.__version__, **pinned_versions()},
        provenance=provenance_of(contract, files, selection),
    )
    return contents | {MANIFEST: manifest.to_json().encode()}


def pinned_versions() -> dict[str, str]:
    """Version of each package that the bot installs."""
    lines = (line.partition("==") for line in _template("requirements.txt").split())
    return {name: version for name, _, version in lines}


def _find_checkpoint(run: RunDir, steps: int | None, explain: Callable[[str], None] | None) -> Path:
    if steps is None:
        newest = newest_valid(run, explain)
        if newest is None:
            raise ExportError(f"{run.path} holds no whole checkpoint: train it first")
        return newest
    checkpoint = checkpoint_path(run, steps)
    if not checkpoint.is_dir():
        there = ", ".join(str(int(path.name)) for path in list_checkpoints(run)) or "none"
        raise ExportError(f"{run.path} has no checkpoint of {steps} steps; there are: {there}")
    return checkpoint


def _free_name(bundle: Path) -> Path:
    """A sibling that does not exist yet."""
    names = (bundle.with_name(f"{bundle.name}-{number}") for number in count(2))
    return next(path for path in names if not path.exists())


def _require_visible(contract: Contract) -> None:
    """Refuse an observation with a number that the live game cannot show."""
    obs = make_observation(contract.obs_name, contract.teams, contract.max_team_size)
    hidden = [term.name for term in obs.terms if term.field not in RECONSTRUCTION]
    if hidden:
        raise ExportError(f"the live game does not show what the actor sees: {', '.join(hidden)}")


def _bot_toml(run_name: str, contract: Contract) -> str:
    document: dict[str, Any] = tomlkit.parse(_template("bot.toml"))
    settings, details = document["settings"], document["details"]
    modes = contract.modes
    settings["agent_id"] = f"rlppo/{run_name}/{contract.steps}"
    settings["name"] = f"{run_name} {contract.steps}"
    details["description"] = f"Learned {', '.join(modes)} by PPO in {contract.steps:,} steps."
    # RLBot's words: any mode but 1v1 has a team.
    details["tags"] = sorted({"1v1" if mode == "1v1" else "teamplay" for mode in modes})
    return tomlkit.dumps(document)


def _extra_files(run_name: str, extras: Extras) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    if extras.wheels_for:
        wheels = fetch_wheels(TEMPLATES / "requirements.txt", extras.wheels_for)
        files |= {f"wheels/{name}": data for name, data in wheels.items()}
    if extras.botpack:
        bob: dict[str, Any] = tomlkit.parse(_template("bob.toml"))
        bob["config"][0]["project_name"] = run_name
        files["bob.toml"] = tomlkit.dumps(bob).encode()
        files["bot.spec"] = _template("bot.spec").encode()
        files[".gitattributes"] = _template("gitattributes").encode()
    return files


def _agent_sources() -> dict[str, bytes]:
    sources = sorted(AGENT.rglob("*.py"))
    return {
        f"{AGENT.name}/{path.relative_to(AGENT).as_posix()}": path.read_text("utf-8").encode()
        for path in sources
    }


def _template(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def _write(folder: Path, contents: dict[str, bytes]) -> None:
    for name, data in contents.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
