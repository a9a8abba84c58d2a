"""The games that a run can play, and how it shares out its arenas among them.

A mode is named blue v orange: in "1v2" one blue car meets two orange ones. Knows no config and no
simulator, loads the standard library only. Tested by `tests/trainer/test_modes.py`.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

# fmt: off
Mode = Literal[
    "1v1", "1v2", "1v3", "1v4",
    "2v1", "2v2", "2v3", "2v4",
    "3v1", "3v2", "3v3", "3v4",
    "4v1", "4v2", "4v3", "4v4",
]
# fmt: on
"""Blue v orange cars."""


def team_sizes(mode: str) -> tuple[int, int]:
    """Blue and orange cars of `mode`."""
    blue, orange = mode.split("v")
    return int(blue), int(orange)


def needed_padding(modes: Iterable[Mode]) -> int:
    """The largest team of `modes` when their teams differ in size; 0 when all are as large."""
    sizes = {size for mode in modes for size in team_sizes(mode)}
    return max(sizes) if len(sizes) > 1 else 0


def require_modes(weights: Mapping[Mode, float], arenas: int, max_team_size: int) -> None:
    """Refuse a mix that cannot be played in `arenas`, or seen padded to a `max_team_size` above 0.

    Raises:
        ValueError: In words that name the settings of the config's section `sim`.
    """
    played = [mode for mode, weight in weights.items() if weight]
    if not played:
        raise ValueError("the weights of sim.modes are all 0: at least one must be above 0")
    if arenas < len(played):
        raise ValueError(
            f"sim.arenas {arenas} is below the {len(played)} modes that sim.modes gives weight "
            f"({', '.join(played)}): each needs one"
        )
    for mode in weights:
        if max_team_size and max_team_size < max(team_sizes(mode)):
            raise ValueError(
                f"sim.max_team_size {max_team_size} is below the teams of {mode} in sim.modes"
            )


def share_arenas(arenas: int, weights: Mapping[Mode, float]) -> dict[Mode, int]:
    """Arenas of each mode by largest remainder, at least one each, in the order of `weights`.

    A mode whose share is less than one arena gets one; the others share the rest.

    Args:
        arenas: In all, no fewer than there are modes.
        weights: Above 0.
    """
    total = sum(weights.values())
    # quota = arenas · weight / total
    quotas = {mode: arenas * weight / total for mode, weight in weights.items()}
    shares = {mode: max(1, int(quota)) for mode, quota in quotas.items()}
    if small := [mode for mode, quota in quotas.items() if quota < 1]:
        others = {mode: weight for mode, weight in weights.items() if mode not in small}
        return shares | share_arenas(arenas - len(small), others)
    by_remainder = sorted(weights, key=lambda mode: shares[mode] - quotas[mode])
    for mode in by_remainder[: arenas - sum(shares.values())]:
        shares[mode] += 1
    return shares
