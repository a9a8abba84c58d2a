"""The show: rally after rally at the wished speed, for a watcher, a recording, an external viewer.

Wishes are granted between two pictures. Knows no pipe and no command line. Tested by
`tests/trainer/test_viewer_show.py` and, as a process, `tests/trainer/test_viewer.py`.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from rlbot_agent.field import TICKS_PER_SECOND
from trainer.frames import Frame
from trainer.viewer_clock import GameClock
from trainer.viewer_external import External
from trainer.viewer_game import Game
from trainer.viewer_rally import play_rally
from trainer.viewer_recording import Recording
from trainer.viewer_scene import scene
from trainer.viewer_teams import Teams
from trainer.viewer_wishes import NEWEST, Wishes

PAUSE_S: Final = 1.0
"""How long the last picture of a rally stays."""
SLACK_S: Final = 0.25
"""Later than this, the schedule is given up: the game falls behind instead of hurrying."""
STILL_S: Final = 1.0
"""A game that stands still is shown again this often."""
NOTE_S: Final = 6.0
"""How long something that is told stays in the pictures."""


class Audience(Protocol):
    """Whoever watches."""

    @property
    def wishes(self) -> Wishes:
        """What it wants; another object whenever that changes."""

    @property
    def gone(self) -> bool:
        """Whether it has left."""

    def show(self, frame: Frame) -> None:
        """Take a picture."""

    def wait(self, seconds: float, known: Wishes) -> None:
        """Sleep, but no longer than until it leaves or wants anything else than `known`."""


class Notes:
    """What is to be told, for a while each."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Nothing; `now` gives seconds."""
        self._now = now
        self._told: list[tuple[float, str]] = []

    def say(self, sentence: str) -> None:
        """Tell it from now on."""
        self._told.append((self._now() + NOTE_S, sentence))

    def over(self, note: str) -> str:
        """`note`, and what is still to be told."""
        now = self._now()
        self._told = [(until, sentence) for until, sentence in self._told if until > now]
        return " · ".join(filter(None, (note, *(sentence for _, sentence in self._told))))


class Show:
    """One game, shown until its audience leaves."""

    def __init__(
        self,
        audience: Audience,
        game: Game,
        teams: Teams,
        fps: int,
        recording: Recording,
        notes: Notes,
        external: External | None = None,
        clock: GameClock | None = None,
    ) -> None:
        """Nothing is played before `run`.

        Args:
            audience: For whom.
            game: Where.
            teams: Who; must be ready.
            fps: Pictures a second of the clock.
            recording: Is told what is shown.
            notes: What somebody else has to tell.
            external: Shows the same; None for nobody.
            clock: Says what is due; one that begins now when None.
        """
        self._audience, self._game, self._teams, self._fps = audience, game, teams, fps
        self._recording, self._notes, self._external = recording, notes, external
        self._clock = clock or GameClock()
        self._granted = Wishes()
        self._problem = ""

    def run(self) -> None:
        """Play until the audience is gone.

        Raises:
            BrokenPipeError: When nobody reads the pictures.
            PolicyError: When the policy's numbers are not finite.
        """
        while not self._audience.gone:
            self._rally()

    def _rally(self) -> None:
        """From a kickoff to whatever ends it, the next one is wished, or the audience is gone."""
        self._grant()
        kickoffs = self._granted.kickoffs
        for moment in play_rally(self._game, self._teams, self._rate):
            due_s, frame = moment.ticks / TICKS_PER_SECOND, moment.frame
            self._until(due_s, frame, kickoffs)
            if self._over(kickoffs):
                return
            self._show(frame)
            self._recording.take(self._dressed(frame))
            self._grant()
        self._until(due_s + PAUSE_S * self._granted.speed, frame, kickoffs)
        self._clock.hold(due_s)

    def _rate(self) -> float:
        return self._fps / self._granted.speed

    def _over(self, kickoffs: int) -> bool:
        return self._audience.gone or self._audience.wishes.kickoffs != kickoffs

    def _until(self, due_s: float, frame: Frame, kickoffs: int) -> None:
        """Wait until game time `due_s`; meanwhile `frame` is shown if the game stands still."""
        while not self._over(kickoffs):
            self._grant()
            if self._granted.paused:
                self._show(frame)
                self._audience.wait(STILL_S, self._granted)
                if not self._audience.wishes.paused:
                    self._clock.hold(due_s)
                continue
            left = self._clock.due_in(due_s)
            if left < -SLACK_S:
                self._clock.hold(due_s)
            if left <= 0:
                return
            self._audience.wait(left, self._granted)

    def _grant(self) -> None:
        """Do what is wished since the last time, and look for a newer policy."""
        wishes = self._audience.wishes
        for team, (name, before) in enumerate(
            zip(wishes.players, self._granted.players, strict=True)
        ):
            if name != before and (problem := self._teams.choose(team, name)):
                self._notes.say(problem)
        self._teams.deterministic = wishes.deterministic
        self._clock.set_speed(wishes.speed)
        self._recording.switch(wishes.recording)
        self._granted = wishes
        self._teams.refresh()
        if self._problem != self._teams.newest.problem:
            self._problem = self._teams.newest.problem
            if self._problem:
                self._notes.say(f"The {NEWEST} policy cannot be loaded: {self._problem}")

    def _show(self, frame: Frame) -> None:
        shown = self._dressed(frame)
        if self._external and (trouble := self._external.send(self._scene(shown))):
            self._notes.say(trouble)
        self._audience.show(replace(shown, note=self._notes.over(frame.note)))

    def _dressed(self, frame: Frame) -> Frame:
        """With whatever follows from who plays and what is wished."""
        return replace(
            frame,
            speed=self._granted.speed,
            paused=self._granted.paused,
            names=self._teams.names,
            mind=self._teams.mind(self._granted.follow),
        )

    def _scene(self, frame: Frame) -> dict[str, object]:
        return scene(frame, self._game.simulator.state)
