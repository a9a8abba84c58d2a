"""Packets of a 1v1 kickoff in the simulator, as RLBot would send them."""

from collections.abc import Iterator

import numpy as np
from rlbot import flat

from export.packets import GameView, Moment, Player
from trainer.meshes import find_meshes
from trainer.resets import kickoff_starts
from trainer.sim import Simulator

TEAMS = (0, 1)


def simulated_game() -> GameView:
    """A blue and an orange car at a kickoff."""
    rng = np.random.default_rng(0)
    sim = Simulator(1, TEAMS, 1, 0, find_meshes(""), rng)
    sim.reset(np.arange(1), kickoff_starts(1, TEAMS, rng))
    return GameView(sim, [Player(f"bot {team}", team, team - 7, "a") for team in TEAMS])


def simulated_packets(view: GameView, frames: int) -> Iterator[flat.GamePacket]:
    """A packet for each of so many frames of play in which nobody drives."""
    for frame in range(frames):
        yield view.packet(Moment(frame, flat.MatchPhase.Active, (0, 0), 300.0))
