"""A run with one checkpoint of an untrained tiny actor, and bundles of it."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

import torch

from export.bundle import export_bundle
from rlbot_agent.manifest import provenance_of, read_manifest, sha256
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import Counters, TrainingState, contract_of, save
from trainer.networks import ActorCritic
from trainer.run_dir import RunDir

AGENT: Final = f"{sys.executable} -E -B -m rlbot_agent"


def make_run(folder: Path, *settings: str, steps: int = 64) -> RunDir:
    """A run folder with a checkpoint after `steps`, as if it had been trained."""
    config = tiny_config(*settings)
    sizes = contract_of(config, steps)
    torch.manual_seed(0)
    model = ActorCritic(sizes.obs_width, sizes.num_actions, config.networks)
    run = RunDir(folder)
    save(run, config, TrainingState(model, {}, {}, Counters(iteration=2, steps=steps)))
    return run


def make_bundle(folder: Path, *settings: str) -> Path:
    """A bundle of such a run."""
    return export_bundle(make_run(folder / "my run", *settings), None, folder / "bundle")


def reseal(bundle: Path, **contract: object) -> None:
    """Change the manifest's contract, and make its hashes those of the files as they are now."""
    manifest = read_manifest(bundle)
    words = replace(manifest.contract, **contract)  # type: ignore[arg-type]
    files = {name: sha256(bundle / name) for name in manifest.files}
    chain = provenance_of(words, files, manifest.provenance.selection)
    sealed = replace(manifest, contract=words, files=files, provenance=chain)
    (bundle / "manifest.json").write_text(sealed.to_json())


def started_by_this_python(bundle: Path) -> Path:
    """`bundle`, running in this environment instead of one of its own."""
    text = (bundle / "bot.toml").read_text(encoding="utf-8")
    assert '"sh run.sh"' in text
    (bundle / "bot.toml").write_text(text.replace('"sh run.sh"', f"'{AGENT}'"), encoding="utf-8")
    return bundle
