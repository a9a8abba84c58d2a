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
from trainer.checkpoint import Counters, TrainingState
from trainer.collector import Abandoned
from trainer.config import RunConfig
from trainer.config_ppo import PPOConfig
from trainer.decoupled import decouple
from trainer.edits import take_edit
from trainer.files import write_atomic
from trainer.gae import compute_gae
from trainer.game import measure
from trainer.lesson import Lesson
from trainer.memory import memory_mb
from trainer.metrics import IterationMetrics
from trainer.ppo import update
from trainer.ratings.beside import RatingsBeside
from trainer.reward_scale import ReturnStats, discounted_returns, scale_rewards
from trainer.rollout_tensors import RolloutTensors
from trainer.saver import Saver
from trainer.schedules import coefficients, is_warmup, next_rate_factor
from trainer.session import Session
from trainer.stopping import Limit, Stop
from trainer.stopwatch import PHASES, UPDATE_PHASES, Stopwatch
from trainer.version_keeper import VersionKeeper

LOOK_S = 0.1
"""Between two looks for commands while the run is paused."""
NOTHING = "nothing was learned in this iteration: no row of its rollout was to be learned from"
"""What the update has to say then."""


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
        with self._timed("collect"):
            self._take_edits()
            counts = self.players.collect(self.state.counters.steps, self._meanwhile)
        self.session.enter("learning")
        with self._timed("update"):
            rollout, poll = self.players.rollout, self.session.poll
            learned = self._lesson.learn(self.config, self.state, rollout, poll, self._watch)
        self._warn()
        played = measure(counts)
        self._count(played, learned)
        with self._timed("save"):
            self._saver.save_if_due(self.config)
            self._versions.keep_if_due(self.config)
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


def learn(
    config: PPOConfig,
    state: TrainingState,
    rollout: RolloutTensors,
    on_batch: Callable[[], None],
    watch: Stopwatch | None = None,
) -> dict[str, float]:
    """Estimate advantages and update both networks; what was measured, by metric name.

    All that `state` holds changes with it, but for the counters. The rollout moves to the networks'
    device once, if it is not there. `watch` is told which of `UPDATE_PHASES` has ended. Without a
    valid row nothing changes, and a warning says so.
    """
    watch = watch or Stopwatch(phases=UPDATE_PHASES)
    watch.start()
    rollout = rollout.to(next(state.model.parameters()).device).isolated()
    taken = rollout.valid_rows()
    share = {"Collect/valid_share": len(taken) / rollout.num_rows}
    if not len(taken):
        state.steps.warnings.append(NOTHING)
        return share | {"Update/optimizer_steps": 0.0}
    scale, clip = state.reward_scale, config.reward_clip if config.scale_rewards else 0.0
    rewards, cut = scale_rewards(rollout.rewards, scale, clip)
    advantages, targets = compute_gae(
        rewards,
        rollout.values,
        rollout.next_values,
        rollout.terminated,
        rollout.truncated,
        config.gamma,
        config.gae_lambda,
        config.gae_estimator,
    )
    if config.overlap:  # then other weights played than those that learn now
        advantages = advantages * decouple(state.model, rollout, config.minibatch_size)
    counters = state.counters
    now = coefficients(config, counters.steps, state.rate_factor, counters.taught)
    measured = update(
        state.steps,
        rollout,
        advantages,
        targets,
        config,
        now,
        state.rngs["update"],
        on_batch,
        watch,
    )
    if not now.critic_only:  # else the KL is that of an actor that stood still
        state.rate_factor = next_rate_factor(config, state.rate_factor, measured["Loss/approx_kl"])
    _move_reward_scale(config, state, rollout)
    watch.lap("advantages")
    cut_share = float(cut.flatten()[taken].double().mean())
    return measured | share | {"GAE/return_scale": scale, "GAE/reward_clip_share": cut_share}


def _move_reward_scale(config: PPOConfig, state: TrainingState, rollout: RolloutTensors) -> None:
    """Take in what the rollout returned, and let the critic speak in the new units."""
    if config.scale_rewards:
        ended = rollout.terminated | rollout.truncated
        returns = discounted_returns(rollout.rewards, ended, config.gamma)
        state.returns = state.returns.merge(returns.flatten()[rollout.valid_rows()])
    else:
        state.returns = ReturnStats()
    scale = state.returns.std
    state.model.rescale_values(state.reward_scale / scale)
    state.reward_scale = scale
