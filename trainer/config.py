"""Every setting of a run, once: a field is its TOML key, its `--set` name and its form label.

The docstring under a field is its help and its comment in a written config.toml. Knows no file
(`config_file.py` reads and writes them) and loads pydantic only. Defaults are the `laptop` preset:
1v1 on two cores. Tested by `tests/trainer/test_config.py`.
"""

import math
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

PositiveInt = Annotated[int, Field(gt=0)]
NonNegativeInt = Annotated[int, Field(ge=0)]
PositiveFloat = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NonNegativeFloat = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(allow_inf_nan=False)]
Layers = Annotated[tuple[PositiveInt, ...], Field(min_length=1)]


class Section(BaseModel):
    """A frozen group of settings that refuses names it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class SimConfig(Section):
    """What is simulated, and how the agents sense and act in it."""

    arenas: PositiveInt = 128
    """Games simulated side by side."""
    team_size: Annotated[int, Field(ge=1, le=4)] = 1
    """Cars on each team: 1 is 1v1, 2 is 2v2, 3 is 3v3."""
    max_team_size: NonNegativeInt = 0
    """Pad the observation with zeros to this team size, to fit several. 0 pads nothing."""
    tick_skip: PositiveInt = 8
    """Physics ticks (1/120 s) an action is held. 8 makes 15 decisions a second."""
    action_delay: NonNegativeInt = 1
    """Ticks from seeing a state to the first tick its action acts on, as in the live game."""
    observation: Literal["default", "local", "rlgymppo_default", "rlgymppo_advanced"] = "default"
    """What agents see. default is RLGym's, local is from the car's own seat, the others are
    rlgymppo_rs's."""
    shuffle_players: bool = False
    """Show teammates, and opponents, in another order at each look. Bots never shuffle."""
    action_masks: bool = True
    """Never offer what cannot do anything: boost without boost, jump without a jump left."""
    meshes: str = ""
    """Folder of collision meshes. Empty takes RS_COLLISION_MESHES, then the installed ones."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.action_delay >= self.tick_skip:
            raise ValueError(
                f"action_delay {self.action_delay} must be below tick_skip {self.tick_skip}"
            )
        if self.max_team_size and self.max_team_size < self.team_size:
            raise ValueError(
                f"max_team_size {self.max_team_size} is below team_size {self.team_size}"
            )
        return self

    @property
    def teams(self) -> tuple[int, ...]:
        """Team of every car of an arena: all blue (0) cars, then all orange (1) ones."""
        return (0,) * self.team_size + (1,) * self.team_size

    @property
    def agents(self) -> int:
        """N, cars that act at once in all arenas."""
        return self.arenas * len(self.teams)


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

    kickoff: NonNegativeFloat = 1.0
    """Weight of kickoffs."""
    random: NonNegativeFloat = 1.0
    """Weight of random states: ball and cars anywhere, moving, with any boost."""
    air_chance: Fraction = 0.3
    """Chance that a car, and that the ball, starts in the air in a random state."""
    from_file: NonNegativeFloat = 0.0
    """Weight of the states in file."""
    file: str = ""
    """Your own start states, JSON lines or .gz of them, beside the config file. Empty has none."""
    later_at_steps: NonNegativeInt = 0
    """Agent steps over which the weights move, evenly, to those of resets.later. 0 never moves."""
    later: LaterResets = LaterResets()
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
    custom: dict[str, Weight] = {}
    """Your own: "my_rewards:name" = weight for 8 ticks, my_rewards.py being beside the config."""


class EpisodesConfig(Section):
    """When an episode ends without a goal."""

    no_touch_s: NonNegativeFloat = 10.0
    """Seconds without a touch after which the episode is cut. 0 never cuts."""
    time_limit_s: NonNegativeFloat = 300.0
    """Seconds after which the episode is cut. 0 never cuts."""


class NetworksConfig(Section):
    """Sizes of the actor and the critic."""

    actor: Layers = (256, 256, 256)
    """Hidden widths of the actor, first to last."""
    critic: Layers = (256, 256, 256)
    """Hidden widths of the critic, first to last."""
    norm: Literal["none", "layer_norm", "rms_norm"] = "none"
    """Normalisation between each linear layer and its ReLU."""


class PPOConfig(Section):
    """How one rollout becomes a better policy."""

    steps_per_iteration: PositiveInt = 50_000
    """Agent steps collected before each update; rounded up to whole decisions of all agents."""
    epochs: PositiveInt = 2
    """Passes over each rollout."""
    batch_size: PositiveInt = 2_500
    """Rows of an optimizer step, about: a rollout is cut into equal batches nearest to this."""
    minibatch_size: PositiveInt = 2_500
    """Most rows of one forward pass. Gradients add up: this changes memory and speed only."""
    learning_rate: PositiveFloat = 1e-3
    """Step size of AdamW, for actor and critic."""
    weight_decay: NonNegativeFloat = 0.0
    """AdamW's decoupled weight decay."""
    gamma: Fraction = 0.99
    """Discount of a reward one decision later."""
    gae_lambda: Fraction = 0.95
    """GAE's mix of long (1) and one-step (0) advantage estimates."""
    clip_range: PositiveFloat = 0.2
    """How far the new action probability may move from the old, as a ratio around 1."""
    entropy_coef: NonNegativeFloat = 0.01
    """Weight of the entropy bonus (nats)."""
    max_grad_norm: PositiveFloat = 0.5
    """Global gradient norm above which a network's gradient is scaled down."""


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
    rewards: RewardsConfig = RewardsConfig()
    """Weights of the rewards: for each event, or for 8 ticks of what lasts. 0 leaves one out."""
    episodes: EpisodesConfig = EpisodesConfig()
    """When an episode ends without a goal."""
    networks: NetworksConfig = NetworksConfig()
    """Sizes of the actor and the critic."""
    ppo: PPOConfig = PPOConfig()
    """How one rollout becomes a better policy."""
    checkpoint: CheckpointConfig = CheckpointConfig()
    """When the run saves itself."""
    viewer: ViewerConfig = ViewerConfig()
    """The live pitch in the dashboard."""

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
        return self

    @property
    def rollout_length(self) -> int:
        """T, decisions of every agent in one rollout."""
        return math.ceil(self.ppo.steps_per_iteration / self.sim.agents)

    @property
    def rollout_rows(self) -> int:
        """T times N, agent steps of one iteration."""
        return self.rollout_length * self.sim.agents
