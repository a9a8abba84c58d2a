"""The loop: collect, learn, measure, publish, save, until it is asked to end.

`Learner.train` and `Learner._iterate` are the program on one page; what they call is elsewhere.
On an error nothing is saved: the networks may be half-way through an update, and the newest
checkpoint is the last good one. Knows no command line and no screen. Tested by
`tests/trainer/test_learner.py`, `test_learner_ends.py` and `test_pausing.py`.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from trainer.brain import published_bytes
from trainer.builder import Parts
from trainer.checkpoint import Counters
from trainer.collector import Abandoned, giving_back_draws
from trainer.config import RunConfig
from trainer.edits import take_edit
from trainer.files import write_atomic
from trainer.game import measure
from trainer.lesson import Lesson
from trainer.memory import memory_mb
from trainer.metrics import IterationMetrics
from trainer.ratings.beside import RatingsBeside
from trainer.saver import Saver
from trainer.schedules import is_warmup
from trainer.session import Session
from trainer.stopping import Limit, Stop
from trainer.stopwatch import PHASES, Stopwatch
from trainer.version_keeper import VersionKeeper

LOOK_S = 0.1
"""Between two looks for commands while the run is paused."""


class Learner:
    """One session of training in a run folder."""

    def __init__(
        self,
        config: RunConfig,
        parts: Parts,
        session: Session,
        stop: Stop,
        lesson: Lesson,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Take what was built; nothing happens before `train`.

        Args:
            config: The settings.
            parts: From `build`.
            session: Holds the run folder.
            stop: Is asked to end.
            lesson: What is learned from each rollout.
            clock: Gives seconds.
        """
        self.config = config
        self.players, self.state, _ = parts
        self.session = session
        self.stop = stop
        self.ratings = RatingsBeside(session.run, config.ratings, self._warn_of)
        """Whoever ends the session closes it."""
        self._saver = Saver(session, self.state)
        self._versions = VersionKeeper(session, self.state)
        self._published_iteration = -1
        self._clock = clock
        self._lesson, self._watch = lesson, Stopwatch(clock, lesson.phases)
        self._begun = clock()
        self._seconds: dict[str, float] = {}

    def train(self, limit: Limit) -> None:
        """Iterate until the limit or until somebody asks to end; save; say so.

        Raises:
            Exception: Whatever went wrong below; the run folder is left as the last save left it.
        """
        self.session.limit(limit)
        self._note_progress()
        self._versions.set_aside_newer()
        self.ratings.begin(self.state.counters.steps)
        self._begun = self._clock()
        try:
            while not self._is_over(limit):
                self._iterate()
                if self.session.pause_asked and not self._is_over(limit):
                    self._rest(limit)
        except Abandoned:
            self.session.tell("warning", "dropped the rollout that was being collected")
        self._take_edits()
        self._saver.save(self.config)
        self._note_progress()
        self.session.tell("stop", f"stopped after {self.state.counters.steps:,} agent steps")
        self.session.enter("stopped")

    def _iterate(self) -> None:
        """Collect one rollout, learn from it, tell the folder.

        Taking edits counts as collecting: who plays beside the update may keep them waiting.
        """
        self.session.enter("collecting")
        with self._timed("collect"), giving_back_draws(self.state.rngs):
            self._take_edits()
            counts = self.players.collect(self.state.counters.steps, self._meanwhile)
        self.session.enter("learning")
        with self._timed("update"):
            rollout, poll = self.players.rollout, self.session.poll
            learned = self._lesson.learn(self.config, self.state, rollout, poll, self._watch)
        self._warn()
        played = measure(counts) | {
            "Collect/old_opponent_share": rollout.old_share,
            "Collect/policy_age": self.state.counters.iteration - self.players.iteration,
        }
        self._count(played, learned)
        with self._timed("save"):
            # The version first: nobody would keep it once a checkpoint says that it was due.
            self._versions.keep_if_due(self.config)
            self._saver.save_if_due(self.config)
            self._note_progress()
        for rated in self.ratings.news():
            self.session.tell("rating", rated)
        self._publish_metrics(played | self.ratings.metrics | learned)

    def _rest(self, limit: Limit) -> None:
        """Wait until somebody lets the run go on, or it ends; no iteration counts that time."""
        begun = self._clock()
        self.session.enter("paused")
        self.session.tell("pause", f"paused after iteration {self.state.counters.iteration:,}")
        heard = True  # what came while the iteration ran
        while self.session.pause_asked and not self._is_over(limit):
            if heard:
                self._take_edits()
                self._saver.save_if_due(self.config)
                self._note_progress()
                self.session.enter("paused")
            self._publish_policy()
            time.sleep(LOOK_S)
            heard = self.session.hear()
        if not self.session.pause_asked:
            self.session.tell("pause", "goes on")
        self._begun += self._clock() - begun

    def _is_over(self, limit: Limit) -> bool:
        return self.stop.asked or limit.reached(self.state.counters.iteration)

    def _warn(self) -> None:
        """Pass on what playing and the update have to say, once."""
        for warnings in (self.players.warnings, self.state.steps.warnings):
            while warnings:
                self.session.tell("warning", warnings.pop(0))

    def _warn_of(self, sentence: str) -> None:
        self.session.tell("warning", sentence)

    def _take_edits(self) -> None:
        """Change what somebody asked to; the settings of an iteration are those of its start."""
        for edit in self.session.take_edits():
            self.config = take_edit(edit, self.config, self.session, self.players.change)

    def _meanwhile(self) -> None:
        self.session.poll()
        if self.stop.insisted:
            raise Abandoned
        self._publish_policy()

    def _count(self, played: Mapping[str, float], learned: Mapping[str, float]) -> None:
        before = self.state.counters
        steps = before.steps + self.config.rollout_rows
        self.state.counters = replace(
            before,
            iteration=before.iteration + 1,
            steps=steps,
            taught=steps if self._lesson.is_taught else before.taught,
            updates=before.updates + int(learned["Update/optimizer_steps"]),
            episodes=before.episodes + int(played["Collect/episodes"]),
            seconds=before.seconds + self._seconds["collect"] + self._seconds["update"],
        )
        self._note_progress()
        if self._warms_up(before) and not self._warms_up(self.state.counters):
            self.session.tell("edit", "the critic has warmed up: from here on the actor learns too")

    def _warms_up(self, counters: Counters) -> bool:
        return is_warmup(self.config.ppo, counters.steps, counters.taught)

    def _publish_policy(self) -> None:
        """Write the newest networks once an iteration while a viewer wants them."""
        newest = self.state.counters.iteration
        if not self.session.status.viewer or self._published_iteration == newest:
            return
        self._published_iteration = newest
        try:
            write_atomic(self.session.run.live_policy, published_bytes(self.state.model))
        except OSError as error:
            self.session.tell("warning", f"could not publish the policy to the viewer: {error}")

    def _note_progress(self) -> None:
        counters = self.state.counters
        next_save = self._saver.next_save(self.config)
        self.session.progress(counters.iteration, counters.steps, next_save)

    def _publish_metrics(self, measured: Mapping[str, float]) -> None:
        counters, rows, seconds = self.state.counters, self.config.rollout_rows, self._seconds
        collect_s, update_s, save_s = seconds["collect"], seconds["update"], seconds["save"]
        rollout_s = self.players.rollout_s
        # What follows here belongs to the next iteration, so that no moment is lost.
        begun, self._begun = self._begun, self._clock()
        iteration_s = self._begun - begun
        phases = {f"Timing/{name}_s": spent for name, spent in self._watch.cut().items()}
        values = dict(measured) | {
            **phases,
            "Timing/collect_s": collect_s,
            "Timing/rollout_s": rollout_s,
            "Timing/waiting_s": rollout_s - sum(measured[f"Timing/{name}_s"] for name in PHASES),
            "Timing/update_s": update_s,
            "Timing/save_s": save_s,
            "Timing/publish_s": iteration_s - collect_s - update_s - save_s,
            "Timing/iteration_s": iteration_s,
            "Throughput/overall_sps": rows / iteration_s,
            "Throughput/collect_sps": rows / rollout_s,
            "Throughput/update_sps": rows / update_s,
            "Cumulative/steps": counters.steps,
            "Cumulative/iterations": counters.iteration,
            "Cumulative/seconds": counters.seconds,
            "Cumulative/updates": counters.updates,
            "System/rss_mb": memory_mb(self.players.pids),
        }
        found = IterationMetrics(counters.iteration, counters.steps, time.time(), values)
        self.session.report(found)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        started = self._clock()
        yield
        self._seconds[name] = self._clock() - started
