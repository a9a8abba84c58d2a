"""How the live game shows each field of `GameState`, and how far it may be off: a measured table.

`rlppo match` and `tests/test_parity.py` hold the agent to it; `rlppo export` refuses an observation
with a field that is not in it. The errors are those of packets as RLBot v5 documents them, made
from the simulator. Knows nothing but names and numbers.
"""

from typing import Final, NamedTuple

EXACT_TOLERANCE: Final = 1e-5
"""Differences in an observation up to this are rounding."""
STEEP: Final = 0.9995
"""Of a nose, up or down, from which on float32 angles may be 1e-5 off: cos(pitch) is 0.03 there."""


class Reconstruction(NamedTuple):
    """Where the value of a field comes from in the live game."""

    how: str
    """One sentence for a person."""
    remembered: bool = False
    """Whether it needs the packets of all frames since the kickoff: skipped ones make it worse."""
    share: float = 0.0
    """Share of decisions in which it may differ by more than `EXACT_TOLERANCE`."""
    error: float = EXACT_TOLERANCE
    """Largest difference there may be, in the observation's units."""
    steep: bool = False
    """Whether decisions in which a car points straight up or down (`STEEP`) are left out of the
    share: the angles of a packet lose digits there, for as long as the car stays so."""


def _shown(where: str) -> Reconstruction:
    return Reconstruction(f"as the packet shows it in {where}")


def _turned(how: str) -> Reconstruction:
    # Measured: 1.2e-5 in 0.01 % of the decisions of a match; up to 5e-4 in steep ones.
    return Reconstruction(how, share=0.001, error=1e-3, steep=True)


FIELDS: Final[dict[str, Reconstruction]] = {
    "ball_position": _shown("balls[0].physics.location"),
    "ball_velocity": _shown("balls[0].physics.velocity"),
    "ball_angular_velocity": _shown("balls[0].physics.angular_velocity"),
    "pad_timers": Reconstruction(
        "counted down from the frame in which is_active went off; from timer, as seconds since "
        "the pickup, for pads that were off in the first packet",
        remembered=True,
    ),
    "position": _shown("physics.location"),
    "forward": _turned("from physics.rotation"),
    "up": _turned("from physics.rotation"),
    "velocity": _shown("physics.velocity"),
    "angular_velocity": _shown("physics.angular_velocity"),
    "boost": _shown("boost"),
    "demo_timer": _shown("demolished_timeout, 0 when that is -1"),
    # Measured: 0.04 % of decisions (trained bots) to 0.2 % (random play): take-offs, three wheels.
    "on_ground": Reconstruction(
        "air_state OnGround; the first 5 ticks of Jumping; up to 5 ticks after the fourth wheel "
        "left the ground or a landing took a used jump or flip back",
        remembered=True,
        share=0.01,
        error=1.0,
    ),
    "is_boosting": Reconstruction(
        "last_input.boost with fuel in the packet before, for at least 0.1 s", remembered=True
    ),
    "is_supersonic": _shown("is_supersonic"),
    "is_holding_jump": _shown("last_input.jump"),
    "handbrake": Reconstruction(
        "last_input.handbrake, integrated at 5/s up and 2/s down", remembered=True
    ),
    "has_jumped": _shown("has_jumped"),
    "is_jumping": _shown("air_state Jumping"),
    "has_flipped": _shown("has_dodged"),
    "is_flipping": _shown("has_dodged and dodge_elapsed below 0.65 s"),
    "has_double_jumped": _shown("has_double_jumped"),
    # Measured: 0.04 % to 0.1 % of decisions, where on_ground is wrong.
    "can_flip": Reconstruction(
        "neither on_ground, nor last_input.jump, nor a used flip or double jump, nor 1.25 s "
        "since the jump",
        remembered=True,
        share=0.01,
        error=1.0,
    ),
    "air_time_since_jump": Reconstruction(
        "1.25 s - dodge_timeout; once that is -1 in the air, counted on by frames", remembered=True
    ),
    # Measured: 0.1 % of decisions of random play, where a car lies on a slope.
    "is_auto_flipping": Reconstruction(
        "0.4 s from a last_input.jump that pushed a car up from its roof and did not flip it",
        remembered=True,
        share=0.01,
        error=1.0,
    ),
    "controls": Reconstruction(
        "what the bot chose at its last decision; of its own car only", remembered=True
    ),
}
"""Every field of `GameState`."""

QUANTITIES: Final[dict[str, Reconstruction]] = {
    "has_flip": Reconstruction(
        "neither a used flip or double jump, nor 1.25 s since the jump", remembered=True
    ),
    "has_flip_or_jump": Reconstruction(
        "has_flip, or on_ground", remembered=True, share=0.01, error=1.0
    ),
    "pad_is_active": _shown("boost_pads[].is_active"),
    "presence": _shown("players"),
    "closeness": Reconstruction("from locations"),
    "local_axis": _turned("turned by physics.rotation"),
    "local_position": Reconstruction(
        "turned by physics.rotation", share=0.001, error=1e-3, steep=True
    ),
    "local_velocity": Reconstruction(
        "turned by physics.rotation", share=0.001, error=1e-3, steep=True
    ),
    "local_spin": _turned("turned by physics.rotation"),
}
"""What observations show that is made of several fields, or only part of one."""

RECONSTRUCTION: Final[dict[str, Reconstruction]] = FIELDS | QUANTITIES
"""By the `field` of a term of an observation; no observation shows what is not in here."""
