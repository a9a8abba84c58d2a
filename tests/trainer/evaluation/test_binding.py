import hashlib
from pathlib import Path

from tests.trainer.evaluation.runs import make_run, short_terms
from trainer.checkpoint import load_actor
from trainer.checkpoint_folder import list_checkpoints, sha256
from trainer.evaluation.binding import bind
from trainer.evaluation.candidates import enter
from trainer.revision import source_revision


def test_a_selection_is_bound_to_terms_starts_weights_and_versions(tmp_path: Path) -> None:
    run = make_run(tmp_path, 10, 20)
    terms = short_terms()
    entrants = enter(run, terms, tmp_path)
    binding = bind(terms, ("1v1",), "starts", tmp_path, entrants)
    newest, oldest = list_checkpoints(run)
    hashes = [sha256(path / "actor.safetensors") for path in (oldest, newest)]
    assert [player.weights_sha256 for player in binding.players] == [*hashes, ""]
    contract = load_actor(oldest)[1].to_json().encode()
    assert binding.players[0].contract_sha256 == hashlib.sha256(contract).hexdigest()
    assert binding.starts_sha256 == hashlib.sha256(b"starts").hexdigest()
    assert binding.versions["rlppo"] == source_revision()
    assert set(binding.versions) == {"rlppo", "python", "numpy", "rocketsim", "torch"}


def test_whatever_changes_makes_another_selection(tmp_path: Path) -> None:
    run = make_run(tmp_path, 10, 20)
    terms = short_terms()
    entrants = enter(run, terms, tmp_path)
    other_arena = tmp_path / "meshes"
    (other_arena / "soccar").mkdir(parents=True)
    (other_arena / "soccar" / "mesh_0.cmf").write_bytes(b"another wall")
    longer = short_terms(games={"seconds": 3.0})
    found = {
        bind(terms, ("1v1",), "starts", tmp_path, entrants).sha256,
        bind(longer, ("1v1",), "starts", tmp_path, entrants).sha256,
        bind(terms, ("2v2",), "starts", tmp_path, entrants).sha256,
        bind(terms, ("1v1",), "others", tmp_path, entrants).sha256,
        bind(terms, ("1v1",), "starts", tmp_path, entrants[1:]).sha256,
        bind(terms, ("1v1",), "starts", other_arena, entrants).sha256,
    }
    assert len(found) == 6
    assert (
        bind(short_terms(), ("1v1",), "starts", tmp_path, enter(run, terms, tmp_path)).sha256
        in found
    )
