"""The bot in the game senses, decides and acts as the policy did in training.

Two simulators play the same game: the trainer's, a decision at a time, and one that is stepped tick
by tick and shown to bots as RLBot's packets, packed and unpacked. With more than two cars RocketSim
itself does not play two games alike, so there the second is what the policy's side looks at too.
Random possible actions drive both, so that the game goes everywhere: the bots are made to choose
them, and what their policy would have chosen is compared at every decision.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
import torch
from rlbot import flat

from export.onnx_graph import onnx_bytes
from export.packets import GameView, Moment, Player
from export.parity import Agreements, Simulated, compare, require_parity
from rlbot_agent.actions import ACTION_TABLE, action_masks
from rlbot_agent.bot import controls
from rlbot_agent.clock import segments
from rlbot_agent.decide import OnDecision, Pilot
from rlbot_agent.modes import mode_of
from rlbot_agent.observation import OBSERVATIONS, make_observation
from rlbot_agent.policy import OnnxPolicy
from rlbot_agent.reconstruction import EXACT_TOLERANCE, FIELDS, QUANTITIES
from rlbot_agent.record import Records, record_type
from rlbot_agent.state import CAR_FIELDS, Array, GameState
from tests.trainer.tiny import tiny_config
from trainer.checkpoint import contract_of
from trainer.meshes import find_meshes
from trainer.networks import MLP
from trainer.resets import Starts, kickoff_starts, random_starts
from trainer.sim import Simulator

TICK_SKIP = 8
DECISIONS = 40
"""Of an episode: 2.7 s."""
RAM_DECISIONS = 70
"""Of an episode that begins with a demolition, from which a car returns after 3 s."""
NEUTRAL, FULL_SPEED = 8, 18
"""Rows of the action table: no input; straight on with boost."""


class Decided(NamedTuple):
    """What the trainer's side thought of one decision."""

    frame: int
    obs: npt.NDArray[np.float32]
    masks: npt.NDArray[np.bool_]
    actions: list[int]
    gaps: list[float]


def test_a_fields_reconstruction_is_documented_for_every_field_of_the_state() -> None:
    assert set(FIELDS) == {
        *("ball_position", "ball_velocity", "ball_angular_velocity", "pad_timers", "controls"),
        *CAR_FIELDS,
    }


def test_a_quantity_is_documented_for_every_other_term_of_an_observation() -> None:
    shown = {
        term.field for name in OBSERVATIONS for term in make_observation(name, (0, 0, 1, 1)).terms
    }
    assert shown - set(FIELDS) == set(QUANTITIES)


@pytest.mark.parametrize(
    ("observation", "teams", "action_delay", "episodes"),
    [
        ("default", (0, 1), 1, 30),
        ("default", (0, 1), 0, 6),
        ("default", (1, 0, 0, 1), 7, 10),
        ("default", (1, 0, 1), 1, 6),
        ("local", (0, 1), 1, 30),
        ("local", (0, 1), 0, 6),
        ("local", (1, 0, 0, 1), 7, 10),
        ("local", (1, 0, 1), 1, 6),
        ("rlgymppo_default", (0, 1), 1, 10),
        ("rlgymppo_advanced", (0, 1), 1, 10),
    ],
)
def test_the_bot_sees_decides_and_acts_in_the_game_as_in_training(
    tmp_path: Path, observation: str, teams: tuple[int, ...], action_delay: int, episodes: int
) -> None:
    played = Match(tmp_path, observation, teams, action_delay).play(episodes)

    agreements: Agreements = {}
    compared = 0
    for car in range(len(teams)):
        records = np.array(played.records[car], record_type(played.obs.width))
        assert records["frame"].tolist() == [decided.frame for decided in played.decided]
        assert (records["car"] == car).all()
        assert (records["skipped"] == 0).all()
        simulated = np.array([decided.obs[car] for decided in played.decided])
        shown = Simulated(simulated, np.zeros(len(records), np.bool_))
        compare(agreements, played.obs.terms, shown, records)

        same_view = np.abs(simulated - records["obs"]).max(axis=1) <= EXACT_TOLERANCE
        clear = np.array([decided.gaps[car] for decided in played.decided]) > 1e-4
        theirs = np.array([decided.actions[car] for decided in played.decided])
        # Wheels on the ground, which not every observation shows, count for the masks too.
        masks = np.array([decided.masks[car] for decided in played.decided])
        same_masks = (np.array(played.policies[car].masks) == masks).all(axis=1)
        usable = same_view & same_masks & clear
        own_choice = np.array(played.policies[car].own_choices)
        np.testing.assert_array_equal(own_choice[usable], theirs[usable])
        compared += int(usable.sum())
        assert len(set(theirs.tolist())) > 5  # the policy reacts to what it sees

        expected = held_rows(records, played.frames, action_delay)
        assert played.rows[car] == expected
    require_parity(agreements)
    assert compared > 0.95 * len(teams) * len(played.decided)

    if episodes == 30:
        for team in (0, 1):
            seen = {name for name, where in played.situations if where == team}
            assert seen == {
                *("on a wall", "airborne", "on the ground", "demolished", "empty", "boosting"),
                *("flipping", "double jumped", "after a kickoff", "after a goal", "pads gone"),
                "back from a demolition",
            }


def held_rows(records: Records, frames: list[int], action_delay: int) -> list[int | None]:
    """What the trainer would hold in `frames` if it had decided as recorded: a slow replay."""
    before, after = segments(TICK_SKIP, action_delay)
    held: dict[int, int | None] = {}
    previous: int | None = None
    last_frame = None
    for record in records:
        frame, action = int(record["frame"]), int(record["action"])
        if last_frame is None or frame != last_frame + TICK_SKIP:
            previous = None  # an episode starts with neutral controls
        for tick in range(before):
            held[frame + tick] = previous
        for tick in range(after):
            held[frame + before + tick] = action
        previous, last_frame = action, frame
    return [held.get(frame) for frame in frames]


class Led:
    """A policy that is asked, and then made to choose something else."""

    def __init__(self, policy: OnnxPolicy) -> None:
        self.contract = policy.contract
        self.own_choices: list[int] = []
        self.masks: list[npt.NDArray[np.bool_]] = []
        self.next_choice = NEUTRAL
        self._policy = policy

    def act(self, obs: Array, masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
        self.masks.append(masks[0])
        self.own_choices += self._policy.act(obs, masks).tolist()
        return np.array([self.next_choice])


class Match:
    """A game in both simulators, and a bot for every car."""

    def __init__(
        self, folder: Path, observation: str, teams: tuple[int, ...], action_delay: int
    ) -> None:
        self.teams = teams
        self.decided: list[Decided] = []
        self.frames: list[int] = []
        self.records: list[list[tuple[object, ...]]] = [[] for _ in teams]
        self.rows: list[list[int | None]] = [[] for _ in teams]
        self.situations: Counter[tuple[str, int]] = Counter()
        self._rng = np.random.default_rng(3)
        config = tiny_config(
            f"sim.modes.{mode_of(teams)}=1",
            f"sim.action_delay={action_delay}",
            f"sim.observation={observation}",
            "networks.actor=[32, 32]",
        )
        contract = contract_of(config, 0)
        self.obs = make_observation(observation, teams, contract.max_team_size)
        torch.manual_seed(1)
        self._actor = MLP(self.obs.width, (32, 32), len(ACTION_TABLE), "none", "relu")
        with torch.no_grad():
            self._actor.layers[0].weight *= 4  # reacts to small numbers too
        meshes = find_meshes("")
        self._trainer, self._game = (
            Simulator(1, teams, skip, delay, meshes, np.random.default_rng(4))
            for skip, delay in ((TICK_SKIP, action_delay), (1, 0))
        )
        if len(teams) > 2:
            self._trainer = self._game
        players = [Player(f"bot {car}", team, car - 7, "a") for car, team in enumerate(teams)]
        self._view = GameView(self._game, players)
        (folder / "policy.onnx").write_bytes(onnx_bytes(self._actor, contract))
        policy = OnnxPolicy(folder / "policy.onnx")
        self.policies = [Led(policy) for _ in teams]
        pads = flat.FieldInfo.unpack(self._view.field_info().pack()).boost_pads
        self._pilots = [
            Pilot(led, pads, recorder(rows))
            for led, rows in zip(self.policies, self.records, strict=True)
        ]
        self._before, self._after = segments(TICK_SKIP, action_delay)
        self._was_demolished = [False] * len(teams)
        self._frame = 70_000

    def play(self, episodes: int) -> "Match":
        goal = False
        for episode in range(episodes):
            goal = self._play_episode(episode, goal)
        return self

    def _play_episode(self, episode: int, after_goal: bool) -> bool:
        starts = self._starts(episode)
        for sim in (self._trainer, self._game):
            sim.reset(np.array([0]), starts)
        for _ in range(3):
            assert self._show(flat.MatchPhase.Countdown) == [None] * len(self.teams)
        phase = flat.MatchPhase.Kickoff
        held = [NEUTRAL] * len(self.teams)
        for decision in range(RAM_DECISIONS if kind(episode) == "ram" else DECISIONS):
            # The host's simulator is the trainer's, tick by tick.
            np.testing.assert_array_equal(self._game.state.raw, self._trainer.state.raw)
            self._note_situations(decision, episode, after_goal)
            self._decide()
            actions = self._draw_actions(episode, decision)
            for policy, action in zip(self.policies, actions, strict=True):
                policy.next_choice = action
            for rows, ticks in ((held, self._before), (actions, self._after)):
                for _ in range(ticks):
                    answers = [NEUTRAL if row is None else row for row in self._answer(phase)]
                    assert answers == rows
                    self._game.step(np.array([rows]))
            held = actions
            if self._trainer is not self._game:
                self._trainer.step(np.array([actions]))
            self._check_controls(actions)
            if self._trainer.events.touched.any():
                phase = flat.MatchPhase.Active
            if self._trainer.events.goal[0]:
                for _ in range(3):
                    assert self._show(flat.MatchPhase.GoalScored) == [None] * len(self.teams)
                return True
        return False

    def _decide(self) -> None:
        """What the trainer's policy would choose now."""
        state = self._trainer.state
        obs = self.obs.build(state)[0]
        with torch.inference_mode():
            logits = self._actor(torch.from_numpy(obs)).numpy()
        masks = action_masks(state)[0]
        possible = np.where(masks, logits, -np.inf)
        best = np.sort(possible, axis=1)[:, -2:]
        self.decided.append(
            Decided(
                self._frame,
                obs,
                masks,
                possible.argmax(axis=1).tolist(),
                (best[:, 1] - best[:, 0]).tolist(),
            )
        )

    def _answer(self, phase: flat.MatchPhase) -> list[int | None]:
        self.frames.append(self._frame)
        answers = self._show(phase)
        for rows, row in zip(self.rows, answers, strict=True):
            rows.append(row)
        return answers

    def _show(self, phase: flat.MatchPhase) -> list[int | None]:
        """Send a packet of this frame to every bot; their answers."""
        has_ball = phase != flat.MatchPhase.GoalScored
        packet = self._view.packet(Moment(self._frame, phase, (0, 0), 300.0), has_ball)
        received = flat.GamePacket.unpack(packet.pack())
        self._frame += 1
        return [pilot.respond(received, car) for car, pilot in enumerate(self._pilots)]

    def _draw_actions(self, episode: int, decision: int) -> list[int]:
        if kind(episode) == "ram" and decision < 12:
            return [FULL_SPEED if car == episode % 2 else NEUTRAL for car in range(len(self.teams))]
        masks = action_masks(self._trainer.state)[0]
        return [int(self._rng.choice(np.flatnonzero(mask))) for mask in masks]

    def _check_controls(self, actions: list[int]) -> None:
        """The bot's controls of a row are what the simulator applied for it."""
        for car, action in zip(self._trainer.cars[0], actions, strict=True):
            applied, sent = car.get_state(), controls(action)
            if not applied.is_demoed:
                for name in ("throttle", "steer", "pitch", "yaw", "roll"):
                    assert getattr(applied.last_controls, name) == getattr(sent, name)
                for name in ("jump", "boost", "handbrake"):
                    assert getattr(applied.last_controls, name) is getattr(sent, name)

    def _starts(self, episode: int) -> Starts:
        rng = self._rng
        if kind(episode) == "kickoff":
            return kickoff_starts(1, self.teams, rng)
        starts = random_starts(1, self.teams, 0.4, rng)
        starts.car_boost[0] = rng.choice([0, 5, 100], len(self.teams))
        if kind(episode) == "ram":
            _ram(starts, rammer=episode % 2)
        elif kind(episode) == "wall":
            for car in range(len(self.teams)):
                _put_on_wall(starts, car)
        elif kind(episode) == "shot":
            starts.ball_position[0] = (0, 4500, 300)
            starts.ball_velocity[0] = (0, 2500, 0)
        return starts

    def _note_situations(self, decision: int, episode: int, after_goal: bool) -> None:
        for car, team in enumerate(self.teams):
            for name in _situations(self._trainer.state, car):
                self.situations[name, team] += 1
            demolished = bool(self._trainer.state.demo_timer[0, car] > 0)
            if decision and self._was_demolished[car] and not demolished:
                self.situations["back from a demolition", team] += 1
            self._was_demolished[car] = demolished
            if kind(episode) == "kickoff" and decision:
                self.situations["after a kickoff", team] += 1
            if after_goal and decision:
                self.situations["after a goal", team] += 1


def recorder(rows: list[tuple[object, ...]]) -> OnDecision:
    """Keeps copies of what a bot tells of its decisions."""
    return lambda *row: rows.append((*row[:-1], row[-1].copy()))


def kind(episode: int) -> str:
    """What sort of start an episode has."""
    return ("kickoff", "random", "ram", "wall", "shot")[episode % 5]


def _situations(state: GameState, car: int) -> Iterator[str]:
    on_ground = state.on_ground[0, car] > 0
    alive = state.demo_timer[0, car] == 0
    found = {
        "on a wall": on_ground and abs(state.up[0, car, 2]) < 0.3,
        "on the ground": on_ground and state.up[0, car, 2] > 0.9,
        "airborne": alive and not on_ground,
        "demolished": not alive,
        "empty": state.boost[0, car] == 0,
        "boosting": state.is_boosting[0, car] > 0,
        "flipping": state.is_flipping[0, car] > 0,
        "double jumped": state.has_double_jumped[0, car] > 0,
        "pads gone": state.pad_timers[0].any(),
    }
    return (name for name, is_so in found.items() if is_so)


def _ram(starts: Starts, rammer: int) -> None:
    """One of the first two cars drives into the side of the other, on an empty field."""
    starts.ball_position[0] = (3000, 4000, 93.15)
    starts.ball_velocity[0] = 0
    for car in range(starts.car_position.shape[1]):
        starts.car_position[0, car] = (-3000, 700 * car - 3000, 17)
        starts.car_rotation[0, car] = (0, np.pi / 2, 0)
        starts.car_velocity[0, car] = starts.car_angular_velocity[0, car] = 0
    starts.car_position[0, rammer] = (0, 0, 17)
    starts.car_rotation[0, rammer] = 0
    starts.car_velocity[0, rammer] = (2300, 0, 0)
    starts.car_boost[0, rammer] = 100
    starts.car_position[0, 1 - rammer] = (1500, 0, 17)


def _put_on_wall(starts: Starts, car: int) -> None:
    """Wheels on the wall at x = 4096, driving up along it."""
    starts.car_position[0, car] = (4096 - 17, 900 * car - 900, 600)
    starts.car_rotation[0, car] = (0, np.pi / 2, np.pi / 2)
    starts.car_velocity[0, car] = (0, 900, 0)
    starts.car_angular_velocity[0, car] = 0
