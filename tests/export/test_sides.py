from pathlib import Path

import numpy as np
import pytest

from export.launch import BotConfig
from export.manifest import BundleError
from export.sides import Side, make_players, mode_for, read_sides, seat
from tests.export.bundles import make_bundle

BOT = '[settings]\nagent_id = "x/y"\nname = "Y"\nrun_command = "y"\nhivemind = true\n'


def other(name: str) -> Side:
    return Side(None, BotConfig("id", name, Path(), ""))


def test_players_have_unique_names_and_negative_ids() -> None:
    sides = (other("Bot"), other("Other"))
    players = make_players(sides, (0, 0, 1), np.random.default_rng(0))
    assert [player.name for player in players] == ["Bot", "Bot (2)", "Other"]
    assert [player.team for player in players] == [0, 0, 1]
    assert all(-(2**31) <= player.player_id < 0 for player in players)
    assert len({player.player_id for player in players}) == 3


def test_cars_stand_by_team_unless_they_are_shuffled() -> None:
    sides, rng = (other("Bot"), other("Other")), np.random.default_rng(0)
    plain = seat(sides, (0, 0, 1, 1), False, rng)
    assert (plain.teams, plain.order) == ((0, 0, 1, 1), [0, 1, 2, 3])
    found = [seat(sides, (0, 0, 1, 1), True, rng) for _ in range(30)]
    assert len({seats.teams for seats in found}) > 1
    assert all(sorted(seats.order) == [0, 1, 2, 3] != seats.order for seats in found)
    for seats in found:
        assert tuple(player.team for player in seats.players) == seats.teams
        assert {player.name[:3] for player in seats.players if player.team} == {"Oth"}


def test_a_bundle_is_told_from_another_bot_by_its_manifest(tmp_path: Path) -> None:
    bundle, folder = make_bundle(tmp_path, "sim.modes.2v2=1"), tmp_path / "theirs"
    folder.mkdir()
    (folder / "bot.toml").write_text(BOT)
    sides = read_sides((folder, bundle))
    assert (sides[0].contract, sides[0].checkpoint, sides[0].config.hivemind) == (None, "", True)
    assert sides[1].contract is not None
    assert sides[1].checkpoint == sides[1].contract.checkpoint_hash
    assert (mode_for(sides), mode_for(sides[:1])) == ("2v2", "1v1")
    players = make_players(sides, (0, 1), np.random.default_rng(0))
    assert [(player.is_ours, player.hivemind) for player in players] == [
        (False, True),
        (True, False),
    ]


def test_two_sides_of_one_agent_id_get_one_each(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(BOT)
    blue, orange = read_sides((tmp_path, tmp_path / "bot.toml"))
    assert (blue.config.agent_id, orange.config.agent_id) == ("x/y", "x/y/orange")


def test_a_damaged_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text(BOT)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(BundleError):
        read_sides((tmp_path, tmp_path))


def test_names_in_brackets_are_unique_too() -> None:
    sides = (other("Bot (old)"), other("Bot"))
    players = make_players(sides, (0, 0, 1, 1), np.random.default_rng(0))
    names = [player.name for player in players]
    assert names == ["Bot (old)", "Bot (old) (2)", "Bot", "Bot (2)"]
    sides = (other("Bot"), other("Bot (2)"))
    players = make_players(sides, (0, 0, 1), np.random.default_rng(0))
    assert len({player.name for player in players}) == 3
