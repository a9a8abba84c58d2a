"""rating_games.jsonl: every game that was played to rate versions, one line each, append only.

A game is known by its mode, its players with their weights, the sides they took, its start and its
length: a second line of the same game does not count. A line may also say that the run went back:
games before it of versions that it left behind do not count. Knows no simulator. Tested by
`tests/trainer/ratings/test_played.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from trainer import jsonl
from trainer.ratings.scores import Score, Who

BACK_TO: Final = "back_to"
"""The key of a line that says to how many agent steps the run went back."""


class Player(NamedTuple):
    """Who sat on a side."""

    name: str
    """As in ratings.json."""
    steps: int | None
    """Of a version; None for an anchor."""
    sha256: str
    """Of the weights; empty where there are none."""
    behaviour: int = 1
    """Which way a scripted anchor plays; 1 for all others, and where a line does not say."""

    @property
    def who(self) -> Who:
        """What ratings know it by."""
        return self.name if self.steps is None else self.steps


class PlayedGame(NamedTuple):
    """A game and how it ended."""

    mode: str
    blue: Player
    orange: Player
    blue_goals: int
    orange_goals: int
    start: int
    """Number of the start state."""
    seed: tuple[int, ...]
    """Of its chance."""
    decisions: int
    """How long it lasted."""
    sampled: bool
    """Whether actions were drawn; else the likeliest were taken."""
    physics: str = ""
    """The release of RocketSim that decided it; empty where its line does not say."""

    @property
    def key(self) -> "GameKey":
        """What makes it this game and no other."""
        return GameKey(self.mode, self.blue, self.orange, self.start, self.decisions, self.sampled)

    @property
    def score(self) -> Score:
        """How it ended."""
        return Score(self.blue.who, self.orange.who, self.blue_goals, self.orange_goals)


class GameKey(NamedTuple):
    """What makes a game this one and no other."""

    mode: str
    blue: Player
    orange: Player
    start: int
    decisions: int
    sampled: bool


def read_played(path: Path) -> list[PlayedGame]:
    """The games of the run as it is, in the order in which they were played, each once."""
    found: dict[GameKey, PlayedGame] = {}
    for record in jsonl.read_all(path):
        if type(steps := record.get(BACK_TO)) is int:
            found = {game.key: game for game in played_to(list(found.values()), steps)}
            continue
        with suppress(KeyError, TypeError, ValueError):  # what is no game counts for nothing
            game = _game(record)
            found.setdefault(game.key, game)
    return list(found.values())


def append_way_back(path: Path, steps: int) -> None:
    """Say that the run went back to `steps`: its versions after them are others from here on.

    Raises:
        OSError: When the disk refuses.
    """
    jsonl.append(path, {BACK_TO: steps})


def append_played(path: Path, games: Iterable[PlayedGame]) -> None:
    """Add `games`.

    Raises:
        OSError: When the disk refuses; those before are written.
    """
    for game in games:
        jsonl.append(path, record_of(game))


def record_of(game: PlayedGame) -> jsonl.Record:
    """Its line."""
    sides = {"blue": game.blue._asdict(), "orange": game.orange._asdict()}
    return game._asdict() | sides | {"seed": list(game.seed)}


def played_to(played: Sequence[PlayedGame], steps: int) -> list[PlayedGame]:
    """The games in which no version is newer than `steps`."""
    return [
        game
        for game in played
        if all((side.steps or 0) <= steps for side in (game.blue, game.orange))
    ]


def countable(
    played: Sequence[PlayedGame], anchors: Mapping[str, float], *, sampled: bool, decisions: int
) -> list[PlayedGame]:
    """The games that ratings are made of.

    Left out are those of anchors that are none any more, those of another length or in which
    actions were taken the other way, and those of weights that their player does not have any more:
    of a bundle that was replaced, the games of the newest weights count.
    """
    taken = [game for game in played if (game.sampled, game.decisions) == (sampled, decisions)]
    newest = {side.who: side.sha256 for game in taken for side in (game.blue, game.orange)}
    return [
        game
        for game in taken
        if all(
            newest[side.who] == side.sha256 and (side.steps is not None or side.name in anchors)
            for side in (game.blue, game.orange)
        )
    ]


def _game(record: jsonl.Record) -> PlayedGame:
    game = PlayedGame(
        **record | {name: Player(**record[name]) for name in ("blue", "orange")}
    )._replace(seed=tuple(record["seed"]))
    goals = (game.blue_goals, game.orange_goals)
    known = all(
        type(side.name) is str
        and (side.steps is None or type(side.steps) is int)
        and type(side.behaviour) is int
        for side in (game.blue, game.orange)
    )
    known = known and type(game.physics) is str
    if not known or not all(type(number) is int and number >= 0 for number in goals):
        raise ValueError("no game")
    hash(game.key)
    return game
