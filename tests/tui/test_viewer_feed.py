"""The dashboard's end of the viewer, with a child that behaves, dies or hangs."""

import asyncio
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.patience import PATIENCE_S
from tests.tui.children import no_child_is_left
from trainer.frames import Frame
from tui.viewer_feed import ViewerFeed

FAKE_VIEWER = Path(__file__).with_name("fake_viewer.py")


class Listener:
    """Writes down what a feed reports."""

    def __init__(self, *command: str, deterministic: bool = False) -> None:
        self.frames: list[Frame] = []
        self.failures: list[str] = []
        self.feed = ViewerFeed(command, deterministic, self.frames.append, self.failures.append)

    async def until(self, happened: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not happened():
                await asyncio.sleep(0.01)


def fake(what: str, deterministic: bool = False) -> Listener:
    command = (sys.executable, str(FAKE_VIEWER), what)
    return Listener(*command, deterministic=deterministic)


async def test_frames_come_in_and_the_wish_for_determinism_goes_out() -> None:
    watched = fake("echo", deterministic=True)
    running = asyncio.create_task(watched.feed.run())
    await watched.until(lambda: len(watched.frames) == 1)
    watched.feed.set_deterministic(False)
    await watched.until(lambda: len(watched.frames) == 2)
    watched.feed.stop()
    await running
    assert [frame.deterministic for frame in watched.frames] == [True, False]
    assert watched.failures == []
    assert no_child_is_left()


async def test_of_frames_that_arrive_together_only_the_newest_is_handed_on() -> None:
    watched = fake("flood")
    running = asyncio.create_task(watched.feed.run())
    await watched.until(lambda: bool(watched.frames) and watched.frames[-1].steps == 999)
    watched.feed.stop()
    await running
    # 130 kB come in reads of at most 64 kB, of which a pipe may hold less.
    assert len(watched.frames) < 100


async def test_a_child_that_dies_is_reported_with_its_last_words() -> None:
    watched = fake("die")
    await watched.feed.run()
    assert [frame.steps for frame in watched.frames] == [1]
    assert watched.failures == ["The viewer ended (3): MeshError: no collision meshes"]
    watched.feed.set_deterministic(True)
    watched.feed.stop()
    assert no_child_is_left()


async def test_a_program_that_is_missing_is_reported() -> None:
    watched = Listener("/nowhere/python")
    await watched.feed.run()
    assert len(watched.failures) == 1
    assert "/nowhere/python" in watched.failures[0]


async def test_a_child_that_hangs_is_killed_after_two_seconds() -> None:
    watched = fake("hang")
    running = asyncio.create_task(watched.feed.run())
    await watched.until(lambda: len(watched.frames) == 1)
    asked = time.monotonic()
    watched.feed.stop()
    await running
    assert 1.5 < time.monotonic() - asked < 10
    assert watched.failures == []
    assert no_child_is_left()


async def test_a_feed_stopped_before_its_child_started_leaves_none() -> None:
    watched = fake("echo")
    running = asyncio.create_task(watched.feed.run())
    await asyncio.sleep(0)
    watched.feed.stop()
    await running
    assert watched.failures == []
    assert no_child_is_left()


async def test_a_cancelled_feed_takes_its_child_along() -> None:
    watched = fake("hang")
    running = asyncio.create_task(watched.feed.run())
    await watched.until(lambda: len(watched.frames) == 1)
    running.cancel()
    await asyncio.wait([running])
    await watched.until(no_child_is_left)
