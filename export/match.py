"""A match between two bots: RocketSim underneath, RLBot v5's protocol on top.

A bot is a bundle, or the folder of anybody's RLBot v5 bot; its processes are started through its
bot.toml. Afterwards, what bundles' bots recorded is held against what the simulator was. Tested by
`tests/export/test_match.py` and `tests/export/test_other_bots.py`.
"""

import gc
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import numpy as np

from export.client import HostError
from export.game import Game
from export.hindsight import look_back, records_file
from export.launch import END_S, BotProcess
from export.match_report import MatchReport
from export.pace import Pace
from export.packets import GameView
from export.recording import Recording, recorded
from export.server import Server
from export.sides import Side, mode_for, read_sides, seat
from export.tally import result_of
from export.terms import Terms
from rlbot_agent.decide import require_size
from rlbot_agent.modes import teams_of
from trainer.free_sim import FreeSimulator
from trainer.meshes import find_meshes

START_S: Final = 900.0
"""For all bots to get ready; the first start of a bundle installs its packages."""
RECORD, INPUT_DELAY = "RLPPO_RECORD", "RLPPO_INPUT_DELAY"
"""Environment variables of the agent: a file for its decisions; the ticks from an answer to its
effect."""


def play(
    bots: tuple[Path, Path],
    terms: Terms,
    rng: np.random.Generator,
    *,
    start_s: float = START_S,
    record: Path | None = None,
) -> MatchReport:
    """Play a match to its end; no process is left behind, however it ends.

    Args:
        bots: Blue's and orange's folder.
        terms: What is played.
        rng: Draws all chance of the game, and player ids.
        start_s: Seconds in which all bots must get ready.
        record: Replay to write.

    Raises:
        BundleError: When a bundle's manifest is damaged.
        ContractError: When this version of the code has another observation or other actions.
        HostError: When a bot does not start, hangs up, is not heard, or says what it may not.
        LaunchError: When a bot.toml is missing or damaged.
        MatchError: When a bundle's policy cannot see all cars of the mode.
        MeshError: When there are no meshes to play with.
        OSError: When the replay cannot be written.
        ParityError: When a bundle's bot decided in a frame in which nobody plays, or never.
    """
    sides = read_sides(bots)
    mode = terms.mode or mode_for(sides)
    for side in sides:
        if side.contract is not None:
            require_size(side.contract, teams_of(mode))
    seats = seat(sides, teams_of(mode), terms.shuffled, rng)
    sim = FreeSimulator(1, seats.teams, 1, 0, find_meshes(""), rng)
    contracts = [side.contract for side in sides if side.contract is not None]
    game = Game(
        sim,
        terms.seconds,
        rng,
        input_delay=terms.input_delay,
        pauses=terms.pauses,
        tally_ticks=contracts[0].tick_skip if contracts else 8,
    )
    view, pace = GameView(sim, seats.players), Pace(terms.fps, terms.realtime, rng, time.monotonic)
    names = (sides[0].config.name, sides[1].config.name)
    steps = max((contract.steps for contract in contracts), default=0)
    with tempfile.TemporaryDirectory(prefix="rlppo-match-") as folder:
        with (
            closing(Server(seats.players)) as server,
            _processes(sides, seats.teams, server.port, Path(folder), terms) as processes,
        ):
            introduction = (view.match_configuration(seats.order), view.field_info())
            deadline = time.monotonic() + start_s
            server.admit(introduction, deadline, lambda: _require_alive(processes))
            started = time.monotonic()
            with recorded(record, sim, names, steps) as recording, _no_garbage_collection():
                _play_frames(game, view, server, pace, recording)
            wall_s = time.monotonic() - started
            server.close()  # so that the processes end
        hindsight = look_back(Path(folder), sides, seats.teams, game.played)
    return MatchReport(
        names=names,
        checkpoints=(sides[0].checkpoint, sides[1].checkpoint),
        terms=terms,
        result=result_of(game.tally, seats.teams, (game.score[0], game.score[1]), game.ticks),
        bots=tuple(client.answers for client in server.clients),
        hindsight=hindsight,
        wall_s=wall_s,
        stalls=pace.stalls,
    )


@contextmanager
def _processes(
    sides: tuple[Side, Side], teams: Sequence[int], port: int, folder: Path, terms: Terms
) -> Iterator[list[BotProcess]]:
    """Start a process for each car or hivemind; they end with the block, by force after an error.

    Bundles' bots record into `folder`.
    """
    bots: list[BotProcess] = []
    patience_s = 0.0
    try:
        for team, side in enumerate(sides):
            count = 1 if side.config.hivemind else teams.count(team)
            for number in range(count):
                record = records_file(folder, team, number)
                told = {RECORD: str(record), INPUT_DELAY: str(terms.input_delay)}
                extra = told if side.contract is not None else {}
                bots.append(BotProcess(side.config, port, record.with_suffix(".log"), extra))
        yield bots
        patience_s = END_S
    finally:
        for bot in bots:
            bot.end(patience_s)


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Nothing that is made in a frame refers to itself, and a collection takes several ticks."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _require_alive(bots: Sequence[BotProcess]) -> None:
    for bot in bots:
        if bot.exit_code is not None:
            raise HostError(f"a bot ended with code {bot.exit_code}, saying: {bot.last_words()}")


def _play_frames(
    game: Game, view: GameView, server: Server, pace: Pace, recording: Recording | None
) -> None:
    """Play to the end."""
    while not game.is_over:
        packet = view.packet(game.moment, game.has_ball)
        prediction = view.prediction(game.frame) if server.wants_predictions else None
        gap = pace.gap()
        server.exchange(packet, pace.due(gap), game.is_live, prediction)
        controls = server.controls
        for _ in range(gap):
            game.advance(controls)
            if recording is not None:
                recording.take(game)
            if game.is_over:
                break
