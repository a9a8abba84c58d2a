import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from safetensors.torch import load_file

from tests.patience import PATIENCE_S
from tests.trainer.test_checkpoint import everything
from tests.trainer.tiny import tiny_config, write_tiny
from trainer import jsonl
from trainer.builder import Parts, build
from trainer.checkpoint import CheckpointError
from trainer.checkpoint_folder import list_checkpoints, newest_valid, write_hashes
from trainer.cli import app, run_app
from trainer.config_file import load_config
from trainer.mixed_env import MixedEnv
from trainer.players import OneProcess
from trainer.run_dir import RunDir
from trainer.session import lock_run
from trainer.training import Request, train


def request(run: RunDir, *settings: str, iterations: int | None = 1) -> Request:
    return Request(run, tiny_config(*settings), run.path, "the test", iterations)


def silent(line: str) -> None:
    pass


def arenas_of(parts: Parts) -> MixedEnv:
    """In the game's own physics."""
    assert isinstance(parts.players, OneProcess)
    return parts.players.game.fine


def measured(run: RunDir) -> list[dict[str, float]]:
    """The metrics of each iteration that do not depend on the clock or the machine."""
    clock = ("Timing/", "Throughput/", "System/", "Cumulative/seconds", "time")
    return [
        {name: value for name, value in record.items() if not name.startswith(clock)}
        for record in jsonl.read_all(run.metrics)
    ]


def test_the_same_seed_is_the_same_run_and_another_is_not(tmp_path: Path) -> None:
    runs = [RunDir(tmp_path / name) for name in ("one", "two", "other")]
    for run, seed in zip(runs, (1, 1, 2), strict=True):
        train(request(run, f"seed={seed}", iterations=3), silent)
    one, two, other = map(measured, runs)
    assert len(one) == 3
    assert one == two
    assert one != other


def test_two_resumes_of_one_checkpoint_go_the_same_way(tmp_path: Path) -> None:
    first, second = RunDir(tmp_path / "first"), RunDir(tmp_path / "second")
    train(request(first, iterations=2), silent)
    shutil.copytree(first.checkpoints, second.checkpoints)
    for run in (first, second):
        train(request(run, iterations=2), silent)
    assert [record["iteration"] for record in measured(first)] == [1, 2, 3, 4]
    assert measured(first)[2:] == measured(second)


COARSE = ("sim.coarse_chance=0.9", "sim.coarse_until_steps=500")


def test_with_coarse_physics_too_the_same_seed_is_the_same_run_and_a_resume_goes_on_as_another(
    tmp_path: Path,
) -> None:
    first, again, third = (RunDir(tmp_path / name) for name in ("first", "again", "third"))
    # An iteration is 32 steps: the 17th starts at 512 and can only be fine.
    for run in (first, again):
        train(request(run, *COARSE, iterations=6), silent)
    assert measured(first) == measured(again)
    shutil.copytree(first.checkpoints, third.checkpoints)
    for run in (first, third):
        train(request(run, *COARSE, iterations=12), silent)
    rates = [record["Collect/physics_hz"] for record in measured(first)]
    assert {*rates[:6]} == {*rates[6:16]} == {60, 120}
    assert rates[16:] == [120] * 2
    assert measured(first)[6:] == measured(third)


MIX = ("sim.arenas=6", "sim.modes.1v1=1", "sim.modes.2v2=1", "sim.modes.1v2=1")


def test_a_mix_of_modes_learns_from_all_rows_and_two_resumes_go_the_same_way(
    tmp_path: Path,
) -> None:
    first, second = RunDir(tmp_path / "first"), RunDir(tmp_path / "second")
    train(request(first, *MIX, iterations=2), silent)
    shutil.copytree(first.checkpoints, second.checkpoints)
    for run in (first, second):
        train(request(run, *MIX, iterations=1), silent)
    # 2 arenas each of 1v1, 2v2 and 1v2 are 18 agents: 2 decisions reach the 32 steps asked for.
    assert [record["Cumulative/steps"] for record in measured(first)] == [36, 72, 108]
    # Games of more than two cars part by rounding, by next to nothing in 2 decisions.
    (after,) = measured(second)
    assert measured(first)[2] == pytest.approx(after, rel=1e-3, abs=1e-3, nan_ok=True)
    parts = build(load_config(first.config), first.path, None)
    assert parts.players.rollout.obs.shape == (2, 18, 132)


def test_a_resume_may_change_the_weights_of_modes_but_not_what_the_agents_see(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path / "run")
    train(request(run, *MIX), silent)
    # Without weight, but still padded for: no 2v2 is played.
    train(request(run, "sim.arenas=6", "sim.modes.1v1=2", "sim.modes.2v2=0"), silent)
    assert [record["Cumulative/steps"] for record in measured(run)] == [36, 72]
    with pytest.raises(CheckpointError, match="max_team_size is 2 there and 0 here"):
        train(request(run, "sim.modes.1v1=1"), silent)


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_a_killed_run_resumes_exactly_where_an_unharmed_one_was(tmp_path: Path) -> None:
    killed, unharmed = RunDir(tmp_path / "killed"), RunDir(tmp_path / "unharmed")
    config = write_tiny(tmp_path, "checkpoint.every_steps=32", "checkpoint.keep=0")
    command = [sys.executable, "-m", "trainer", "train", str(config), "--run", str(killed.path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as trainer:
        wait_until(lambda: len(list_checkpoints(killed)) >= 3)
        trainer.kill()
    newest = newest_valid(killed)
    assert newest is not None
    steps = int(newest.name)

    settings = ("checkpoint.every_steps=32", "checkpoint.keep=0")
    train(request(unharmed, *settings, iterations=steps // 32), silent)
    twin = unharmed.checkpoints / newest.name
    found = [build(tiny_config(), tmp_path, folder).state for folder in (newest, twin)]
    for state in found:
        state.counters = replace(state.counters, seconds=0.0)
    assert everything(found[0]) == everything(found[1])

    # The next iteration, too, is that of the run nobody harmed when it resumes from there.
    for folder in list_checkpoints(unharmed):
        if folder != twin:
            shutil.rmtree(folder)
    for run in (killed, unharmed):
        train(request(run), silent)
    assert measured(killed)[-1] == measured(unharmed)[-1]
    assert measured(killed)[-1]["steps"] == steps + 32


def test_a_config_of_other_sizes_is_refused_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunDir(tmp_path / "run")
    train(request(run), silent)
    before = run.config.read_text()
    command = ["train", "--run", str(run.path), "--set", "networks.actor=[16]"]
    assert run_app(app, command) == 2
    err = capsys.readouterr().err
    assert "actor_layers is (8, 8) there and (16,) here" in err
    assert "--warm-start" in err
    assert run.config.read_text() == before


def test_the_run_alone_resumes_with_its_own_config(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run")
    train(request(run, "ppo.epochs=3"), silent)
    assert run_app(app, ["train", "--run", str(run.path), "--iterations", "1"]) == 0
    assert "epochs = 3" in run.config.read_text()
    assert [folder.name for folder in list_checkpoints(run)] == [f"{64:015d}", f"{32:015d}"]


def test_a_config_that_fits_replaces_the_runs_and_the_event_says_whose_rate_holds(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path / "run")
    train(request(run, "ppo.learning_rate=1e-4"), silent)
    config = write_tiny(tmp_path, "ppo.learning_rate=3e-4")
    assert run_app(app, ["train", str(config), "--run", str(run.path), "--iterations", "1"]) == 0
    assert "learning_rate = 0.0003" in run.config.read_text()
    starts = [event["text"] for event in jsonl.read_all(run.events) if event["kind"] == "start"]
    assert f"all settings are those of {config}, the learning rate 0.0003 too" in starts[1]


def start_event(run: RunDir) -> str:
    texts = [event["text"] for event in jsonl.read_all(run.events) if event["kind"] == "start"]
    return str(texts[-1])


def test_the_config_in_force_rules_over_the_checkpoint_and_the_differences_are_named(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path / "run")
    train(request(run, "ppo.learning_rate=1e-4"), silent)
    train(request(run, "ppo.learning_rate=3e-4"), silent)
    assert start_event(run).endswith("; since the checkpoint: ppo.learning_rate 0.0001 -> 0.0003")
    # Without a file the run's own config.toml is in force, which an edit rewrites.
    assert run_app(app, ["set", str(run.path), "ppo.learning_rate=2e-4"]) == 0
    resume = ["train", "--run", str(run.path), "--iterations", "1"]
    assert run_app(app, resume) == 0
    assert start_event(run).endswith("; since the checkpoint: ppo.learning_rate 0.0003 -> 0.0002")
    # A flag goes over the file.
    assert run_app(app, [*resume, "--set", "ppo.learning_rate=5e-4"]) == 0
    assert run_app(app, resume) == 0
    assert start_event(run).endswith("; the checkpoint was trained with the same")
    rates = [record["Update/learning_rate_actor"] for record in measured(run)]
    assert rates == [1e-4, 3e-4, 2e-4, 5e-4, 5e-4]


def test_of_many_differences_the_first_few_are_named(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run")
    train(request(run), silent)
    weights = [f"rewards.{name}=0" for name in ("goal", "concede", "touch", "face_ball", "demo")]
    train(request(run, *weights, "ppo.epochs=3"), silent)
    assert start_event(run).endswith(
        "since the checkpoint: rewards.goal 10.0 -> 0.0, rewards.concede -10.0 -> 0.0, "
        "rewards.touch 5.0 -> 0.0, rewards.face_ball 0.1 -> 0.0 and 2 more"
    )


def test_a_checkpoint_whose_settings_this_version_does_not_know_still_resumes(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path / "run")
    train(request(run), silent)
    newest = newest_valid(run)
    assert newest is not None
    (newest / "config.toml").write_text("left_out_since = 1\n")
    write_hashes(newest)
    train(request(run), silent)
    assert "those of the checkpoint cannot be read by this version" in start_event(run)


def test_a_reset_optimizer_is_fresh_and_everything_else_is_exact(tmp_path: Path) -> None:
    run, settings = RunDir(tmp_path / "run"), ("ppo.target_kl=1", "ppo.adaptive_learning_rate=true")
    train(request(run, *settings, iterations=2), silent)
    config, checkpoint = tiny_config(*settings), newest_valid(run)
    exact = everything(build(config, tmp_path, checkpoint).state)
    parts = build(config, tmp_path, checkpoint, reset_optimizer=True)
    assert parts.state.rate_factor == 1
    found = everything(parts.state)
    assert exact["moments"] != found["moments"] == {}
    parts.state.rate_factor = 2.25
    assert everything(parts.state) | {"moments": exact["moments"]} == exact


def test_the_optimizer_is_reset_when_somebody_says_so(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run")
    train(request(run), silent)
    resume = ["train", "--run", str(run.path), "--iterations", "1"]
    assert run_app(app, [*resume, "--reset-optimizer"]) == 0
    assert start_event(run).endswith("; the optimizer begins fresh")
    # AdamW counts its steps: 2 epochs of 2 batches are those of the last iteration alone.
    newest = newest_valid(run)
    assert newest is not None
    moments = load_file(newest / "optimizer.safetensors")
    assert moments["actor.layers.0.weight.step"] == 4
    assert run_app(app, resume) == 0
    assert "begins fresh" not in start_event(run)


def test_a_reset_without_a_checkpoint_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", str(write_tiny(tmp_path)), "--run", str(tmp_path / "new")]
    assert run_app(app, [*command, "--reset-optimizer"]) == 2
    assert "no whole checkpoint: --reset-optimizer has nothing" in capsys.readouterr().err


def test_what_was_passed_over_is_told_once_training_resumes(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run")
    train(request(run), silent)
    (run.checkpoints / "desktop.ini").touch()
    (run.checkpoints / "000000000000999").mkdir()
    train(request(run), silent)
    warnings = [event["text"] for event in jsonl.read_all(run.events) if event["kind"] == "warning"]
    assert "desktop.ini" in warnings[0]
    assert "000000000000999: hashes.json is missing" in warnings[1]
    assert newest_valid(run) == run.checkpoints / f"{64:015d}"


def test_the_users_own_reward_goes_with_the_run(tmp_path: Path) -> None:
    config = write_tiny(tmp_path / "here", 'rewards.custom={"mine:still"=1.0}')
    (tmp_path / "here" / "mine.py").write_text(
        "import numpy as np\n"
        "def still(state, previous, events):\n"
        "    return np.ones((state.num_arenas, state.num_cars), np.float32)\n"
    )
    run = RunDir(tmp_path / "run")
    assert run_app(app, ["train", str(config), "--run", str(run.path), "--iterations", "1"]) == 0
    shutil.rmtree(tmp_path / "here")
    assert run_app(app, ["train", "--run", str(run.path), "--iterations", "1"]) == 0


def test_a_run_that_is_trained_already_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunDir(tmp_path / "run")
    with lock_run(run):
        assert run_app(app, ["train", "--run", str(run.path)]) == 2
    assert f"trains in {run.path} already" in capsys.readouterr().err
    assert not run.status.exists()


def write_states(path: Path, *boosts: int) -> None:
    """Start states of 1v1, one for each boost of the cars, and one of 2v2."""
    path.parent.mkdir(parents=True, exist_ok=True)
    places = [{"team": team, "position": [0, y, 17], "rotation": [0, 0, 0]} for team, y in SIDES]
    states = [[place | {"boost": boost} for place in places] for boost in boosts]
    states.append(2 * [place | {"boost": 0} for place in places])
    lines = [json.dumps({"ball": {"position": [0, 0, 900]}, "cars": cars}) for cars in states]
    path.write_text("\n".join(lines))


SIDES = ((0, -3000), (1, 3000))
STORED = ("resets.kickoff=0", "resets.random=0", "resets.from_file=1")


def test_the_start_states_go_with_the_run_and_what_was_passed_over_is_told(tmp_path: Path) -> None:
    # Called like a file of the run, which the copy must leave alone.
    config = write_tiny(tmp_path / "here", *STORED, "resets.file=states/metrics.jsonl")
    write_states(tmp_path / "here" / "states" / "metrics.jsonl", 7)
    run = RunDir(tmp_path / "run")
    assert run_app(app, ["train", str(config), "--run", str(run.path), "--iterations", "1"]) == 0
    shutil.rmtree(tmp_path / "here")
    assert run_app(app, ["train", "--run", str(run.path), "--iterations", "1"]) == 0
    assert [record["iteration"] for record in measured(run)] == [1, 2]
    warnings = [event["text"] for event in jsonl.read_all(run.events) if event["kind"] == "warning"]
    assert [text.partition(": ")[2] for text in warnings] == [
        "passed over 1 of 2 start states that are not 1v1"
    ] * 2
    parts = build(load_config(run.config), run.path, newest_valid(run))
    assert arenas_of(parts).parts[0].simulator.state.boost.tolist() == [[7, 7], [7, 7]]


def test_a_config_that_names_other_start_states_replaces_the_runs(tmp_path: Path) -> None:
    run = RunDir(tmp_path / "run")
    for boost in (7, 9):
        write_states(tmp_path / "states", boost)
        config = write_tiny(tmp_path, *STORED, "resets.file=states")
        command = ["train", str(config), "--run", str(run.path), "--iterations", "1"]
        assert run_app(app, command) == 0
    parts = build(load_config(run.config), run.path, newest_valid(run))
    assert arenas_of(parts).parts[0].simulator.state.boost.tolist() == [[9, 9], [9, 9]]


def test_the_weights_are_those_of_the_runs_steps_within_a_session_and_after_a_resume(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path / "run")
    write_states(run.path / "states", 7)
    later = ("resets.later.kickoff=0", "resets.later.random=0", "resets.later.from_file=1")
    settings = (*later, "resets.file=states", "resets.random=0", "resets.later_at_steps=64")
    # An episode a decision; an iteration is 32 steps, so the third starts with the later weights.
    train(request(run, *settings, "episodes.time_limit_s=0.01", iterations=3), silent)
    first, _, third = (record["Game/boost"] for record in measured(run))
    # Kickoffs have 33.3, states of the file 7; the third's first decision may be one of before.
    assert first > 25
    assert third < 12
    parts = build(load_config(run.config), run.path, newest_valid(run))
    assert arenas_of(parts).parts[0].simulator.state.boost.tolist() == [[7, 7], [7, 7]]
