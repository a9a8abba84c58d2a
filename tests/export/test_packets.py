import numpy as np
import pytest
from rlbot import flat

from export.packets import GameView, Moment, Player
from rlbot_agent.actions import ACTION_TABLE as ACTIONS
from rlbot_agent.field import PAD_POSITIONS
from trainer.meshes import find_meshes
from trainer.resets import kickoff_starts
from trainer.sim import Simulator

NEUTRAL = 8


@pytest.fixture
def sim() -> Simulator:
    rng = np.random.default_rng(0)
    found = Simulator(1, (0, 1), 1, 0, find_meshes(""), rng)
    found.reset(np.array([0]), kickoff_starts(1, (0, 1), rng))
    return found


@pytest.fixture
def view(sim: Simulator) -> GameView:
    return GameView(sim, [Player("a", 0, -5, "x/a"), Player("b", 1, 7, "x/b")])


def show(view: GameView, frame: int = 1) -> flat.GamePacket:
    shown = view.packet(Moment(frame, flat.MatchPhase.Active, (2, 3), 12.5))
    return flat.GamePacket.unpack(shown.pack())


def test_the_match_is_described_as_rlbot_does(view: GameView) -> None:
    match = flat.MatchConfiguration.unpack(view.match_configuration([0, 1]).pack())
    bots = match.player_configurations
    assert [(bot.variety.name, bot.team, bot.player_id) for bot in bots] == [
        ("a", 0, -5),
        ("b", 1, 7),
    ]
    assert [bot.variety.agent_id for bot in bots] == ["x/a", "x/b"]


def test_pads_are_ordered_by_y_and_then_x(view: GameView) -> None:
    pads = flat.FieldInfo.unpack(view.field_info().pack()).boost_pads
    places = [(pad.location.y, pad.location.x) for pad in pads]
    assert places == sorted(places)
    assert len(places) == 34
    assert [index for index, pad in enumerate(pads) if pad.is_full_boost] == [3, 4, 15, 18, 29, 30]


def test_a_packet_says_who_when_and_how_it_stands(view: GameView) -> None:
    shown = show(view, 77)
    info = shown.match_info
    assert (info.frame_num, info.match_phase) == (77, flat.MatchPhase.Active)
    assert (info.game_time_remaining, info.world_gravity_z) == (12.5, -650)
    assert [(team.team_index, team.score) for team in shown.teams] == [(0, 2), (1, 3)]
    assert [(one.name, one.team, one.player_id) for one in shown.players] == [
        ("a", 0, -5),
        ("b", 1, 7),
    ]
    assert len(shown.balls) == 1
    assert not view.packet(Moment(1, flat.MatchPhase.GoalScored, (0, 0), 0), False).balls


def test_a_pad_that_was_taken_counts_the_seconds_since(sim: Simulator, view: GameView) -> None:
    car = sim.cars[0][0].get_state()
    car.pos = type(car.pos)(*PAD_POSITIONS[3].tolist(), 17)  # a corner: a big one
    sim.cars[0][0].set_state(car)
    sim.step(np.array([[NEUTRAL, NEUTRAL]]))
    taken = show(view).boost_pads[3]
    assert (taken.is_active, taken.timer) == (False, 0)
    for _ in range(60):
        sim.step(np.array([[NEUTRAL, NEUTRAL]]))
    assert show(view).boost_pads[3].timer == pytest.approx(0.5, abs=1e-4)
    assert show(view).boost_pads[0].is_active


def test_a_jump_and_a_double_jump_pass_through_rlbots_air_states(
    sim: Simulator, view: GameView
) -> None:
    jump = int(np.flatnonzero((ACTIONS[:, 5] == 1) & (ACTIONS[:, [2, 3, 4]] == 0).all(axis=1))[0])
    states = []
    for tick, row in enumerate([jump] * 10 + [NEUTRAL] * 10 + [jump] + [NEUTRAL] * 30):
        sim.step(np.array([[row, NEUTRAL]]))
        car = show(view, tick).players[0]
        states.append((int(car.air_state), car.dodge_timeout != -1))
    names = [
        state for index, state in enumerate(states) if index == 0 or states[index - 1] != state
    ]
    # On the ground a car says Jumping at once; the timeout starts when the wheels are off, and ends
    # when the double jump (13 ticks) uses it up.
    assert names == [(1, False), (1, True), (4, True), (2, False), (4, False)]
    assert [state for state, _ in states].count(2) == 13
    assert show(view).players[1].air_state == flat.AirState.OnGround


def test_a_demolished_car_shows_its_timeout_and_others_minus_one(
    sim: Simulator, view: GameView
) -> None:
    sim.cars[0][1].demolish()
    timeouts = [car.demolished_timeout for car in show(view).players]
    assert timeouts == [-1, 3]


def test_cars_may_stand_otherwise_in_the_configuration(view: GameView) -> None:
    match = flat.MatchConfiguration.unpack(view.match_configuration([1, 0]).pack())
    assert [bot.player_id for bot in match.player_configurations] == [7, -5]
    assert [player.player_id for player in show(view).players] == [-5, 7]


def test_a_prediction_is_where_the_ball_then_is(sim: Simulator, view: GameView) -> None:
    ball = sim.arenas[0].ball.get_state()
    ball.vel = type(ball.vel)(500, 1000, 800)
    sim.arenas[0].ball.set_state(ball)
    slices = flat.BallPrediction.unpack(view.prediction(600).pack()).slices
    assert len(slices) == 720
    assert slices[60].game_seconds == pytest.approx(5.5)
    for _ in range(60):
        sim.step(np.array([[NEUTRAL, NEUTRAL]]))
    where = slices[60].physics.location
    found = sim.state.ball_position[0].tolist()
    assert (where.x, where.y, where.z) == pytest.approx(found, abs=0.1)


def test_a_touch_is_shown_to_whom_it_belongs_with_its_time_and_place(
    sim: Simulator, view: GameView
) -> None:
    assert [car.latest_touch for car in show(view).players] == [None, None]
    car, ball = sim.cars[0][0].get_state(), sim.arenas[0].ball.get_state()
    car.pos = type(car.pos)(ball.pos.x, ball.pos.y - 250, 17)
    car.vel = type(car.vel)(0, 1500, 0)
    car.rot_mat = type(car.rot_mat)(
        *(type(car.pos)(*axis) for axis in ((0, 1, 0), (-1, 0, 0), (0, 0, 1)))
    )
    sim.cars[0][0].set_state(car)
    frame = 1000
    while not sim.events.touched.any():
        sim.step(np.array([[NEUTRAL, NEUTRAL]]))
        frame += 1
    for later in (0, 3):
        for _ in range(later):
            sim.step(np.array([[NEUTRAL, NEUTRAL]]))
        touch, other = (player.latest_touch for player in show(view, frame + later).players)
        assert other is None
        assert touch is not None
        # The touch happened in the tick that led to the frame in which it is first seen.
        assert touch.game_seconds == pytest.approx(frame / 120, abs=1.5 / 120)
    # From behind and a little below its centre.
    assert touch.normal.y < -0.5
    assert abs(touch.normal.x) < 0.3
