"""Edits of a run that trains, sent when the trainer says that an iteration is done."""

import errno
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import at, kinds, texts, train_tiny
from trainer import edits, jsonl
from trainer.checkpoint_folder import newest_valid
from trainer.config_file import load_config
from trainer.control import send_edit
from trainer.env import Env
from trainer.run_dir import RunDir


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    return RunDir(tmp_path / "run")


def at_iteration(run: RunDir, values: dict[str, object], iteration: int = 1) -> Callable[..., None]:
    return at(f"iteration {iteration} ", lambda: send_edit(run, values))


def measured(run: RunDir, name: str) -> list[float | None]:
    return [record.get(name) for record in jsonl.read_all(run.metrics)]


def test_an_edit_holds_from_the_next_iteration_on_and_for_the_run(run: RunDir) -> None:
    values = {"ppo.learning_rate": 1e-4, "ppo.clip_range": 0.1, "ppo.epochs": 3}
    train_tiny(run, iterations=3, say=at_iteration(run, values))
    assert measured(run, "Update/learning_rate_actor") == [1e-3, 1e-4, 1e-4]
    assert measured(run, "Update/clip_range") == [0.2, 0.1, 0.1]
    # 32 rows in batches of 16: 2 steps an epoch.
    assert measured(run, "Update/optimizer_steps") == [4, 6, 6]
    assert texts(run, "edit") == [
        "set ppo.epochs 2 -> 3, ppo.learning_rate 0.001 -> 0.0001, ppo.clip_range 0.2 -> 0.1, "
        "from iteration 2 on"
    ]
    newest = newest_valid(run)
    assert newest is not None
    for path in (run.config, newest / "config.toml"):
        assert load_config(path).ppo.learning_rate == 1e-4


def test_a_later_edit_is_checked_against_the_earlier_one(run: RunDir) -> None:
    def send() -> None:
        send_edit(run, {"ppo.clip_schedule": "linear"})
        send_edit(run, {"ppo.clip_schedule": "linear", "ppo.schedule_steps": 64})
        send_edit(run, {"ppo.schedule_end": 0.5})

    train_tiny(run, iterations=3, say=at("iteration 1 ", send))
    assert kinds(run) == ["start", "warning", "edit", "edit", "save", "stop"]
    # Linear from 1 at step 0 to 0.5 at step 64: at 32 steps 0.75 is left of 0.2.
    assert measured(run, "Update/clip_range") == pytest.approx([0.2, 0.15, 0.1])


def test_an_edit_is_taken_whole_or_not_at_all(run: RunDir) -> None:
    values = {"ppo.learning_rate": 1e-4, "sim.arenas": 3, "networks.actor": [4]}
    train_tiny(run, iterations=2, say=at_iteration(run, values))
    assert measured(run, "Update/learning_rate_actor") == [1e-3, 1e-3]
    (refusal,) = texts(run, "warning")
    assert "sim.arenas cannot change while the run trains" in refusal
    assert "networks.actor cannot change while the run trains" in refusal
    assert refusal.endswith("; nothing was changed")
    assert load_config(run.config) == tiny_config()


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"values": None},
        {"values": [1]},
        {"values": {"a": {}}},
        # No float has so many ticks, and no UTF-8 file that letter.
        {"values": {"episodes.no_touch_s": 1e308}},
        {"values": {"rewards.custom.\ud800": 0}},
    ],
)
def test_nonsense_is_refused_and_training_goes_on(run: RunDir, record: dict[str, object]) -> None:
    def send() -> None:
        jsonl.append(run.commands, {"command": "set"} | record)

    train_tiny(run, iterations=2, say=at("iteration 1 ", send))
    assert kinds(run) == ["start", "warning", "save", "stop"]
    assert texts(run, "warning")[0].startswith("set: ")
    assert load_config(run.config) == tiny_config()


def test_the_answer_bears_the_id_of_the_edit(run: RunDir) -> None:
    ids: list[str] = []
    ask = at("iteration 1 ", lambda: ids.append(send_edit(run, {"rewards.touch": 2})))
    train_tiny(run, iterations=2, say=ask)
    answers = [record["answers"] for record in jsonl.read_all(run.events) if "answers" in record]
    assert answers == ids


def test_what_is_asked_during_the_last_iteration_is_there_for_the_resume(run: RunDir) -> None:
    train_tiny(run, iterations=1, say=at_iteration(run, {"ppo.learning_rate": 1e-4}))
    assert load_config(run.config).ppo.learning_rate == 1e-4
    assert kinds(run) == ["start", "edit", "save", "stop"]


def test_a_run_saves_as_often_as_it_is_told_to(run: RunDir) -> None:
    values = {"checkpoint.every_steps": 32, "checkpoint.keep": 1}
    train_tiny(run, iterations=3, say=at_iteration(run, values))
    assert [text[-2:] for text in texts(run, "save")] == ["64", "96"]
    assert [path.name[-2:] for path in run.checkpoints.iterdir()] == ["96"]


def test_an_edit_that_cannot_be_written_is_refused(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    ask = at_iteration(run, {"rewards.face_ball": 0, "rewards.in_air": 7})

    def say(line: str) -> None:
        if line.startswith("iteration 1 "):
            monkeypatch.setattr(edits, "write_config", full)
        ask(line)

    train_tiny(run, iterations=2, say=say)
    assert "No space left on device; nothing was changed" in texts(run, "warning")[0]
    assert None not in measured(run, "Reward/face_ball_share")
    assert measured(run, "Reward/in_air") == [None, None]


def test_rewards_that_come_and_go_are_measured_from_then_on(run: RunDir) -> None:
    train_tiny(run, iterations=2, say=at_iteration(run, {"rewards.in_air": 1, "rewards.demo": 0}))
    before, after = jsonl.read_all(run.metrics)
    assert ("Reward/in_air" in before, "Reward/in_air" in after) == (False, True)
    assert ("Reward/demo" in before, "Reward/demo" in after) == (True, False)


OWN = (
    "import numpy as np\n"
    "def still(state, previous, events):\n"
    "    return np.ones((state.num_arenas, state.num_cars), np.float32)\n"
)
PLAIN = tuple(
    f"rewards.{name}=0"
    for name in (
        *("goal", "concede", "touch", "velocity_player_to_ball", "velocity_ball_to_goal"),
        *("face_ball", "boost_pickup", "demo"),
    )
)


def test_a_reward_of_the_users_own_that_is_loaded_is_weighed_anew_even_after_a_rest(
    run: RunDir,
) -> None:
    run.path.mkdir()
    (run.path / "mine.py").write_text(OWN)
    asks = [
        at_iteration(run, {"rewards.custom.mine:still": weight}, iteration)
        for iteration, weight in enumerate((0, 3), start=1)
    ]

    def say(line: str) -> None:
        for ask in asks:
            ask(line)

    train_tiny(run, *PLAIN, 'rewards.custom={"mine:still"=2}', iterations=3, say=say)
    assert measured(run, "Reward/total") == [2, 0, 3]


def test_a_reward_of_the_users_own_that_is_not_loaded_is_refused(run: RunDir) -> None:
    train_tiny(run, iterations=2, say=at_iteration(run, {"rewards.custom.mine:still": 1}))
    assert 'rewards.custom."mine:still" was not loaded' in texts(run, "warning")[0]
    assert load_config(run.config).rewards.custom == {}


def test_episodes_go_on_while_rewards_limits_and_shares_change(tmp_path: Path) -> None:
    config = tiny_config(*PLAIN, "rewards.in_air=1", "resets.kickoff=0", "resets.air_chance=1")
    env = Env(config, tmp_path, np.random.default_rng(0))
    idle = np.zeros(4, np.int64)
    env.step(idle)
    env.metrics.cut()
    seen, ages = env.obs.copy(), env._clocks.age.copy()
    changed = tiny_config(
        *PLAIN,
        *("rewards.in_air=2", "rewards.opponent_scale=1", "episodes.time_limit_s=0.2"),
        "resets.random=0",
    )
    env.change(changed)
    assert np.array_equal(env.obs, seen)
    assert np.array_equal(env._clocks.age, ages)
    # All four cars are in the air: 2 each, less the opponent's 2.
    first = env.step(idle)
    assert first.rewards.tolist() == [0, 0, 0, 0]
    # 0.2 s are 24 ticks, 3 decisions; this is the third.
    last = env.step(idle)
    assert (first.truncated.any(), last.truncated.all()) == (False, True)
    # The new episodes are kickoffs, in which every car has 33.3 boost.
    assert env.simulator.state.boost.ravel().tolist() == pytest.approx([100 / 3] * 4, rel=1e-3)
