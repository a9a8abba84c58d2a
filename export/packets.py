"""What RLBot would say of a simulated game: RocketSim's state as RLBot v5 messages.

Where RLBot shows less than the simulator knows, so does this: no single wheels, no handbrake, no
time spent boosting. Knows no sockets, processes or rules. Tested by `tests/export/test_packets.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from rlbot import flat

from rlbot_agent.field import (
    BACK_WALL_Y,
    BALL_RADIUS,
    BIG_PAD_RECHARGE_S,
    DOUBLE_JUMP_WINDOW_S,
    GOAL_HALF_WIDTH,
    GOAL_HEIGHT,
    SMALL_PAD_RECHARGE_S,
    TICKS_PER_SECOND,
)
from rlbot_agent.rotation import angles_from_axes
from trainer.sim import Simulator

DOUBLE_JUMP_TICKS: Final = 13
"""How long RLBot calls a car double jumping."""
GRAVITY_Z: Final = -650.0
"""uu/s2."""
PREDICTION_SLICES: Final = 720
"""Of a ball prediction, one a tick: 6 s."""
OCTANE_SIZE: Final = (118.00738, 84.19941, 36.159073)
OCTANE_OFFSET: Final = (13.87566, 0.0, 20.754988)


@dataclass(frozen=True)
class Player:
    """A car's identity in a match."""

    name: str
    """Unique in the match."""
    team: int
    """0 blue, 1 orange."""
    player_id: int
    """Signed 32-bit."""
    agent_id: str
    """What its process calls itself."""
    hivemind: bool = False
    """Whether one process drives all cars of its agent id."""
    is_ours: bool = True
    """Whether a bundle's policy drives it."""


@dataclass(frozen=True)
class Moment:
    """What a packet says besides physics."""

    frame: int
    """Physics frames since the game started."""
    phase: flat.MatchPhase
    """Countdown, kickoff, play, goal."""
    score: tuple[int, int]
    """Goals of blue and orange."""
    seconds_left: float
    """Of the match."""


class GameView:
    """The one-arena game of a simulator, seen through RLBot's eyes."""

    def __init__(self, sim: Simulator, players: Sequence[Player]) -> None:
        """Look at arena 0 of `sim`, whose cars are `players` in the same order."""
        self._sim = sim
        self._players = players
        self._pads = sim.arenas[0].get_boost_pads()
        places = np.array([(pad.get_pos().x, pad.get_pos().y) for pad in self._pads])
        self._pad_order: list[int] = np.lexsort(places.T).tolist()  # by y, then by x
        self._double_jump_frames: list[int | None] = [None] * len(players)

    def match_configuration(self, order: Sequence[int]) -> flat.MatchConfiguration:
        """Who plays; cars that are started by us and not by a server.

        Args:
            order: (P,) cars as they stand in the configuration, which need not be that of the
                packets: with people in a match it is not.
        """
        return flat.MatchConfiguration(
            launcher=flat.Launcher.NoLaunch,
            wait_for_agents=True,
            game_map_upk="Stadium_P",
            player_configurations=[
                flat.PlayerConfiguration(
                    flat.CustomBot(player.name, agent_id=player.agent_id, hivemind=player.hivemind),
                    player.team,
                    player.player_id,
                )
                for player in (self._players[car] for car in order)
            ],
            mutators=flat.MutatorSettings(),
            enable_rendering=flat.DebugRendering.AlwaysOff,
        )

    def field_info(self) -> flat.FieldInfo:
        """Pads in RLBot's order, by y and then x, and the two goals."""
        pads = [self._pads[index] for index in self._pad_order]
        return flat.FieldInfo(
            [flat.BoostPad(_vector(pad.get_pos()), pad.is_big) for pad in pads],
            [_goal(0, -1), _goal(1, 1)],
        )

    def packet(self, moment: Moment, with_ball: bool = True) -> flat.GamePacket:
        """The game as it is now; RLBot shows no ball between a goal and the next kickoff."""
        arena = self._sim.arenas[0]
        ball = flat.BallInfo(_physics(arena.ball.get_state()), flat.SphereShape(2 * BALL_RADIUS))
        return flat.GamePacket(
            players=[self._player(car, moment.frame) for car in range(len(self._players))],
            boost_pads=[_pad_state(self._pads[index]) for index in self._pad_order],
            balls=[ball] if with_ball else [],
            match_info=flat.MatchInfo(
                seconds_elapsed=moment.frame / TICKS_PER_SECOND,
                game_time_remaining=moment.seconds_left,
                match_phase=moment.phase,
                world_gravity_z=GRAVITY_Z,
                game_speed=1.0,
                frame_num=moment.frame,
            ),
            teams=[flat.TeamInfo(team, goals) for team, goals in enumerate(moment.score)],
        )

    def prediction(self, frame: int) -> flat.BallPrediction:
        """Where the ball goes in 6 s from now if nobody touches it; 720 slices, not turned."""
        ahead = self._sim.arenas[0].get_ball_prediction(PREDICTION_SLICES)
        return flat.BallPrediction(
            [
                flat.PredictionSlice(
                    (frame + ticks) / TICKS_PER_SECOND,
                    flat.Physics(
                        location=_vector(ball.pos),
                        velocity=_vector(ball.vel),
                        angular_velocity=_vector(ball.ang_vel),
                    ),
                )
                for ticks, ball in enumerate(ahead)
            ]
        )

    def _player(self, index: int, frame: int) -> flat.PlayerInfo:
        player, car = self._players[index], self._sim.cars[0][index]
        state = car.get_state()
        held = state.last_controls
        return flat.PlayerInfo(
            physics=_physics(state),
            hitbox=flat.BoxShape(*OCTANE_SIZE),
            hitbox_offset=flat.Vector3(*OCTANE_OFFSET),
            latest_touch=self._latest_touch(state.ball_hit_info, frame),
            air_state=self._air_state(index, state, frame),
            dodge_timeout=_dodge_timeout(state),
            demolished_timeout=state.demo_respawn_timer if state.is_demoed else -1.0,
            is_supersonic=state.is_supersonic,
            is_bot=True,
            name=player.name,
            team=player.team,
            boost=state.boost,
            player_id=player.player_id,
            last_input=flat.ControllerState(
                *(held.throttle, held.steer, held.pitch, held.yaw, held.roll),
                *(held.jump, held.boost, held.handbrake),
            ),
            has_jumped=state.has_jumped,
            has_double_jumped=state.has_double_jumped,
            has_dodged=state.has_flipped,
            dodge_elapsed=state.flip_time if state.has_flipped else 0.0,
            # The torque lies across the direction: (-y, x).
            dodge_dir=flat.Vector2(state.flip_rel_torque.y, -state.flip_rel_torque.x),
        )

    def _latest_touch(self, hit: Any, frame: int) -> flat.Touch | None:  # noqa: ANN401
        """The car's last touch since the kickoff; frames of play are the simulator's ticks."""
        if not hit.is_valid:
            return None
        ticks_ago = self._sim.arenas[0].tick_count - hit.tick_count_when_hit
        at, out = hit.ball_pos, hit.relative_pos_on_ball
        point = np.array(out.as_tuple())
        length = float(np.linalg.norm(point)) or 1.0
        return flat.Touch(
            game_seconds=(frame - ticks_ago) / TICKS_PER_SECOND,
            location=flat.Vector3(at.x + out.x, at.y + out.y, at.z + out.z),
            normal=flat.Vector3(*(point / length).tolist()),
        )

    def _air_state(self, index: int, state: Any, frame: int) -> flat.AirState:  # noqa: ANN401
        """Which force acts on a car; RLBot says on the ground when all four wheels are."""
        if not state.has_double_jumped:
            self._double_jump_frames[index] = None
        elif self._double_jump_frames[index] is None:
            self._double_jump_frames[index] = frame
        started = self._double_jump_frames[index]
        if state.is_jumping:
            return flat.AirState.Jumping
        if all(state.wheels_with_contact):
            return flat.AirState.OnGround
        if state.is_flipping:
            return flat.AirState.Dodging
        if started is not None and frame - started < DOUBLE_JUMP_TICKS:
            return flat.AirState.DoubleJumping
        return flat.AirState.InAir


def _dodge_timeout(state: Any) -> float:  # noqa: ANN401
    """Seconds in which a jumper may still dodge; -1 when it may not, or has not jumped."""
    used = state.has_flipped or state.has_double_jumped
    if state.is_on_ground or not state.has_jumped or used:
        return -1.0
    left: float = DOUBLE_JUMP_WINDOW_S - state.air_time_since_jump
    return left if left > 0 else -1.0


def _pad_state(pad: Any) -> flat.BoostPadState:  # noqa: ANN401
    state = pad.get_state()
    recharge = BIG_PAD_RECHARGE_S if pad.is_big else SMALL_PAD_RECHARGE_S
    return flat.BoostPadState(
        state.is_active, 0.0 if state.is_active else recharge - state.cooldown
    )


def _goal(team: int, side: int) -> flat.GoalInfo:
    return flat.GoalInfo(
        team,
        flat.Vector3(0, side * BACK_WALL_Y, GOAL_HEIGHT / 2),
        flat.Vector3(0, -side, 0),
        2 * GOAL_HALF_WIDTH,
        GOAL_HEIGHT,
    )


def _physics(state: Any) -> flat.Physics:  # noqa: ANN401
    """Of a RocketSim car or ball."""
    forward, _, up = (np.array(axis.as_tuple(), np.float32) for axis in _axes(state))
    pitch, yaw, roll = angles_from_axes(forward, up).tolist()
    return flat.Physics(
        _vector(state.pos),
        flat.Rotator(pitch, yaw, roll),
        _vector(state.vel),
        _vector(state.ang_vel),
    )


def _axes(state: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401
    return state.rot_mat.forward, state.rot_mat.right, state.rot_mat.up


def _vector(vector: Any) -> flat.Vector3:  # noqa: ANN401
    return flat.Vector3(vector.x, vector.y, vector.z)
