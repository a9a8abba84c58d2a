"""Which rating games are of those who play today: anchors and physics change with releases.

Games with a scripted anchor that played another way were games with somebody else. Those in other
physics count, as far as anybody can tell, and are told of. Tested by
`tests/trainer/ratings/test_today.py`.
"""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Final, NamedTuple

from trainer.anchors.chaser import BEHAVIOUR
from trainer.evaluation.contestants import CHASER
from trainer.ratings.played import PlayedGame

SCRIPTED: Final[Mapping[str, int]] = {CHASER: BEHAVIOUR}
"""The scripted anchors, and which way each plays in this program."""
PHYSICS: Final = version("rocketsim")
"""The release of RocketSim that decides games now."""


class Sorted(NamedTuple):
    """What was played, by whether it counts today."""

    games: list[PlayedGame]
    """Those that do."""
    words: list[str]
    """What a person should know of all of them, one sentence each."""


def of_today(
    played: Sequence[PlayedGame],
    scripted: Mapping[str, int] = SCRIPTED,
    physics: str = PHYSICS,
) -> Sorted:
    """Leave out games with scripted anchors that play another way by now.

    Args:
        played: Any games of a run.
        scripted: By name of an anchor: which way it plays now.
        physics: In which games are played now.
    """
    words, games = list[str](), list(played)
    for name, now in scripted.items():
        kept = [game for game in games if _ways(game, name) <= {now}]
        if kept != games:
            words.append(
                f"{len(games) - len(kept):,} games with {name} do not count: it played another way "
                "then; versions play it anew"
            )
        games = kept
    others = sorted({game.physics for game in games} - {"", physics})
    if others:
        words.append(
            f"some games were played in RocketSim {', '.join(others)}, the next are in {physics}: "
            "ratings mix them"
        )
    return Sorted(games, words)


def _ways(game: PlayedGame, name: str) -> set[int]:
    """Which way `name` played in a game; empty where it did not play."""
    sides = (game.blue, game.orange)
    return {side.behaviour for side in sides if side.steps is None and side.name == name}
