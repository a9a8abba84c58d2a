"""What a teacher sees, beside what the agents see, on the real simulator."""

from pathlib import Path

import numpy as np
import pytest
import torch

from rlbot_agent.modes import teams_of
from rlbot_agent.observation import make_observation
from tests.trainer.tiny import tiny_config
from trainer.builder import build
from trainer.collector import Decision, Flags, Floats
from trainer.players import OneProcess
from trainer.policy import TorchPolicy
from trainer.second_look import SecondLook

RESETS = ("episodes.no_touch_s=0.2", "ppo.steps_per_iteration=200")
"""An episode is 3 decisions: a rollout is full of first states."""
MIX = (*RESETS, "sim.arenas=6", "sim.modes.1v1=1", "sim.modes.2v2=1", "sim.modes.1v2=1")


def nothing() -> None:
    pass


class Witness(TorchPolicy):
    """Copies the states that it decides by."""

    def look_at(self, players: OneProcess) -> None:
        self.parts = players.game.playing.parts
        self.states: list[list[np.ndarray]] = []

    def act(self, obs: Floats, masks: Flags, rng: np.random.Generator) -> Decision:
        self.states.append([part.simulator.state.raw.copy() for part in self.parts])
        return super().act(obs, masks, rng)


def witnessed(
    settings: tuple[str, ...], name: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[OneProcess, SecondLook, Witness]:
    """A rollout in this process, with another look at it, and the states that it went through."""
    made: list[Witness] = []

    def witness(*args: object) -> Witness:
        made.append(Witness(*args))  # type: ignore[arg-type]
        return made[-1]

    monkeypatch.setattr("trainer.players.TorchPolicy", witness)
    config = tiny_config(*settings)
    look = SecondLook(config, name, size)
    players = build(config, Path(), None, second=look).players
    assert isinstance(players, OneProcess)
    made[-1].look_at(players)
    players.collect(0, nothing)
    return players, look, made[-1]


def built(witness: Witness, name: str, size: int) -> np.ndarray:
    """(T, N, D) an observation of all states that were copied, built one by one."""
    rows = []
    for states in witness.states:
        row = []
        for part, raw in zip(witness.parts, states, strict=True):
            part.simulator.state.raw[:] = raw
            seen = make_observation(name, teams_of(part.mode), size).build(part.simulator.state)
            row.append(seen.reshape(part.num_agents, -1))
        rows.append(np.concatenate(row))
    return np.stack(rows)


def test_the_teacher_sees_the_very_states_that_the_student_decides_by_first_ones_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    players, look, witness = witnessed(MIX, "local", 3, monkeypatch)
    ends = players.arrays.terminated | players.arrays.truncated
    assert 0.2 < ends.mean() < 0.5
    np.testing.assert_array_equal(players.arrays.obs, built(witness, "default", 2))
    np.testing.assert_array_equal(look.seen, built(witness, "local", 3))
    assert look.seen.shape[2] > players.arrays.obs.shape[2]


def test_where_players_are_shuffled_the_teacher_still_sees_its_own_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = (*RESETS, "sim.modes.2v2=1", "sim.shuffle_players=true")
    players, look, witness = witnessed(settings, "default", 0, monkeypatch)
    ordered = built(witness, "default", 0)
    assert (players.arrays.obs != ordered).any()
    np.testing.assert_array_equal(look.seen, ordered)


@pytest.mark.parametrize(
    "settings",
    [
        (),
        ("sim.coarse_chance=0.9", "sim.coarse_until_steps=1000"),
        ("sim.workers=2",),
        ("sim.workers=2", "sim.inference=central"),
    ],
)
def test_whoever_plays_a_teacher_with_the_student_s_senses_sees_what_the_student_sees(
    settings: tuple[str, ...],
) -> None:
    config = tiny_config(*MIX, *settings)
    look = SecondLook(config, "default", 2)
    parts = build(config, Path(), None, second=look)
    for steps in (0, 200, 400):
        look.seen[:] = 77
        parts.players.collect(steps, nothing)
        torch.testing.assert_close(
            torch.from_numpy(look.seen), parts.players.rollout.obs, rtol=0, atol=0
        )
    parts.players.close()


def test_a_look_changes_nothing_about_the_game() -> None:
    config = tiny_config(*RESETS)
    found = []
    for look in (None, SecondLook(config, "local", 3)):
        players = build(config, Path(), None, second=look).players
        for _ in range(2):
            players.collect(0, nothing)
        found.append(players.rollout)
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_an_observation_without_places_for_a_team_is_refused() -> None:
    with pytest.raises(ValueError, match="1"):
        SecondLook(tiny_config("sim.modes.2v2=1"), "default", 1)
