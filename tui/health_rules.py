"""The rules by which a run is judged: threshold, source and advice of each.

Few on purpose: curves of reinforcement learning jump and cycle without meaning. What each looks for
is in `health_signs.py`; `docs/health.md` has the same table for a person. Tested by
`tests/tui/test_health.py`.
"""

from typing import Final

from tui import health_signs as signs
from tui.formatting import compact
from tui.health import Rule

RULES: Final = (
    Rule(
        "not-finite",
        signs.not_finite,
        lambda health: "any loss that is not a number, or an error of the trainer that says so",
        "Stable-Baselines3 issue 1593: KL and clip fraction exploded just before the NaN",
        "Resume the newest checkpoint with a lower ppo.learning_rate; look whether a reward of "
        "your own can grow without bound; ppo.scale_rewards helps where rewards are huge.",
        settles=False,
    ),
    Rule(
        "nothing-trained",
        signs.nothing_trained,
        lambda health: "the weights of a network move by exactly 0 in an update",
        "ZealanL's RLGym-PPO guide, graphs.md: its size goes with the learning rate, so 0 is none",
        "Raise ppo.learning_rate, and ppo.critic_learning_rate where it is set: so small a step is "
        "lost in rounding. Look at ppo.schedule_end where a schedule has ended.",
        settles=False,
    ),
    Rule(
        "disk",
        signs.disk_full,
        lambda health: f"less than {health.min_disk_gb:g} GB free",
        "our own: a checkpoint that does not fit is not written, and the run goes on unsaved",
        "Free some space, or set checkpoint.keep lower (0 keeps all) and checkpoint.every_steps "
        "higher.",
        settles=False,
    ),
    Rule(
        "kl-high",
        signs.kl_high,
        lambda health: f"KL above {health.max_kl:g} nats, {signs.KL_HIGH_FOR} iterations long",
        "Spinning Up: target KL 0.01 to 0.05; Stable-Baselines3 stops an update at 1.5 times its "
        "target; rsl_rl lowers the rate above twice its desired 0.01",
        "Lower ppo.learning_rate (halve it) or ppo.epochs; or let the rate follow the KL: "
        "ppo.target_kl = 0.01 with ppo.adaptive_learning_rate = true.",
    ),
    Rule(
        "kl-low",
        signs.kl_low,
        lambda health: f"KL below {health.min_kl:g} nats, {signs.KL_LOW_FOR} iterations long",
        "rsl_rl raises the rate below half its desired 0.01, rl_games below half of 0.008; the "
        "GigaLearn fork's TRAINING_GUIDE calls about 0.001 healthy",
        "Raise ppo.learning_rate or ppo.epochs, unless a schedule is meant to end here.",
    ),
    Rule(
        "clip-high",
        signs.clip_high,
        lambda health: (
            f"more than {health.max_clip_fraction:.0%} of rows clipped, "
            f"{signs.CLIPPED_FOR} iterations long"
        ),
        "ppblanco's training guide: 0.05 to 0.20 is healthy; Sample Factory's metrics reference: "
        "too large often means a learning rate too high",
        "Lower ppo.learning_rate or ppo.epochs; larger batches (ppo.batch_size) calm it too.",
        unless="kl-high",
    ),
    Rule(
        "clip-low",
        signs.clip_low,
        lambda health: (
            f"fewer than {health.min_clip_fraction:.0%} of rows clipped, "
            f"{signs.CLIPPED_FOR} iterations long"
        ),
        "ZealanL's RLGym-PPO guide, graphs.md: about 0.08 is commonly aimed at; ppblanco's "
        "training guide: 0.05 to 0.20 is healthy",
        "Raise ppo.learning_rate or ppo.epochs. The entropy bonus is not the lever here.",
        unless="kl-low",
    ),
    Rule(
        "entropy-collapse",
        signs.entropy_collapse,
        lambda health: (
            f"entropy below {health.min_entropy:g} of 1 before "
            f"{compact(health.min_entropy_until_steps)} steps, {signs.ENTROPY_FOR} iterations long"
        ),
        "GigaLearn fork's TRAINING_GUIDE: it starts near 1 and falls slowly over 100 million "
        "steps, and toward 0 early is a collapse; rlgym.org: it settles around 2 nats, 0.44 of 1",
        "Raise ppo.entropy_coef (double it); look on the rewards page whether one reward "
        "pays for a single habit.",
    ),
    Rule(
        "entropy-flat",
        signs.entropy_flat,
        lambda health: (
            f"entropy above {health.max_entropy:g} of 1 after "
            f"{compact(health.max_entropy_from_steps)} steps, {signs.ENTROPY_FOR} iterations long"
        ),
        "GigaLearn fork's TRAINING_GUIDE: near 1 forever is a bot that does not learn",
        "Lower ppo.entropy_coef; see that rewards differ between good and bad play (rewards page) "
        "and that ppo.learning_rate is not tiny.",
    ),
    Rule(
        "critic-blind",
        signs.critic_blind,
        lambda health: (
            f"explained variance below {health.min_explained_variance:g}, {signs.EXPLAINED_FOR} "
            "iterations long"
        ),
        "Stable-Baselines3, documentation of its logger: below 0 is worse than predicting nothing",
        "Give the critic its own, higher ppo.critic_learning_rate or a wider networks.critic; "
        "ppo.scale_rewards where returns are large.",
    ),
    Rule(
        "value-loss",
        signs.value_loss_jump,
        lambda health: (
            f"value loss above {health.max_value_loss_growth:g} times the median of the "
            f"{signs.VALUE_LOSS_BEFORE[0]} to {signs.VALUE_LOSS_BEFORE[1]} iterations before, "
            f"{signs.VALUE_LOSS_FOR} iterations long"
        ),
        "ZealanL's RLGym-PPO guide, graphs.md: it falls, then keeps a level, and jumps when "
        "rewards change; GigaLearn fork's TRAINING_GUIDE: unbounded growth is a matter of scale",
        "If no reward was changed, lower ppo.critic_learning_rate, or set ppo.scale_rewards "
        "= true where returns keep growing.",
    ),
    Rule(
        "slow",
        signs.slow,
        lambda health: (
            f"steps/s below {health.min_throughput:.0%} of the median of the "
            f"{signs.SPEED_BEFORE[0]} to {signs.SPEED_BEFORE[1]} iterations before, "
            f"{signs.SPEED_FOR} iterations long"
        ),
        "our own: other programs on a shared machine alone took 29 % of its speed "
        "(docs/performance.md), this is more",
        "See on the system page what else runs here, whether the processor is throttled or memory "
        "is full, and where the time goes.",
    ),
)
"""All rules; where two say the same, the first is told."""
