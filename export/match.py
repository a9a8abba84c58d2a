"""A match between two bundles: RocketSim underneath, RLBot v5's protocol on top.

Each car's bot runs as its own process, started through its bundle's bot.toml. Afterwards, what the
bots recorded is held against what the simulator was. Tested by `tests/export/test_match.py`.
"""

import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from rlbot import flat

from export.game import NEUTRAL, Game
from export.launch import END_S, BotConfig, BotProcess, LaunchError, read_bot_config
from export.manifest import BundleError, read_manifest
from export.packets import GameView, Player
from export.parity import Agreements, ParityError, compare, require_parity, simulated_obs
from export.server import HostError, Server
from rlbot_agent.contract import Contract
from rlbot_agent.decide import MatchError, require_size
from rlbot_agent.field import TICKS_PER_SECOND
from rlbot_agent.modes import teams_of
from rlbot_agent.observation import make_observation
from rlbot_agent.policy import require_fit
from rlbot_agent.reconstruction import RECONSTRUCTION
from rlbot_agent.record import Records, read_records
from trainer.meshes import find_meshes
from trainer.sim import Simulator

START_S: Final = 900.0
"""For all bots to get ready; the first start of a bundle installs its packages."""
REPLY_S: Final = 10.0
"""For an answer in lockstep."""
RECORD: Final = "RLPPO_RECORD"
"""Environment variable that makes the agent record its decisions."""


@dataclass(frozen=True)
class Side:
    """One team's bundle."""

    contract: Contract
    """Of its policy."""
    config: BotConfig
    """How its bots start."""


@dataclass(frozen=True)
class MatchReport:
    """What a match was like."""

    names: tuple[str, str]
    """Of the blue and the orange bot."""
    score: tuple[int, int]
    """Goals of blue and orange."""
    packets: int
    """Sent, to all bots."""
    reply_s: tuple[float, ...]
    """Seconds to each answer, of all bots."""
    decisions: int
    """Of all bots."""
    agreements: Agreements
    """Of the bots' observations with the simulator's."""
    wall_s: float
    """From the first packet to the last."""


def match_command(
    bundle_a: Path,
    bundle_b: Path,
    *,
    seconds: float = 60,
    realtime: bool = False,
    mode: str | None = None,
) -> int:
    """Play a match, print what it was like, and return the process's exit code.

    Args:
        bundle_a: Blue's bundle.
        bundle_b: Orange's bundle.
        seconds: Game time of kickoffs and play.
        realtime: Send packets at 120 Hz, whether or not they are answered, instead of waiting.
        mode: Such as "2v2"; the first that blue was trained in when absent.

    Raises:
        ContractError: When this version of the code has another observation or other actions.
        MeshError: When there are no meshes to play with.
    """
    # Ends the bots on its way out, as Ctrl-C does; by default nothing would.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        rng = np.random.default_rng()
        report = play((bundle_a, bundle_b), seconds, realtime, rng, mode=mode)
        for line in report_lines(report):
            print(line, flush=True)
        require_parity(report.agreements)
    except (BundleError, HostError, LaunchError, MatchError, ParityError) as error:
        print(f"verdict       failed: {error}")
        return 1
    print("verdict       good: the bots saw what the simulator shows in training")
    return 0


def play(
    bundles: tuple[Path, Path],
    seconds: float,
    realtime: bool,
    rng: np.random.Generator,
    start_s: float = START_S,
    mode: str | None = None,
) -> MatchReport:
    """Play a match to its end; no process is left behind, however it ends.

    Args:
        bundles: Blue's and orange's.
        seconds: Game time of kickoffs and play.
        realtime: Send at 120 Hz instead of waiting for all answers.
        rng: Draws kickoffs, respawns and player ids.
        start_s: Seconds in which all bots must get ready.
        mode: Such as "2v2"; the first that blue was trained in when absent.

    Raises:
        BundleError: When a bundle's manifest is missing or damaged.
        ContractError: When this version of the code has another observation or other actions.
        HostError: When a bot does not start, hangs up, or is not heard.
        LaunchError: When a bundle's bot.toml is missing or damaged.
        MatchError: When a bundle's policy cannot see all cars of the mode.
        MeshError: When there are no meshes to play with.
        ParityError: When a bot decided in a frame in which nobody plays, or never.
    """
    sides = _read_sides(bundles)
    teams = teams_of(mode or sides[0].contract.modes[0])
    for side in sides:
        require_size(side.contract, teams)
    players = make_players([sides[team].config for team in teams], teams, rng)
    sim = Simulator(1, teams, 1, 0, find_meshes(""), rng)
    game, view = Game(sim, seconds, rng), GameView(sim, players)
    configs = [sides[team].config for team in teams]
    with tempfile.TemporaryDirectory(prefix="rlppo-match-") as folder:
        records = [Path(folder) / f"{car}.records" for car in range(len(teams))]
        with closing(Server(players)) as server, _bots(configs, server.port, records) as bots:
            introduction = (view.match_configuration(), view.field_info())
            deadline = time.monotonic() + start_s
            server.admit(introduction, deadline, lambda: _require_alive(bots))
            started = time.monotonic()
            frames = _play_frames(game, view, server, realtime)
            wall_s = time.monotonic() - started
            server.close()
        found = [
            read_records(path, sides[team].contract.obs_width)
            for path, team in zip(records, teams, strict=True)
        ]
    return MatchReport(
        names=(sides[0].config.name, sides[1].config.name),
        score=(game.score[0], game.score[1]),
        packets=frames * len(players),
        reply_s=tuple(reply for client in server.clients for reply in client.reply_s),
        decisions=sum(map(len, found)),
        agreements=_compare(found, sides, teams, game),
        wall_s=wall_s,
    )


def make_players(
    configs: Sequence[BotConfig], teams: Sequence[int], rng: np.random.Generator
) -> list[Player]:
    """Who plays, as RLBotServer would name them: unique names, signed ids."""
    ids = (-(2**31) + rng.permutation(1_000_000)[: len(teams)]).tolist()
    names: list[str] = []
    for config in configs:
        count = sum(name.partition(" (")[0] == config.name for name in names)
        names.append(f"{config.name} ({count + 1})" if count else config.name)
    parts = zip(configs, teams, names, ids, strict=True)
    return [Player(name, team, number, config.agent_id) for config, team, name, number in parts]


def report_lines(report: MatchReport) -> Iterator[str]:
    """The report for a person, a line a finding."""
    blue, orange = report.names
    yield f"score         {blue} {report.score[0]} : {report.score[1]} {orange}"
    answered = f"{len(report.reply_s):,} of {report.packets:,} packets"
    p50, p99, slowest = np.percentile(report.reply_s or (0.0,), (50, 99, 100)) * 1e3
    yield f"answers       {answered}; p50 {p50:.2f} ms, p99 {p99:.2f} ms, slowest {slowest:.1f} ms"
    yield f"decisions     {report.decisions:,}, the match took {report.wall_s:.1f} s"
    inexact = [
        f"{field} differs in {found.share:.2%} of decisions ({RECONSTRUCTION[field].share:.2%} "
        f"admitted), by {found.largest:.3g} at most"
        for field, found in report.agreements.items()
        if found.wrong
    ]
    yield f"observation   {'; '.join(inexact) or 'equal to the simulator in every term'}"


def _read_sides(bundles: tuple[Path, Path]) -> tuple[Side, Side]:
    blue, orange = (Side(read_manifest(path).contract, read_bot_config(path)) for path in bundles)
    for side in (blue, orange):
        require_fit(side.contract, side.config.name)
    if blue.config.agent_id == orange.config.agent_id:
        # Bots of one agent id take cars in the order of their coming, across teams.
        other = replace(orange.config, agent_id=f"{orange.config.agent_id}/orange")
        orange = replace(orange, config=other)
    return blue, orange


@contextmanager
def _bots(
    configs: Sequence[BotConfig], port: int, records: Sequence[Path]
) -> Iterator[list[BotProcess]]:
    """Start a process for each car; they end with the block, by force after an error."""
    bots: list[BotProcess] = []
    patience_s = 0.0
    try:
        for config, record in zip(configs, records, strict=True):
            bots.append(BotProcess(config, port, record.with_suffix(".log"), {RECORD: str(record)}))
        yield bots
        patience_s = END_S
    finally:
        for bot in bots:
            bot.end(patience_s)


def _require_alive(bots: Sequence[BotProcess]) -> None:
    for bot in bots:
        if bot.exit_code is not None:
            raise HostError(f"a bot ended with code {bot.exit_code}, saying: {bot.last_words()}")


def _play_frames(game: Game, view: GameView, server: Server, realtime: bool) -> int:
    """Play to the end; returns the number of packets each bot was sent."""
    started, frames = time.monotonic(), 0
    while game.phase != flat.MatchPhase.Ended:
        frames += 1
        has_ball = game.phase != flat.MatchPhase.GoalScored
        due = started + frames / TICKS_PER_SECOND if realtime else time.monotonic() + REPLY_S
        server.exchange(view.packet(game.moment, has_ball), due, lockstep=not realtime)
        game.advance([NEUTRAL if row is None else row for row in server.rows])
    return frames


def _compare(
    records: Sequence[Records], sides: tuple[Side, Side], teams: tuple[int, ...], game: Game
) -> Agreements:
    agreements: Agreements = {}
    for rows, team in zip(records, teams, strict=True):
        if not len(rows):
            raise ParityError(f"a bot of {sides[team].config.name} recorded no decision")
        contract = sides[team].contract
        obs = make_observation(contract.obs_name, teams, contract.max_team_size)
        compare(agreements, obs.terms, simulated_obs(game.played, rows, teams, obs), rows)
    return agreements
