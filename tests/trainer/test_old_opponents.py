"""Old versions in rollouts, whoever plays them."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.trainer.old_versions import pool_of, save_versions
from tests.trainer.test_central import SHORT
from tests.trainer.test_version_pool import damage
from tests.trainer.test_workers import nothing, run_of
from tests.trainer.tiny import tiny_config
from tests.trainer.tiny_runs import at, log_probs_of, texts, train_tiny
from trainer import jsonl
from trainer.builder import Parts, build, fresh_state
from trainer.central import Central
from trainer.checkpoint import save
from trainer.checkpoint_folder import newest_valid
from trainer.config import RunConfig
from trainer.control import send
from trainer.game import measure
from trainer.line_up import NOBODY
from trainer.opponents import LineUp, Opponents
from trainer.players import OneProcess
from trainer.rollout_tensors import RolloutTensors
from trainer.run_dir import RunDir
from trainer.sampling import chosen, masked_log_probs, sample
from trainer.version_folder import list_versions, version_path
from trainer.versions import load_version
from trainer.workers import Workers

BASE = ("sim.arenas=6", *SHORT[2:], "ppo.steps_per_iteration=480", "selfplay.groups=2")
ALWAYS = (*BASE, "selfplay.chance=1")
ONE = ("sim.workers=1",)
TWO = ("sim.workers=2",)
CENTRAL = (*TWO, "sim.inference=central")
BF16 = (*TWO, "ppo.actor_precision=bf16", "ppo.critic_precision=bf16")
KINDS = {"one process": ONE, "workers": TWO, "workers that round": BF16, "central": CENTRAL}


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    run = RunDir(tmp_path / "run")
    save_versions(run, tiny_config(*BASE), 1, 2, 3, 4)
    return run


def start(run: RunDir, config: RunConfig) -> Parts:
    return build(config, Path(), None, pool=pool_of(run, config))


def line_ups(run: RunDir, config: RunConfig, rollouts: int, workers: int) -> list[LineUp | None]:
    """What a run of `config` draws, by a generator of its seed."""
    rng = fresh_state(config, torch.device("cpu")).rngs["opponents"]
    twin = Opponents(config, pool_of(run, config), rng, workers)
    return [twin.draw(100) for _ in range(rollouts)]


def versions_of(line_up: LineUp | None, arenas: int) -> list[int]:
    """By agent of games of 1v1, arena after arena and process after process: 0 is today."""
    assert line_up is not None
    found: list[int] = []
    for teams in line_up.teams:
        each, left = divmod(arenas // len(line_up.teams), len(teams))
        for group, team in enumerate(teams):
            pair = [0, 0]
            if team != NOBODY:
                pair[team] = line_up.versions[group]
            # The first groups have one arena more where they cannot all have as many.
            found += pair * (each + (group < left))
    return found


def uniforms_of(config: RunConfig, workers: int, rollouts: int) -> Tensor:
    """(T, N) what the last of so many rollouts was drawn with."""
    rngs = fresh_state(config, torch.device("cpu")).rngs
    names = ["policy"] if workers == 1 else [f"policy.{rank}" for rank in range(workers)]
    size = (config.rollout_length, config.sim.agents // workers)
    for _ in range(rollouts):
        drawn = [[rngs[name].random(size[1], np.float32) for _ in range(size[0])] for name in names]
    return torch.from_numpy(np.concatenate(drawn, axis=1))


@pytest.mark.parametrize("kind", KINDS)
def test_each_agent_does_what_its_own_network_alone_would_do(run: RunDir, kind: str) -> None:
    config = tiny_config(*ALWAYS, *KINDS[kind])
    workers = config.sim.workers
    parts = start(run, config)
    for _ in range(2):
        parts.players.collect(100, nothing)
    parts.players.close()
    rollout = parts.players.rollout
    who = versions_of(line_ups(run, config, 2, workers)[1], 6)
    assert (len(who), who.count(0)) == (12, 6)
    assert rollout.old_share == 0.5
    # Whole columns, those and no others.
    mine = [agent for agent, steps in enumerate(who) if not steps]
    np.testing.assert_array_equal(rollout.valid, np.tile([not each for each in who], (40, 1)))
    uniforms = uniforms_of(config, workers, 2)
    for agent, steps in enumerate(who):
        if steps:
            actor, _ = load_version(version_path(run, steps))
            with torch.no_grad():
                log_probs = masked_log_probs(actor(rollout.obs[:, agent]), rollout.masks[:, agent])
            alone = sample(log_probs, uniforms[:, agent])
            torch.testing.assert_close(rollout.actions[:, agent], alone, rtol=0, atol=0)
    # Today's rows say what the update computes again.
    within = 1e-3 if kind == "workers that round" else 1e-5
    expected = log_probs_of(parts.state.model, rollout)[:, mine]
    torch.testing.assert_close(rollout.log_probs[:, mine], expected, rtol=0, atol=within)
    with torch.no_grad():
        values = parts.state.model.values(rollout.obs)[:, mine]
    torch.testing.assert_close(rollout.values[:, mine], values, rtol=0, atol=within)
    assert rollout.values.isfinite().all()
    assert rollout.next_values.isfinite().all()


def second_rollout(run: RunDir, *settings: str) -> tuple[RolloutTensors, type]:
    config = tiny_config(*BASE, "selfplay.chance=0.7", *settings)
    parts = start(run, config)
    for _ in range(2):
        parts.players.collect(100, nothing)
    parts.players.close()
    return parts.players.rollout, type(parts.players)


def test_whoever_decides_the_same_seed_is_the_same_rollout(run: RunDir) -> None:
    alone, one = second_rollout(run, *ONE)
    asking, central = second_rollout(run, *ONE, "sim.inference=central")
    assert (one, central) == (OneProcess, Central)
    several, workers = second_rollout(run, *TWO)
    asking_too, _ = second_rollout(run, *CENTRAL)
    assert workers is Workers
    for found, expected in ((asking, alone), (asking_too, several)):
        assert 0 < found.valid.float().mean() < 1
        for name in ("valid", "actions", "obs", "rewards", "terminated", "truncated"):
            torch.testing.assert_close(getattr(found, name), getattr(expected, name), msg=name)
        for name in ("log_probs", "values"):
            left, right = (getattr(each, name)[each.valid] for each in (found, expected))
            torch.testing.assert_close(left, right, rtol=0, atol=1e-5, msg=name)


def test_with_chance_0_versions_change_nothing_of_a_run(tmp_path: Path) -> None:
    found = [
        run_of(tmp_path / every, *ONE, f"versions.every_steps={every}", iterations=3)
        for every in ("64", "0")
    ]
    assert list_versions(RunDir(tmp_path / "64")) == [64, 128, 192]
    np.testing.assert_equal(*found)


def test_old_opponents_move_no_other_draw(run: RunDir) -> None:
    config = tiny_config(*ALWAYS, *ONE)
    never = tiny_config(*BASE, *ONE)
    states = []
    for each in (config, never):
        parts = start(run, each)
        parts.players.collect(100, nothing)
        states.append(parts.state.rngs["policy"].bit_generator.state)
    assert states[0] == states[1]


@pytest.mark.parametrize("overlap", ["false", "true"])
def test_a_resume_draws_as_the_run_would_have_gone_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, overlap: str
) -> None:
    monkeypatch.setattr("trainer.builder.count_workers", lambda config: 1)
    often = ("versions.every_steps=480", "selfplay.chance=0.5", "selfplay.groups=6")

    def shares(name: str, iterations: int) -> list[float]:
        settings = (*BASE, *often, f"ppo.overlap={overlap}")
        records = run_of(tmp_path / name, *settings, iterations=iterations)
        return [record["Collect/old_opponent_share"] for record in records]

    whole = shares("whole", 8)
    shares("cut", 3)
    assert shares("cut", 5) == whole
    # Before the first update there is no old version.
    assert whole[0] == 0
    assert len(set(whole)) > 2


@pytest.mark.parametrize("kind", [ONE, TWO, (*TWO, "ppo.overlap=true")])
def test_a_dropped_rollout_leaves_all_that_is_drawn_from_as_if_it_had_never_begun(
    tmp_path: Path, kind: tuple[str, ...]
) -> None:
    settings = (*ALWAYS, *kind, "versions.every_steps=480")
    ended, dropped = RunDir(tmp_path / "ended"), RunDir(tmp_path / "dropped")

    def insist() -> None:
        send(dropped, "quit")
        send(dropped, "quit")

    train_tiny(ended, *settings, iterations=2)
    train_tiny(dropped, *settings, say=at("iteration 2 ", insist))
    assert texts(dropped, "warning") == ["dropped the rollout that was being collected"]
    folders = [newest_valid(run) for run in (ended, dropped)]
    kept = [json.loads((folder / "state.json").read_text()) for folder in folders if folder]
    assert kept[0]["counters"]["iteration"] == kept[1]["counters"]["iteration"] == 2
    assert kept[0]["rng"] == kept[1]["rng"]


def test_a_version_damaged_between_two_rollouts_is_told_of_once_and_the_run_goes_on(
    tmp_path: Path,
) -> None:
    run = RunDir(tmp_path)

    def spoil() -> None:
        save_versions(run, tiny_config(*BASE), 478, 479)
        damage(run, 479)

    train_tiny(run, *ALWAYS, iterations=4, say=at("iteration 1", spoil))
    (told,) = texts(run, "warning")
    assert f"{version_path(run, 479)}: actor.safetensors is not what was saved" in told
    assert told.endswith("nobody plays against it")
    played = [each["Collect/old_opponent_share"] for each in jsonl.read_all(run.metrics)]
    assert played == [0, 0.5, 0.5, 0.5]


def test_versions_of_another_network_are_told_of_and_today_plays_itself(tmp_path: Path) -> None:
    run = RunDir(tmp_path)

    def put() -> None:
        save_versions(run, tiny_config(*BASE), 1, 2)

    train_tiny(run, *ALWAYS, "networks.actor=[8]", iterations=3, say=at("iteration 1", put))
    told = texts(run, "warning")
    assert len(told) == 2
    assert all("actor_layers is (8, 8) there and (8,) here" in each for each in told)


@pytest.mark.parametrize("kind", ["one process", "workers", "central"])
def test_the_chance_may_rise_from_0_while_the_run_trains(run: RunDir, kind: str) -> None:
    config = tiny_config(*BASE, *KINDS[kind])
    parts = start(run, config)
    found = []
    for chance in (0, 1, 0):
        parts.players.change(tiny_config(*BASE, *KINDS[kind], f"selfplay.chance={chance}"))
        parts.players.collect(100, nothing)
        found.append(parts.players.rollout.old_share)
    parts.players.close()
    assert found == [0, 0.5, 0]


def test_a_checkpoint_of_before_there_were_opponents_goes_on_as_it_would_have(
    tmp_path: Path,
) -> None:
    config = tiny_config(*BASE)
    state = fresh_state(config, torch.device("cpu"))
    state.rngs["update"].random(5)
    before = {name: rng for name, rng in state.rngs.items() if name != "opponents"}
    expected = {name: rng.bit_generator.state for name, rng in state.rngs.items()}
    state.rngs = before
    folder = save(RunDir(tmp_path), config, state)
    found = build(config, tmp_path, folder).state.rngs
    assert found["update"].bit_generator.state == expected["update"]
    assert found["opponents"].bit_generator.state == expected["opponents"]


def test_modes_may_be_mixed_in_a_group(run: RunDir) -> None:
    modes = ("sim.modes.1v1=1", "sim.modes.2v2=1", "sim.arenas=4", "selfplay.groups=1")
    config = tiny_config(*modes, "selfplay.chance=1", *TWO)
    mixed = RunDir(run.path / "mixed")
    save_versions(mixed, config, 1)
    parts = start(mixed, config)
    parts.players.collect(100, nothing)
    parts.players.close()
    # Each process has an arena of 1v1, agents 0-1, and one of 2v2, agents 2-5.
    teams = line_ups(mixed, config, 1, 2)[0]
    assert teams is not None
    blue, orange = ([1, 0, 1, 1, 0, 0], [0, 1, 0, 0, 1, 1])
    expected = [old for own in teams.teams for old in (blue if own == (0,) else orange)]
    np.testing.assert_array_equal(parts.players.rollout.valid[0], 1 - np.array(expected) > 0)


@pytest.mark.parametrize("kind", ["one process", "central"])
def test_uneven_teams_in_either_physics_are_driven_by_whom_the_rollout_says(
    tmp_path: Path, kind: str
) -> None:
    modes = ("sim.modes.1v1=0", "sim.modes.1v2=1", "sim.modes.2v2=1", "sim.arenas=4")
    coarse = ("sim.coarse_chance=0.5", "sim.coarse_until_steps=1000", "ppo.steps_per_iteration=400")
    play = ("selfplay.chance=0.6", "selfplay.groups=3")
    config, run = tiny_config(*modes, *coarse, *play, *KINDS[kind]), RunDir(tmp_path)
    save_versions(run, config, 1)
    parts, (old, _) = start(run, config), load_version(version_path(run, 1))
    rates, shares = set[float](), set[float]()
    for steps in range(100, 104):
        rates.add(measure(parts.players.collect(steps, nothing))["Collect/physics_hz"])
        rollout = parts.players.rollout
        with torch.no_grad():
            logits = old(rollout.obs.flatten(0, 1))
        masked = masked_log_probs(logits, rollout.masks.flatten(0, 1))
        by_old = chosen(masked, rollout.actions.flatten()).view(rollout.actions.shape)
        by_new = log_probs_of(parts.state.model, rollout)
        # Over a whole rollout nobody plays likelier for another than for itself.
        assert torch.equal((by_new - by_old).mean(0) > 0, rollout.valid[0])
        assert (rollout.valid == rollout.valid[0]).all()
        shares.add(rollout.old_share)
    parts.players.close()
    assert rates == {60, 120}
    assert len(shares) > 2


@pytest.mark.cuda
def test_on_a_gpu_old_versions_overrule_the_recorded_step(run: RunDir) -> None:
    config = tiny_config(*ALWAYS, *CENTRAL, "device=cuda")
    parts = start(run, config)
    for _ in range(2):
        parts.players.collect(100, nothing)
    parts.players.close()
    rollout = parts.players.rollout.to(torch.device("cpu"))
    who = versions_of(line_ups(run, config, 2, 2)[1], 6)
    uniforms = uniforms_of(config, 2, 2)
    np.testing.assert_array_equal(rollout.valid, np.tile([not each for each in who], (40, 1)))
    same = []
    for agent, steps in enumerate(who):
        if steps:
            actor, _ = load_version(version_path(run, steps))
            with torch.no_grad():
                log_probs = masked_log_probs(actor(rollout.obs[:, agent]), rollout.masks[:, agent])
            same.append(sample(log_probs, uniforms[:, agent]) == rollout.actions[:, agent])
    # The same uniform numbers draw the same actions, but where rounding decides.
    assert torch.stack(same).float().mean() > 0.99
