import sys
from pathlib import Path

import pytest

from rlbot_agent.state import GameState
from trainer.custom_rewards import RewardError, load_rewards
from trainer.events import Events

TEAMS = (0, 1)


def write(folder: Path, body: str, arguments: str = "state, previous, events") -> None:
    """A my_rewards.py whose function `spin` is `body`."""
    (folder / "my_rewards.py").write_text(
        f"import numpy as np\n\ndef spin({arguments}):\n    {body}\n"
    )


def refusal(folder: Path, name: str = "my_rewards:spin") -> str:
    with pytest.raises(RewardError) as caught:
        load_rewards([name], folder, TEAMS)
    return str(caught.value)


def test_a_function_beside_the_config_is_called_with_state_previous_and_events(
    tmp_path: Path,
) -> None:
    write(tmp_path, "return state.boost - previous.boost + 10 * events.touched")
    reward = load_rewards(["my_rewards:spin"], tmp_path, TEAMS)["my_rewards:spin"]
    state, previous, events = GameState(1, TEAMS), GameState(1, TEAMS), Events.none(1, 2)
    state.boost[:], previous.boost[:], events.touched[0, 1] = 30, 25, True
    assert reward(state, previous, events).tolist() == [[5, 15]]


@pytest.mark.parametrize("body", ["return events.touched", "return events.pickups"])
def test_integers_and_flags_are_numbers_too(tmp_path: Path, body: str) -> None:
    write(tmp_path, body)
    assert len(load_rewards(["my_rewards:spin"], tmp_path, TEAMS)) == 1


def test_a_module_is_run_once_for_all_its_functions(tmp_path: Path) -> None:
    (tmp_path / "my_rewards.py").write_text(
        "shared = []\n"
        "def spin(state, previous, events): shared.append(1); return state.boost\n"
        "def jump(state, previous, events): return state.boost + len(shared)\n"
    )
    spin, jump = load_rewards(["my_rewards:spin", "my_rewards:jump"], tmp_path, TEAMS).values()
    state, events = GameState(1, TEAMS), Events.none(1, 2)
    before = jump(state, state, events)
    spin(state, state, events)
    assert (jump(state, state, events) - before).tolist() == [[1, 1]]


def test_loading_leaves_the_import_system_as_it_was(tmp_path: Path) -> None:
    write(tmp_path, "return state.boost")
    path, modules = list(sys.path), set(sys.modules)
    load_rewards(["my_rewards:spin"], tmp_path, TEAMS)
    assert sys.path == path
    assert set(sys.modules) == modules


def test_a_missing_file_is_named_with_the_key_and_the_nearest_one(tmp_path: Path) -> None:
    (tmp_path / "my_reward.py").touch()
    assert refusal(tmp_path) == (
        f'rewards.custom."my_rewards:spin": {tmp_path}/my_rewards.py does not exist; '
        "nearest: my_reward"
    )


def test_a_missing_function_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    write(tmp_path, "return state.boost")
    assert refusal(tmp_path, "my_rewards:spinn") == (
        f'rewards.custom."my_rewards:spinn": {tmp_path}/my_rewards.py has no function spinn; '
        "nearest: spin"
    )


@pytest.mark.parametrize("name", ["spin", "my_rewards:", "a/b:c", "../my_rewards:spin", "a:b:c"])
def test_a_name_that_is_no_module_and_function_is_refused(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path, name).startswith(f'rewards.custom."{name}" must read "module:functio')


@pytest.mark.parametrize("arguments", ["state", "state, previous", "a, b, c, d", "*, state"])
def test_another_signature_is_refused(tmp_path: Path, arguments: str) -> None:
    write(tmp_path, "return 0", arguments)
    assert "my_rewards.py must take (state, previous, events)" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return 1.0", "float64 of shape ()"),
        ("return state.boost[:, :1]", "float32 of shape (3, 1)"),
        ("return state.boost.T", "float32 of shape (2, 3)"),
        ("return state.position", "float32 of shape (3, 2, 3)"),
        ("return None", "object of shape ()"),
        ("return state.boost.astype(str)", "of shape (3, 2)"),
        ("return state.boost * 1j", "complex64 of shape (3, 2)"),
    ],
)
def test_anything_but_a_number_for_each_car_is_refused(
    tmp_path: Path, body: str, found: str
) -> None:
    write(tmp_path, body)
    sentence = refusal(tmp_path)
    assert "must return one number for each car of each arena, shape (3, 2)" in sentence
    assert sentence.endswith(found)


@pytest.mark.parametrize(("body", "value"), [("0 / (state.boost * 0)", "nan"), ("np.inf", "inf")])
def test_numbers_that_are_not_finite_are_refused(tmp_path: Path, body: str, value: str) -> None:
    write(tmp_path, f"return {body} + state.boost")
    assert refusal(tmp_path).endswith(f"my_rewards.py returned {value} when it was tried")


@pytest.mark.parametrize("body", ["state.boost[:] = 0", "x = previous.velocity; x -= 1"])
def test_a_function_that_writes_into_the_state_is_refused(tmp_path: Path, body: str) -> None:
    write(tmp_path, f"{body}; return np.zeros_like(state.boost)")
    assert "changes the state in place" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("return state.bost", "failed when it was tried: AttributeError"),
        ("return (", "my_rewards.py cannot be loaded: SyntaxError"),
    ],
)
def test_the_users_exceptions_become_the_sentence(tmp_path: Path, body: str, sentence: str) -> None:
    write(tmp_path, body)
    assert sentence in refusal(tmp_path)


def test_it_is_tried_on_states_like_those_of_a_game(tmp_path: Path) -> None:
    # Divides by distance, speed and boost, asserts unit vectors and that something happened.
    write(
        tmp_path,
        "np.testing.assert_allclose((state.forward ** 2).sum(-1), 1, atol=1e-5);"
        "np.testing.assert_allclose((state.forward * state.up).sum(-1), 0, atol=1e-5);"
        "assert (state.up[state.on_ground > 0] == (0, 0, 1)).all() and state.on_ground.any();"
        "assert events.touched.any() and events.goal.any() and not events.touched.all();"
        "assert not np.array_equal(state.raw, previous.raw);"
        "away = np.linalg.norm(state.ball_position[:, None] - state.position, axis=-1);"
        "return 1 / away + 1 / np.linalg.norm(state.velocity, axis=-1) + 1 / state.boost",
    )
    for teams in ((0, 1), (0, 0, 0, 1, 1, 1)):
        load_rewards(["my_rewards:spin"], tmp_path, teams)
