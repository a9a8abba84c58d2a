import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from export.bundle import Extras, export_bundle
from export.selected import SelectionError, read_selected
from rlbot_agent.manifest import read_manifest
from tests.export.bundles import make_run
from trainer.checkpoint import read_contract
from trainer.checkpoint_folder import sha256
from trainer.evaluation.protocol import hash_of
from trainer.run_dir import RunDir


def player(run: RunDir, steps: int) -> dict[str, Any]:
    """A candidate as a report names it."""
    checkpoint = run.checkpoints / f"{steps:015d}"
    words = read_contract(checkpoint).to_json()
    return {
        "name": f"{steps:,}",
        "role": "candidate",
        "steps": steps,
        "weights_sha256": sha256(checkpoint / "actor.safetensors"),
        "contract_sha256": hashlib.sha256(words.encode()).hexdigest(),
    }


def write_report(path: Path, *players: dict[str, Any], **changes: object) -> Path:
    """A report that the first of `players` won."""
    report = {
        "binding": {"players": players},
        "binding_sha256": hash_of({"players": players}),
        "ranking": [each["name"] for each in players],
        "winner": players[0]["name"],
        "passed": True,
        "gate": [{"passed": True, "words": "0.9 points against random"}],
    }
    path.write_text(json.dumps(report | changes))
    return path


@pytest.fixture
def run(tmp_path: Path) -> RunDir:
    """Two checkpoints."""
    make_run(tmp_path / "run", steps=64)
    return make_run(tmp_path / "run", steps=128)


def test_the_selected_checkpoint_is_exported_and_bound_to_the_report(
    tmp_path: Path, run: RunDir
) -> None:
    report = write_report(tmp_path / "report.json", player(run, 64), player(run, 128))
    bundle = export_bundle(run, None, None, Extras(read_selected(report)))
    assert bundle == run.bundles / "64"
    chain = read_manifest(bundle).provenance
    assert chain.selection == hashlib.sha256(report.read_bytes()).hexdigest()


def test_another_checkpoint_than_the_selected_one_is_refused(tmp_path: Path, run: RunDir) -> None:
    report = write_report(tmp_path / "report.json", player(run, 64))
    with pytest.raises(
        SelectionError, match="is not what was selected: that is 64, after 64 steps"
    ):
        export_bundle(run, 128, None, Extras(read_selected(report)))
    assert not run.bundles.exists()


@pytest.mark.parametrize("name", ["weights_sha256", "contract_sha256"])
def test_other_weights_or_words_under_the_same_steps_are_refused(
    tmp_path: Path, run: RunDir, name: str
) -> None:
    report = write_report(tmp_path / "report.json", player(run, 64) | {name: "00" * 32})
    with pytest.raises(SelectionError, match="is not what was selected"):
        export_bundle(run, None, None, Extras(read_selected(report)))


def test_a_winner_that_failed_the_gate_is_refused_in_its_words(tmp_path: Path, run: RunDir) -> None:
    gate = [{"passed": True, "words": "good"}, {"passed": False, "words": "0.4 points against x"}]
    report = write_report(tmp_path / "report.json", player(run, 64), passed=False, gate=gate)
    with pytest.raises(
        SelectionError, match=r"64 won .* may not be shipped: 0\.4 points against x$"
    ):
        read_selected(report)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"winner": "a", "passed": true, "gate": []}'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "report.json").write_text(text)
    with pytest.raises(SelectionError, match=r"report\.json is no report of rlppo select"):
        read_selected(tmp_path / "report.json")
    with pytest.raises(SelectionError, match="cannot be read"):
        read_selected(tmp_path / "nowhere.json")


def test_an_opponent_of_the_winners_name_is_no_candidate(tmp_path: Path, run: RunDir) -> None:
    anchor = player(run, 64) | {"role": "anchor"}
    report = write_report(tmp_path / "report.json", anchor)
    with pytest.raises(SelectionError, match="is no report"):
        read_selected(report)


def test_a_report_that_was_edited_to_name_another_winner_is_refused(
    tmp_path: Path, run: RunDir
) -> None:
    players = player(run, 64), player(run, 128)
    report = write_report(tmp_path / "report.json", *players, winner="128")
    with pytest.raises(SelectionError, match=r"contradicts itself about: winner$"):
        read_selected(report)
    other = [players[0] | {"weights_sha256": "00" * 32}]
    report = write_report(tmp_path / "report.json", *players, binding={"players": other})
    with pytest.raises(SelectionError, match=r"contradicts itself about: binding$"):
        read_selected(report)


def test_a_gate_that_was_not_passed_is_not_passed_by_a_word(tmp_path: Path, run: RunDir) -> None:
    gate = [{"passed": True, "words": "good"}, {"passed": False, "words": "0.4 points against x"}]
    for changes in ({"gate": gate}, {"gate": []}, {"passed": "yes"}):
        report = write_report(tmp_path / "report.json", player(run, 64), **changes)
        with pytest.raises(SelectionError, match=r"contradicts itself about: gate$"):
            read_selected(report)
