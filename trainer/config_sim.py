"""The settings of the game: `[sim]` of a config, and which of them cannot go together.

Loads pydantic only. Tested by `tests/trainer/test_config.py`.
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from trainer.config_section import Fraction, NonNegativeFloat, NonNegativeInt, PositiveInt, Section
from trainer.modes import Mode, needed_padding, require_modes, share_arenas, team_sizes


class SimConfig(Section):
    """What is simulated, and how the agents sense and act in it."""

    arenas: PositiveInt = 128
    """Games simulated side by side."""
    workers: NonNegativeInt = 0
    """Processes that play. 0 takes one for each core; 1 is the trainer, unless it is central."""
    inference: Literal["auto", "workers", "central"] = "auto"
    """Who decides: each worker for itself, or the trainer for all (central), as auto on a GPU."""
    modes: dict[Mode, NonNegativeFloat] = Field(default={"1v1": 1.0})
    """Arenas by weight, blue v orange. Yours are the whole mix; 0 only pads for it."""
    max_team_size: NonNegativeInt = 0
    """Pad the observation with zeros to this team size. 0: as several or uneven modes need."""
    tick_skip: PositiveInt = 8
    """Physics ticks (1/120 s) an action is held. 8 makes 15 decisions a second."""
    action_delay: NonNegativeInt = 1
    """Ticks from seeing a state to the first tick its action acts on, as in the live game."""
    observation: Literal["default", "local", "rlgymppo_default", "rlgymppo_advanced"] = "local"
    """What agents see: local is from the car's own seat, default is RLGym's."""
    shuffle_players: bool = False
    """Show teammates, and opponents, in another order at each look. Bots never shuffle."""
    action_masks: bool = True
    """Never offer what cannot do anything: boost without boost, jump without a jump left."""
    meshes: str = ""
    """Folder of collision meshes. Empty takes RS_COLLISION_MESHES, then the installed ones."""
    coarse_chance: Fraction = 0.0
    """Chance that the first iteration plays cheaper physics of 60 Hz; it falls evenly. 0 is off."""
    coarse_until_steps: NonNegativeInt = 0
    """Agent steps of the run by which that chance has fallen to 0."""

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.action_delay >= self.tick_skip:
            raise ValueError(
                f"action_delay {self.action_delay} must be below tick_skip {self.tick_skip}"
            )
        require_modes(self.modes, self.arenas, self.max_team_size)
        return self

    @model_validator(mode="after")
    def _coarse_is_possible(self) -> Self:
        skip, delay = self.tick_skip, self.action_delay
        if self.coarse_chance and not self.coarse_until_steps:
            raise ValueError("coarse_chance needs coarse_until_steps, by which it has fallen to 0")
        if self.coarse_chance and skip % 2:
            raise ValueError(
                f"coarse_chance needs an even tick_skip, such as {skip + 1}, not {skip}: 60 Hz are "
                "every second tick"
            )
        if self.coarse_chance and delay > skip - 2:  # `beats.py` rounds an odd one up
            raise ValueError(
                f"coarse_chance needs an action_delay up to {skip - 2} (tick_skip less 2), "
                f"not {delay}: 60 Hz are every second tick"
            )
        return self

    @property
    def played(self) -> tuple[Mode, ...]:
        """The modes that have weight, in the order of `modes`."""
        return tuple(mode for mode, weight in self.modes.items() if weight)

    @property
    def shares(self) -> dict[Mode, int]:
        """Arenas of each played mode, in that order."""
        return share_arenas(self.arenas, {mode: self.modes[mode] for mode in self.played})

    @property
    def teams(self) -> tuple[int, ...]:
        """Team of every car of the first played mode: all blue (0) cars, then all orange (1)."""
        blue, orange = team_sizes(self.played[0])
        return (0,) * blue + (1,) * orange

    @property
    def padding(self) -> int:
        """Team size that the observation of every mode is padded to; 0 when it is not."""
        return self.max_team_size or needed_padding(self.modes)

    @property
    def agents(self) -> int:
        """N, cars that act at once in all arenas."""
        return sum(arenas * sum(team_sizes(mode)) for mode, arenas in self.shares.items())

    def worker_share(self, rank: int, workers: int) -> "SimConfig":
        """The arenas of one of so many workers, with the observation of the whole mix.

        Arenas are dealt out one by one, mode after mode, so nobody has two more than another.
        """
        counts: dict[Mode, float] = dict.fromkeys(self.modes, 0)
        arenas = [mode for mode, count in self.shares.items() for _ in range(count)]
        for mode in arenas[rank::workers]:
            counts[mode] += 1
        mine = {"modes": counts, "arenas": int(sum(counts.values()))}
        return self.model_copy(update=mine | {"max_team_size": self.padding})

    def only(self, mode: Mode) -> "SimConfig":
        """The arenas of one played mode, with the observation of the whole mix."""
        alone = {"modes": {mode: 1.0}, "arenas": self.shares[mode], "max_team_size": self.padding}
        return self.model_copy(update=alone)
