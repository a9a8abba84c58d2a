"""Nexto's inputs of one car, number by number: the slow way, against which the fast one is held."""

import math
from dataclasses import dataclass

from rlbot_agent.state import GameState

BIG_PADS = {(-3072, -4096), (3072, -4096), (-3584, 0), (3584, 0), (-3072, 4096), (3072, 4096)}
PADS = [
    *((0, -4240), (-1792, -4184), (1792, -4184), (-3072, -4096), (3072, -4096), (-940, -3308)),
    *((940, -3308), (0, -2816), (-3584, -2484), (3584, -2484), (-1788, -2300), (1788, -2300)),
    *((-2048, -1036), (0, -1024), (2048, -1036), (-3584, 0), (-1024, 0), (1024, 0), (3584, 0)),
    *((-2048, 1036), (0, 1024), (2048, 1036), (-1788, 2300), (1788, 2300), (-3584, 2484)),
    *((3584, 2484), (0, 2816), (-940, 3308), (940, 3308), (-3072, 4096), (3072, 4096)),
    *((-1792, 4184), (1792, 4184), (0, 4240)),
]


@dataclass
class Thing:
    """An entity; whatever it lacks is 0."""

    kind: list[float]
    position: list[float]
    velocity: list[float]
    nose: list[float]
    roof: list[float]
    spin: list[float]
    rest: list[float]

    def vectors(self) -> list[list[float]]:
        return [self.position, self.velocity, self.nose, self.roof, self.spin]


def things_seen_by(state: GameState, arena: int, observer: int) -> list[Thing]:
    team = state.teams[observer]
    mates = [i for i, its in enumerate(state.teams) if its == team and i != observer]
    opponents = [i for i, its in enumerate(state.teams) if its != team]
    things = [
        _car(state, arena, car, [car == observer, car not in opponents, car in opponents, 0, 0])
        for car in (observer, *mates, *opponents)
    ]
    ball = (state.ball_position, state.ball_velocity, state.ball_angular_velocity)
    place, velocity, spin = ([float(x) for x in each[arena]] for each in ball)
    things.append(Thing([0, 0, 0, 1, 0], place, velocity, [0] * 3, [0] * 3, spin, [0] * 4))
    for number, (x, y) in enumerate(PADS):
        big = (x, y) in BIG_PADS
        there = float(state.pad_timers[arena, number]) == 0
        things.append(
            Thing(
                *([0, 0, 0, 0, 1], [x, y, 73 if big else 70], [0] * 3, [0] * 3, [0] * 3, [0] * 3),
                [1 if big else 0.12, there, 0, 0],
            )
        )
    return things


def _car(state: GameState, arena: int, car: int, kind: list[float]) -> Thing:
    axes = (state.position, state.velocity, state.forward, state.up, state.angular_velocity)
    vectors = [[float(x) for x in each[arena, car]] for each in axes]
    spent = state.has_flipped[arena, car] or state.has_double_jumped[arena, car]
    late = state.air_time_since_jump[arena, car] >= 1.25
    rest = [
        float(state.boost[arena, car]) / 100,
        float(state.demo_timer[arena, car] > 0),
        float(state.on_ground[arena, car]),
        float(not spent and not late),
    ]
    return Thing(kind, *vectors, rest)


def slow_inputs(
    state: GameState, arena: int, observer: int
) -> tuple[list[float], list[list[float]], list[float]]:
    """Query (32), entities (E, 24) and mask (E)."""
    things = things_seen_by(state, arena, observer)
    for thing in things:
        for vector, norm in zip(thing.vectors(), (2300, 2300, 1, 1, 5.5), strict=True):
            if state.teams[observer] == 1:
                vector[0], vector[1] = -vector[0], -vector[1]
            vector[:] = [x / norm for x in vector]
    query = _numbers(things[0]) + [float(x) for x in state.controls[arena, observer]]
    own, heading = list(things[0].position), math.atan2(*things[0].nose[:2])
    for thing in things:
        thing.position[:] = [a - b for a, b in zip(thing.position, own, strict=True)]
        for vector in thing.vectors():
            # As a complex number: to multiply by e^(i a) is to turn by the angle a to the left.
            turned = complex(vector[0], vector[1]) * complex(math.cos(heading), math.sin(heading))
            vector[0], vector[1] = turned.real, turned.imag
    return query, [_numbers(thing) for thing in things], [0.0] * len(things)


def _numbers(thing: Thing) -> list[float]:
    return [float(x) for part in (thing.kind, *thing.vectors(), thing.rest) for x in part]
