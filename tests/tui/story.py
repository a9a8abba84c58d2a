"""Iterations of a made-up run in which every number of a page has a shape, and its deviations."""

import math

from trainer import metrics
from trainer.metrics import IterationMetrics
from trainer.run_dir import RunDir

BEGAN = 1_700_000_002.0
STEPS = 50_000
STEADY = {
    "Reward/goal": 0.0005,
    "Reward/goal_share": 0.01,
    "Reward/concede": 0.0005,
    "Reward/concede_share": 0.01,
    "Reward/touch": 0.016,
    "Reward/touch_share": 0.14,
    "Reward/velocity_player_to_ball": 0.28,
    "Reward/velocity_player_to_ball_share": 0.56,
    "Reward/face_ball": 0.67,
    "Reward/face_ball_share": 0.13,
    "Reward/mine:still": 0.25,
    "Reward/mine:still_share": 0.15,
    "Reward/total": 0.43,
    "Loss/value": 12.0,
    "Loss/approx_kl": 0.009,
    "Loss/clipfrac": 0.11,
    "Loss/entropy": 3.1,
    "Loss/entropy_normalized": 0.7,
    "Loss/explained_variance": 0.75,
    "Update/actor_magnitude": 1.9,
    "Update/critic_magnitude": 2.1,
    "Game/episode_length_s": 41.0,
    "Game/touches_per_minute": 14.0,
    "Game/goals_per_minute": 0.9,
    "Game/in_air": 0.4,
    "Game/speed": 940.0,
    "Game/boost": 12.0,
    "Game/ended_by_goal": 9.0,
    "Game/ended_by_goal_length_s": 51.0,
    "Game/ended_by_no_touch": 15.0,
    "Game/ended_by_no_touch_length_s": 30.0,
    "Game/ended_by_time_limit": 1.0,
    "Game/ended_by_time_limit_length_s": 300.0,
    "Game/ended_by_broken": 0.0,
    "Game/ended_by_broken_length_s": math.nan,
    "Timing/physics_s": 1.2,
    "Timing/state_s": 0.3,
    "Timing/observations_s": 0.1,
    "Timing/decisions_s": 0.6,
    "Timing/rewards_s": 0.08,
    "Timing/resets_s": 0.02,
    "Timing/storing_s": 0.05,
    "Timing/waiting_s": 0.1,
    "Timing/rollout_s": 2.45,
    "Timing/collect_s": 2.5,
    "Timing/advantages_s": 0.05,
    "Timing/steps_s": 1.8,
    "Timing/measures_s": 0.05,
    "Timing/update_s": 1.9,
    "Timing/save_s": 0.02,
    "Timing/publish_s": 0.03,
    "Timing/iteration_s": 4.45,
    "Throughput/overall_sps": 11_000.0,
}
_SWINGING = ("Reward/", "Game/episode", "Game/t", "Game/g", "Game/in", "Game/s", "Game/b")


def tell_iterations(run: RunDir, count: int, **changed: float) -> None:
    """Write `count` iterations, 3 s each; `changed`, as Loss__value=1.0, is so in all of them.

    What belongs to play swings by a tenth around its value, so that it has a shape.
    """
    run.metrics.unlink(missing_ok=True)
    fixed = {name.replace("__", "/"): value for name, value in changed.items()}
    for n in range(1, count + 1):
        swing = 1 + 0.1 * math.sin(n / 5)
        values = {
            name: value * (swing if name.startswith(_SWINGING) and "_share" not in name else 1)
            for name, value in STEADY.items()
        }
        found = IterationMetrics(n, n * STEPS, BEGAN + 3.0 * n, values | fixed)
        metrics.append(run.metrics, found)
