"""A recorded game that plays by a clock of the test."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.patience import PATIENCE_S
from tests.tui.games import game
from trainer.frames import Frame
from trainer.replay import ReplayError
from tui.replay_deck import Place
from tui.replay_feed import ReplayFeed


@dataclass
class Seen:
    """Whoever watches, and the clock."""

    now: float = 0.0
    frames: list[Frame] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)

    def feed(self, frames: Iterator[Frame]) -> ReplayFeed:
        return ReplayFeed(frames, 200, self.frames.append, self.places.append, lambda: self.now)


async def until(happened: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not happened():
            await asyncio.sleep(0.005)


async def test_pictures_are_shown_when_they_are_due() -> None:
    seen = Seen()
    feed = seen.feed(game((1000,)))
    running = asyncio.create_task(feed.run())
    await until(lambda: bool(seen.places) and seen.places[-1].complete)
    assert {frame.steps for frame in seen.frames} == {0}
    seen.now = 12.35
    await until(lambda: seen.frames[-1].steps > 0)
    assert seen.frames[-1].steps == 123
    feed.say("seek 5")
    assert seen.frames[-1].steps == 173
    feed.stop()
    await running


async def test_a_picture_that_stays_is_shown_once() -> None:
    seen = Seen()
    feed = seen.feed(game((50,)))
    running = asyncio.create_task(feed.run())
    await until(lambda: bool(seen.places) and seen.places[-1].complete)
    count = len(seen.frames)
    await asyncio.sleep(0.1)
    assert len(seen.frames) == count
    feed.stop()
    await running


def damaged() -> Iterator[Frame]:
    yield from game((20,))
    raise ReplayError("It is damaged: it plays up to there")


async def test_damage_is_told_at_the_end_of_what_can_be_played() -> None:
    seen = Seen()
    feed = seen.feed(damaged())
    running = asyncio.create_task(feed.run())
    await until(lambda: bool(seen.places) and seen.places[-1].complete)
    assert seen.frames[-1].note == ""
    seen.now = 60.0
    await until(lambda: seen.frames[-1].note.startswith("It is damaged"))
    assert seen.frames[-1].steps == 19
    feed.say("seek -1")
    assert seen.frames[-1].note == ""
    feed.stop()
    await running


def unreadable() -> Iterator[Frame]:
    yield from ()
    raise ReplayError("It is damaged from the beginning")


async def test_a_game_without_a_picture_says_why() -> None:
    for frames, sentence in ((unreadable(), "from the beginning"), (game(()), "no picture")):
        seen = Seen()
        feed = seen.feed(frames)
        running = asyncio.create_task(feed.run())
        await until(lambda: bool(seen.frames))  # noqa: B023 - awaited before the next turn
        feed.stop()
        await running
        assert [sentence in frame.note for frame in seen.frames] == [True]


async def test_a_stopped_feed_reads_no_further() -> None:
    taken = []

    def endless() -> Iterator[Frame]:
        for frame in game((10_000_000,)):
            taken.append(frame.steps)
            yield frame

    seen = Seen()
    feed = seen.feed(endless())
    running = asyncio.create_task(feed.run())
    await until(lambda: bool(seen.frames))
    feed.stop()
    await running
    count = len(taken)
    await asyncio.sleep(0.05)
    assert len(taken) == count
