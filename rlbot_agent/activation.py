"""Opens a bundle: nothing decides before every file, hash and contract is what was exported.

Knows no game. Tested by `tests/rlbot_agent/test_activation.py`.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rlbot_agent.manifest import (
    MANIFEST,
    POLICY,
    BundleError,
    Manifest,
    changes_in,
    read_manifest,
    require_chain,
)
from rlbot_agent.policy import OnnxPolicy

HOME: Final = Path(__file__).resolve().parent.parent
"""The bundle, or the checkout, that this package lies in."""
BUNDLE: Final = "RLPPO_BUNDLE"
"""Environment variable: a bundle, a run, or a folder of bundles to play instead of `HOME`."""
APPEARANCE: Final = frozenset({"bot.toml", "loadout.toml"})
"""What may be changed: it says how the bot is called and painted, not how it plays."""


@dataclass(frozen=True)
class Activated:
    """A bundle that was found to be what was exported."""

    bundle: Path
    """Its folder."""
    manifest: Manifest
    """What it says of itself."""
    policy: OnnxPolicy
    """What decides; it has decided once, to be warm."""
    notes: tuple[str, ...]
    """What a person should know although it plays, a sentence each."""

    @property
    def words(self) -> str:
        """Which policy it is, and where it came from, in one line."""
        contract, chain = self.manifest.contract, self.manifest.provenance
        chosen = f"selection {chain.selection[:12]}" if chain.selection else "no selection"
        return (
            f"{', '.join(contract.modes)} after {contract.steps:,} steps, "
            f"policy {chain.policy[:12]}, checkpoint {chain.checkpoint[:12]}, "
            f"config {chain.config[:12]}, {chosen}; rlppo {contract.source_revision}"
        )


def activate(bundle: Path) -> Activated:
    """Verify a bundle and load its policy.

    Raises:
        BundleError: When a file is not what was exported, or the hashes contradict each other.
        PolicyError: When onnxruntime or the model cannot be loaded.
        ContractError: When the policy was trained for another agent than this.
    """
    manifest = read_manifest(bundle)
    require_chain(manifest)
    changes = changes_in(bundle, manifest)
    if wrong := [words for name, words in changes.items() if name not in APPEARANCE]:
        raise BundleError(f"{'; '.join(wrong)}: copy the bundle anew, or export again")
    policy = OnnxPolicy(bundle / POLICY)
    if policy.contract != manifest.contract:
        raise BundleError(f"{POLICY} and {MANIFEST} hold two different contracts: export again")
    policy.warm_up()
    return Activated(bundle, manifest, policy, tuple(changes.values()))


def find_bundle(home: Path, chosen: str) -> Path:
    """The bundle to play: the newest that was chosen, else `home`, else the newest of its runs.

    Args:
        home: Folder that holds this package.
        chosen: A bundle, a run, or a folder of bundles; empty for none.

    Raises:
        BundleError: When there is none.
    """
    if not chosen and (home / MANIFEST).is_file():
        return home
    if chosen:
        place = Path(chosen).expanduser()
        patterns = [MANIFEST, f"*/{MANIFEST}", f"bundles/*/{MANIFEST}"]
    else:
        place, patterns = home / "runs", [f"*/bundles/*/{MANIFEST}"]
    found = [path for pattern in patterns for path in place.glob(pattern)]
    # An export that was interrupted leaves a folder whose name begins with a dot.
    whole = [path for path in found if not path.parent.name.startswith(".")]
    if not whole:
        raise BundleError(
            f"there is no bundle in {place}: export one with rlppo export, "
            f"or set {BUNDLE} to a bundle"
        )
    return max(whole, key=lambda path: path.stat().st_mtime).parent
