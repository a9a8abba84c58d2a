"""Somebody else's RLBot v5 hivemind: one process for a team, each car with its own throttle."""

from rlbot import flat
from rlbot.managers import Hivemind


class Swarm(Hivemind):
    def get_outputs(self, packet: flat.GamePacket) -> dict[int, flat.ControllerState]:
        return {
            index: flat.ControllerState(throttle=0.25 * (number + 1), boost=number == 0)
            for number, index in enumerate(self.indices)
        }


Swarm().run(wants_ball_predictions=False)
