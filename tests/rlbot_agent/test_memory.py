from types import SimpleNamespace

import pytest

from rlbot_agent.memory import CarMemory, next_boost_ticks, next_handbrake, remember
from tests.rlbot_agent.game import IN_AIR, JUMPING, held, physics, player, vector


def test_the_handbrake_is_full_after_a_fifth_of_a_second_and_gone_after_half_of_one() -> None:
    # 5/s for 12 ticks of 1/120 s is 0.5; 2/s for 30 ticks takes 0.5 off.
    assert next_handbrake(0.0, True, 12) == pytest.approx(0.5)
    assert next_handbrake(0.9, True, 24) == 1.0
    assert next_handbrake(1.0, False, 30) == pytest.approx(0.5)
    assert next_handbrake(0.1, False, 60) == 0.0


@pytest.mark.parametrize(
    ("burnt", "pressed", "ticks", "burns"),
    [
        (0, False, 1, 0),
        (0, True, 1, 1),
        (1, False, 1, 2),  # a tap burns on
        (11, False, 1, 12),  # for 12 ticks, 0.1 s
        (12, False, 1, 0),
        (5, False, 8, 0),
        (40, True, 3, 43),
    ],
)
def test_a_flame_burns_for_a_tenth_of_a_second_at_least(
    burnt: int, pressed: bool, ticks: int, burns: int
) -> None:
    assert next_boost_ticks(burnt, pressed, ticks) == burns


def test_nothing_burns_in_an_empty_tank_whatever_is_pressed() -> None:
    memory = CarMemory()
    memory.update(player(boost=1.0), 0)
    memory.update(player(boost=0.0, last_input=held(boost=True)), 1)
    assert memory.boost_ticks == 1  # the last drop
    memory.update(player(boost=0.0, last_input=held(boost=True)), 1)
    assert memory.boost_ticks == 0


def test_a_repeated_packet_changes_nothing() -> None:
    memory = CarMemory()
    memory.update(player(), 0)
    pressed = player(last_input=held(handbrake=True, boost=True), boost=0.0)
    memory.update(pressed, 1)
    memory.update(pressed, 0)
    assert memory.boost_ticks == 1
    assert memory.handbrake == pytest.approx(5 / 120)


def test_the_wheels_leave_the_ground_five_ticks_into_a_jump() -> None:
    memory = CarMemory()
    memory.update(player(), 0)
    jumping = player(air_state=JUMPING, has_jumped=True)
    on_ground = []
    for _ in range(7):
        memory.update(jumping, 1)
        on_ground.append(memory.on_ground)
    assert on_ground == [True] * 5 + [False] * 2


def test_a_car_that_loses_a_wheel_stays_on_the_ground_for_five_ticks() -> None:
    memory = CarMemory()
    memory.update(player(), 0)
    on_ground = []
    for _ in range(6):
        memory.update(player(air_state=IN_AIR), 1)
        on_ground.append(memory.on_ground)
    assert on_ground == [True] * 5 + [False]


def test_a_used_jump_that_comes_back_in_the_air_means_three_wheels_on_the_ground() -> None:
    memory = CarMemory()
    memory.update(player(air_state=IN_AIR, has_jumped=True), 0)
    assert not memory.on_ground
    memory.update(player(air_state=IN_AIR), 1)
    assert memory.on_ground


def test_a_car_that_appears_in_the_air_is_in_the_air() -> None:
    memory = CarMemory()
    memory.update(player(air_state=IN_AIR), 0)
    assert not memory.on_ground


def test_air_time_follows_the_dodge_timeout_and_counts_on_when_the_flip_is_used() -> None:
    memory = CarMemory()
    memory.update(player(air_state=JUMPING, has_jumped=True, dodge_timeout=1.25), 0)
    assert memory.air_time_since_jump == 0
    memory.update(player(air_state=IN_AIR, has_jumped=True, dodge_timeout=1.0), 1)
    assert memory.air_time_since_jump == pytest.approx(0.25)
    flipped = player(air_state=IN_AIR, has_jumped=True, has_dodged=True)
    memory.update(flipped, 12)
    assert memory.air_time_since_jump == pytest.approx(0.35)  # 12 ticks are 0.1 s
    memory.update(player(), 1)
    assert memory.air_time_since_jump == 0


def test_a_fall_without_a_jump_has_no_air_time() -> None:
    memory = CarMemory()
    memory.update(player(air_state=IN_AIR), 0)
    memory.update(player(air_state=IN_AIR), 120)
    assert memory.air_time_since_jump == 0


def test_memory_stands_still_in_a_demolished_car_and_ends_with_it() -> None:
    memory = remember(None, player(), 0)
    memory = remember(memory, player(last_input=held(handbrake=True)), 12)
    wreck = player(demolished_timeout=3.0, last_input=held(handbrake=True))
    memory = remember(memory, wreck, 1)  # it still drove in the tick that demolished it
    for _ in range(5):
        memory = remember(memory, wreck, 1)
    assert memory.handbrake == pytest.approx(13 * 5 / 120)
    assert remember(memory, player(), 1).handbrake == 0


def on_roof(velocity_z: float, jump: bool, **parts: object) -> SimpleNamespace:
    """Rolled by 3 of the 3.14 rad of half a turn."""
    rotation = SimpleNamespace(pitch=0.0, yaw=0.0, roll=-3.0)
    body = physics(rotation=rotation, velocity=vector(z=velocity_z))
    return player(air_state=IN_AIR, physics=body, last_input=held(jump=jump), **parts)


def test_a_press_that_pushes_a_car_up_from_its_roof_turns_it_for_04_s_of_half_a_turn() -> None:
    memory = CarMemory()
    memory.update(on_roof(0, jump=False), 0)
    memory.update(on_roof(195, jump=True), 1)
    assert memory.roof_turn_ticks == 46  # 48 ticks · 3 / 3.14 = 45.8
    memory.update(on_roof(150, jump=True), 40)
    assert memory.roof_turn_ticks == 6
    memory.update(on_roof(150, jump=True), 8)
    assert memory.roof_turn_ticks == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (on_roof(0, jump=True), on_roof(195, jump=True)),  # held, not pressed
        (on_roof(0, jump=False), on_roof(-5, jump=True)),  # touches nothing
        (on_roof(0, jump=False), on_roof(195, jump=True, has_dodged=True)),  # a flip that bounced
        (player(), player(physics=physics(velocity=vector(z=292)), last_input=held(jump=True))),
    ],
)
def test_other_presses_turn_nothing_off_its_roof(
    before: SimpleNamespace, after: SimpleNamespace
) -> None:
    memory = CarMemory()
    memory.update(before, 0)
    memory.update(after, 1)
    assert memory.roof_turn_ticks == 0
