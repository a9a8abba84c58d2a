"""Packets by hand: the attributes of RLBot's types without the types."""

from types import SimpleNamespace

from rlbot_agent.field import PAD_POSITIONS

ON_GROUND, JUMPING, IN_AIR = 0, 1, 4
COUNTDOWN, KICKOFF, ACTIVE, GOAL_SCORED, PAUSED = 1, 2, 3, 4, 6


def vector(x: float = 0, y: float = 0, z: float = 0) -> SimpleNamespace:
    return SimpleNamespace(x=x, y=y, z=z)


def physics(**parts: object) -> SimpleNamespace:
    rest = {
        "location": vector(),
        "rotation": SimpleNamespace(pitch=0.0, yaw=0.0, roll=0.0),
        "velocity": vector(),
        "angular_velocity": vector(),
    }
    return SimpleNamespace(**(rest | parts))


def held(**buttons: bool) -> SimpleNamespace:
    return SimpleNamespace(**({"jump": False, "boost": False, "handbrake": False} | buttons))


def player(**parts: object) -> SimpleNamespace:
    """A blue car that stands on the ground with a full tank."""
    rest = {
        "physics": physics(),
        "player_id": -5,
        "team": 0,
        "boost": 100.0,
        "air_state": ON_GROUND,
        "dodge_timeout": -1.0,
        "demolished_timeout": -1.0,
        "is_supersonic": False,
        "last_input": held(),
        "has_jumped": False,
        "has_double_jumped": False,
        "has_dodged": False,
        "dodge_elapsed": 0.0,
    }
    return SimpleNamespace(**(rest | parts))


def field_pads() -> list[SimpleNamespace]:
    """In the game's order, by y and then x, each some uu off, as in the game."""
    big = [3, 4, 15, 18, 29, 30]
    pads = [
        SimpleNamespace(location=vector(x + 2, y - 2, 8), is_full_boost=index in big)
        for index, (x, y) in enumerate(PAD_POSITIONS.tolist())
    ]
    return sorted(pads, key=lambda pad: (pad.location.y, pad.location.x))


def pad_states(**gone: float) -> list[SimpleNamespace]:
    """All pads active but those named such as p13=0.5: gone, with that `timer`."""
    return [
        SimpleNamespace(is_active=f"p{index}" not in gone, timer=gone.get(f"p{index}", 0.0))
        for index in range(34)
    ]


def packet(
    frame: int,
    *players: SimpleNamespace,
    phase: int = ACTIVE,
    pads: list[SimpleNamespace] | None = None,
) -> SimpleNamespace:
    return SimpleNamespace(
        match_info=SimpleNamespace(frame_num=frame, match_phase=phase),
        players=list(players) or [player(), player(team=1, player_id=7)],
        balls=[SimpleNamespace(physics=physics(location=vector(0, 0, 93)))],
        boost_pads=pads or pad_states(),
    )
