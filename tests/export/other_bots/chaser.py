"""Somebody else's RLBot v5 bot: drives at the ball, and writes down what it was shown.

Odd enough for a host: three quarters of a throttle, no answer to every fortieth packet. `DIARY` in
its bot.toml is the file to write to.
"""

import json
import math
import os
from pathlib import Path

from rlbot import flat
from rlbot.managers import Bot


class Chaser(Bot):
    def initialize(self) -> None:
        own = [bot.player_id for bot in self.match_config.player_configurations]
        self.said: dict[str, object] = {
            "index": self.index,
            "place": own.index(self.player_id),
            "folder": Path.cwd().name,
            "name": self.name,
        }
        self.packets = self.slices = self.demolished = 0
        self.touched_s = -1.0
        self.phases: list[int] = []
        self.frames: list[int] = []

    def get_output(self, packet: flat.GamePacket) -> flat.ControllerState:
        self.packets += 1
        self.slices = max(self.slices, len(self.ball_prediction.slices))
        phase = int(packet.match_info.match_phase)
        if self.phases[-1:] != [phase]:
            self.phases.append(phase)
        self.frames.append(packet.match_info.frame_num)
        car = packet.players[self.index]
        if car.latest_touch is not None:
            self.touched_s = car.latest_touch.game_seconds
        self.demolished += any(player.demolished_timeout >= 0 for player in packet.players)
        if self.packets % 40 == 0:
            raise ValueError("one of forty")
        if not packet.balls:
            return flat.ControllerState()
        ball, place = packet.balls[0].physics.location, car.physics
        angle = math.atan2(ball.y - place.location.y, ball.x - place.location.x)
        off = (angle - place.rotation.yaw + math.pi) % (2 * math.pi) - math.pi
        return flat.ControllerState(throttle=0.75, steer=max(-1.0, min(1.0, 3 * off)))

    def retire(self) -> None:
        seen = {"slices": self.slices, "phases": self.phases, "touched_s": self.touched_s}
        seen |= {"demolished": self.demolished}
        gaps = [b - a for a, b in zip(self.frames, self.frames[1:], strict=False)]
        record = self.said | seen | {"gaps": sorted(set(gaps)), "packets": self.packets}
        Path(os.environ["DIARY"]).write_text(json.dumps(record), encoding="utf-8")


Chaser().run()
