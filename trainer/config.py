"""Every setting of a run, once: a field is its TOML key, its `--set` name and its form label.

The docstring under a field is its help and its comment in a written config.toml. The settings of
the game are in `config_sim.py`, those of the update in `config_ppo.py`, those of the dashboard's
warnings in `config_health.py`, those of old versions in `config_league.py`, those of distillation
in `config_transfer.py`. Knows no file (`config_file.py` reads and writes them) and loads
pydantic only. Defaults are the `laptop` preset: 1v1 on two cores. Tested by
`tests/trainer/test_config.py`.
"""

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from trainer.config_health import HealthConfig
from trainer.config_league import RatingsConfig, SelfPlayConfig, VersionsConfig
from trainer.config_ppo import PPOConfig
from trainer.config_section import (
    Fraction,
    Layers,
    Live,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    Section,
    Weight,
)
from trainer.config_sim import SimConfig
from trainer.config_transfer import TransferConfig


class LaterResets(Section):
    """The weights of `resets` from `later_at_steps` on; nothing while that is 0."""

    kickoff: NonNegativeFloat = 1.0
    """Weight of kickoffs."""
    random: NonNegativeFloat = 1.0
    """Weight of random states."""
    from_file: NonNegativeFloat = 0.0
    """Weight of the states in resets.file."""


class ResetsConfig(Section):
    """How an episode starts: a mix by weight."""

    kickoff: Live[NonNegativeFloat] = 1.0
    """Weight of kickoffs."""
    random: Live[NonNegativeFloat] = 1.0
    """Weight of random states: ball and cars anywhere, moving, with any boost."""
    air_chance: Live[Fraction] = 0.3
    """Chance that a car, and that the ball, starts in the air in a random state."""
    from_file: Live[NonNegativeFloat] = 0.0
    """Weight of the states in file."""
    file: str = ""
    """Your own start states, JSON lines or .gz of them, beside the config file. Empty has none."""
    later_at_steps: Live[NonNegativeInt] = 0
    """Agent steps over which the weights move, evenly, to those of resets.later. 0 never moves."""
    later: Live[LaterResets] = LaterResets()
    """The weights of `resets` from `later_at_steps` on; nothing while that is 0."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        mixes = {"resets": (self.kickoff, self.random, self.from_file)}
        if self.later_at_steps:
            later = self.later
            mixes["resets.later"] = (later.kickoff, later.random, later.from_file)
        for name, (kickoff, random, from_file) in mixes.items():
            if kickoff + random + from_file <= 0:
                raise ValueError(
                    f"kickoff, random and from_file of {name} are all 0: "
                    "at least one start must have weight"
                )
            if from_file and not self.file:
                raise ValueError(f"{name}.from_file is {from_file:g}, but resets.file names none")
        return self


class RewardsConfig(Section):
    """Weights of the rewards: for each event, or for 8 ticks of what lasts. 0 leaves one out."""

    goal: Weight = 10.0
    """Once, when the own team scores."""
    concede: Weight = -10.0
    """Once, when the other team scores."""
    touch: Weight = 5.0
    """For a decision in which the car touched the ball."""
    velocity_player_to_ball: Weight = 1.0
    """Car's speed toward the ball, as a share of the top speed: -1 to 1."""
    velocity_ball_to_goal: Weight = 1.0
    """Ball's speed toward the opponent's goal, as a share of its top speed: -1 to 1."""
    face_ball: Weight = 0.1
    """How well the nose points at the ball: -1 to 1."""
    in_air: Weight = 0.0
    """1 while the car is off the ground."""
    save_boost: Weight = 0.0
    """Square root of the boost held: 0 to 1."""
    boost_pickup: Weight = 0.1
    """Square root of the boost gained in a decision: 0 to 1."""
    demo: Weight = 0.5
    """For a decision in which the car demolished an opponent."""
    velocity: Weight = 0.0
    """Car's speed along its nose, as a share of the top speed: -1 to 1."""
    bump: Weight = 0.0
    """For a decision in which the car bumped another, of either team, without demolishing it."""
    bumped: Weight = 0.0
    """For a decision in which the car was bumped so."""
    demoed: Weight = 0.0
    """Once, when the car is demolished."""
    wavedash: Weight = 0.0
    """For landing on the wheels in the middle of a flip."""
    touch_accel: Weight = 0.0
    """Speed that a touch gave the ball, as a share of its top speed: 0 to 1."""
    strong_touch: Weight = 0.0
    """How much a touch changed the ball's velocity: 0 below 500 uu/s, 1 from 3600 uu/s on."""
    team_spirit: Fraction = 0.0
    """Share of a car's reward that is the mean of its team's instead of its own."""
    opponent_scale: NonNegativeFloat = 0.0
    """How much of the mean of the opponents' rewards is taken off. 1 makes the game zero-sum."""
    custom: dict[str, Weight] = Field(default_factory=dict)
    """Your own: "my_rewards:name" = weight for 8 ticks, my_rewards.py being beside the config."""


class EpisodesConfig(Section):
    """When an episode ends without a goal."""

    no_touch_s: NonNegativeFloat = 10.0
    """Seconds without a touch after which the episode is cut. 0 never cuts."""
    time_limit_s: NonNegativeFloat = 300.0
    """Seconds after which the episode is cut. 0 never cuts."""


class NetworksConfig(Section):
    """Sizes of the actor and the critic."""

    shared: tuple[PositiveInt, ...] = ()
    """Hidden widths of first layers that both share, and both teach. [] shares nothing."""
    actor: Layers = (256, 256, 256)
    """Hidden widths of the actor, first to last."""
    critic: Layers = (256, 256, 256)
    """Hidden widths of the critic, first to last."""
    norm: Literal["none", "layer_norm", "rms_norm"] = "none"
    """Normalisation between each linear layer and its activation."""
    activation: Literal["relu", "leaky_relu", "silu", "tanh"] = "relu"
    """What makes each hidden layer more than a linear one."""


class CheckpointConfig(Section):
    """When the run saves itself."""

    every_steps: PositiveInt = 1_000_000
    """Agent steps between automatic saves."""
    keep: NonNegativeInt = 5
    """Newest checkpoints that stay on disk. 0 keeps all."""


class ViewerConfig(Section):
    """The live pitch in the dashboard."""

    enabled: bool = False
    """Show the viewer when the dashboard opens."""
    deterministic: bool = False
    """Play the likeliest action instead of sampling one."""
    fps: Annotated[int, Field(ge=1, le=60)] = 15
    """Pictures a second."""
    external: Literal["off", "rlviser", "rocketsimvis"] = "off"
    """Another program that shows the same game in 3D while the viewer plays."""


class RunConfig(Section):
    """A whole run."""

    preset: str = "laptop"
    """Where the settings that are not written here come from."""
    seed: NonNegativeInt = 0
    """Same seed, same machine, same config: the same run in 1v1. More cars may part by rounding."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the networks learn. auto takes the GPU when there is one."""
    sim: SimConfig = SimConfig()
    """What is simulated, and how the agents sense and act in it."""
    resets: ResetsConfig = ResetsConfig()
    """How an episode starts: a mix by weight."""
    rewards: Live[RewardsConfig] = RewardsConfig()
    """Weights of the rewards: for each event, or for 8 ticks of what lasts. 0 leaves one out."""
    episodes: Live[EpisodesConfig] = EpisodesConfig()
    """When an episode ends without a goal."""
    networks: NetworksConfig = NetworksConfig()
    """Sizes of the actor and the critic."""
    ppo: PPOConfig = PPOConfig()
    """How one rollout becomes a better policy."""
    checkpoint: Live[CheckpointConfig] = CheckpointConfig()
    """When the run saves itself."""
    versions: VersionsConfig = VersionsConfig()
    """Which actors of the past are kept in `policy_versions/`, beside the checkpoints."""
    selfplay: SelfPlayConfig = SelfPlayConfig()
    """Old versions as opponents in training. Nothing is learned from what they do."""
    ratings: RatingsConfig = RatingsConfig()
    """How strong each version is, by games against others, in a process of its own."""
    transfer: TransferConfig = TransferConfig()
    """How a student learns from a teacher. PPO's sizes say how much it plays before it learns."""
    viewer: ViewerConfig = ViewerConfig()
    """The live pitch in the dashboard."""
    health: Live[HealthConfig] = HealthConfig()
    """When the dashboard warns. None of it changes how the run learns."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.ppo.batch_size > self.rollout_rows:
            raise ValueError(
                f"ppo.batch_size {self.ppo.batch_size:,} is more than the {self.rollout_rows:,} "
                "rows of a rollout (ppo.steps_per_iteration, rounded up to whole decisions)"
            )
        if self.ppo.minibatch_size > self.ppo.batch_size:
            raise ValueError(
                f"ppo.minibatch_size {self.ppo.minibatch_size:,} is more than "
                f"ppo.batch_size {self.ppo.batch_size:,}"
            )
        if self.ppo.target_kl and self.ppo.epochs * self.rollout_rows < 1.5 * self.ppo.batch_size:
            raise ValueError(
                "ppo.target_kl needs several optimizer steps an iteration: before the first one "
                "the KL is 0 (ppo.epochs, ppo.batch_size)"
            )
        if self.selfplay.chance and not self.versions.every_steps:
            raise ValueError(
                "selfplay.chance asks for old opponents, but versions.every_steps 0 keeps none"
            )
        central = self.sim.inference == "central"
        if self.ppo.overlap and not central and 1 in (self.sim.workers, self.sim.arenas):
            alone = "workers" if self.sim.workers == 1 else "arenas"
            raise ValueError(
                f"ppo.overlap plays beside the update, but with sim.{alone} 1 the trainer's own "
                f"process plays: set sim.{alone} to 2 or more"
            )
        return self

    @property
    def rollout_length(self) -> int:
        """T, decisions of every agent in one rollout."""
        return math.ceil(self.ppo.steps_per_iteration / self.sim.agents)

    @property
    def rollout_rows(self) -> int:
        """T times N, agent steps of one iteration."""
        return self.rollout_length * self.sim.agents
