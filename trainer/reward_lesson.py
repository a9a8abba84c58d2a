"""PPO's lesson: what is rewarded becomes likelier.

Advantages, the update, and what both say of the next one. Knows no environment and no run folder.
Tested by `tests/trainer/test_learner.py` and `test_valid_rows.py`.
"""

from collections.abc import Callable
from typing import Final

from trainer.checkpoint import TrainingState
from trainer.config import RunConfig
from trainer.config_ppo import PPOConfig
from trainer.decoupled import decouple
from trainer.gae import compute_gae
from trainer.ppo import update
from trainer.reward_scale import ReturnStats, discounted_returns, scale_rewards
from trainer.rollout_tensors import RolloutTensors
from trainer.schedules import coefficients, next_rate_factor
from trainer.stopwatch import UPDATE_PHASES, Stopwatch

NOTHING: Final = (
    "nothing was learned in this iteration: no row of its rollout was to be learned from"
)
"""What the update has to say then."""


class RewardLesson:
    """Advantages and PPO's update; a `Lesson`."""

    phases: Final = UPDATE_PHASES
    """Of `learn`."""
    is_taught: Final = False
    """The environment pays."""

    def learn(
        self,
        config: RunConfig,
        state: TrainingState,
        rollout: RolloutTensors,
        on_batch: Callable[[], None],
        watch: Stopwatch,
    ) -> dict[str, float]:
        """As `Lesson` says."""
        return learn(config.ppo, state, rollout, on_batch, watch)


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
    if not len(taken):
        state.steps.warnings.append(NOTHING)
        return {"Update/optimizer_steps": 0.0}
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
    return measured | {"GAE/return_scale": scale, "GAE/reward_clip_share": cut_share}


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
