import hashlib
import os
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from rlbot_agent.actions import ACTION_TABLE
from tests.trainer.anchors.nexto_oracle import slow_inputs
from tests.trainer.anchors.stub import (
    MATRIX,
    LogitsAlone,
    NotFinite,
    Stub,
    TakesATensor,
    write_stub,
)
from tests.trainer.anchors.test_nexto_senses import random_state
from tests.trainer.evaluation.players import CONTRACT, RANDOM, all_allowed, table_of
from tests.trainer.evaluation.runs import make_run
from trainer.anchors.nexto import load_nexto
from trainer.anchors.nexto_senses import NextoSenses
from trainer.evaluation.contestants import (
    Contestant,
    EvaluationError,
    RandomChooser,
    load_contestant,
    senses_of,
    word_from,
)
from trainer.evaluation.engine import Game, play, shared_ticks
from trainer.evaluation.standings import habits_of, record_of
from trainer.evaluation.versus import Terms, evaluate, play_all

REAL = os.environ.get("RLPPO_NEXTO", "")


def test_it_takes_the_likeliest_of_all_actions_whatever_is_masked(tmp_path: Path) -> None:
    nexto = load_nexto(write_stub(tmp_path / "n.pt"), "nexto", sampled=False)
    for mode in ("1v1", "3v3"):
        state = random_state(mode, 6, 2)
        flat = NextoSenses().build(state).reshape(6 * state.num_cars, -1)
        chosen = nexto.chooser.choose(flat, ~all_allowed(len(flat)), np.zeros(len(flat)))
        for row, action in enumerate(chosen):
            query, entities, _ = slow_inputs(state, *divmod(row, state.num_cars))
            seen = torch.tensor([*query, *np.sum(entities, 0)], dtype=torch.float64)
            logits = seen @ MATRIX
            assert logits[action] >= logits.max() - 1e-4
        assert nexto.chooser.choose(flat[3:4], all_allowed(1), np.zeros(1)) == chosen[3]


def test_it_draws_as_often_as_the_network_says(tmp_path: Path) -> None:
    path = write_stub(tmp_path / "n.pt")
    nexto = load_nexto(path, "nexto", sampled=True)
    flat = NextoSenses().build(random_state("1v1", 1, 2))[0, :1]
    many = np.repeat(flat, 20_000, 0)
    uniforms = (np.arange(20_000) + 0.5) / 20_000
    chosen = nexto.chooser.choose(many, all_allowed(20_000), uniforms)
    query, entities, _ = slow_inputs(random_state("1v1", 1, 2), 0, 0)
    logits = torch.tensor([*query, *np.sum(entities, 0)], dtype=torch.float64) @ MATRIX
    shares = np.bincount(chosen, minlength=90) / 20_000
    np.testing.assert_allclose(shares, logits.softmax(-1), atol=2e-4)


def test_it_is_known_by_the_hash_of_its_file_and_plays_every_eight_ticks(tmp_path: Path) -> None:
    path = write_stub(tmp_path / "my nexto.pt", LogitsAlone())
    found = load_contestant(f"nexto:{path}", "the best", sampled=False)
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (found.name, found.contract, found.tick_skip) == ("the best", None, 8)
    assert shared_ticks([RANDOM, found]) == (8, 1)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, r"n\.pt cannot be read \(No such file or directory\): nexto-model\.pt is in RLBot"),
        (b"", r"n\.pt is no TorchScript that this PyTorch can open"),
        (b"PK\x03\x04 but no more", r"n\.pt is no TorchScript that this PyTorch can open"),
    ],
)
def test_a_file_that_is_missing_or_something_else_is_told_in_a_sentence(
    tmp_path: Path, content: bytes | None, sentence: str
) -> None:
    path = tmp_path / "n.pt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EvaluationError, match=sentence):
        load_nexto(path, "nexto", sampled=False)


def test_a_file_that_was_cut_off_or_pickled_is_no_torchscript(tmp_path: Path) -> None:
    path = write_stub(tmp_path / "n.pt")
    whole = path.read_bytes()
    for kept in range(0, len(whole), len(whole) // 50):
        path.write_bytes(whole[:kept])
        with pytest.raises(EvaluationError, match="no TorchScript"):
            load_nexto(path, "nexto", sampled=False)
    torch.save({"weights": MATRIX}, path)
    with pytest.raises(EvaluationError, match="no TorchScript"):
        load_nexto(path, "nexto", sampled=False)


def test_a_network_of_another_signature_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    path = write_stub(tmp_path / "n.pt", TakesATensor())
    with pytest.raises(EvaluationError, match=r"n\.pt does not take Nexto's query, entities and"):
        load_nexto(path, "nexto", sampled=False)
    write_stub(path, Stub(logits=8))
    with pytest.raises(EvaluationError, match=r"say 90 logits .* 3 rows gave \(3, 8\)"):
        load_nexto(path, "nexto", sampled=False)


def test_numbers_that_are_not_finite_are_told_when_they_come(tmp_path: Path) -> None:
    nexto = load_nexto(write_stub(tmp_path / "n.pt", NotFinite()), "nexto", sampled=False)
    flat = NextoSenses().build(random_state("1v1", 1, 2))[0]
    with pytest.raises(EvaluationError, match="the network of nexto says a number that is not fin"):
        nexto.chooser.choose(flat, all_allowed(2), np.zeros(2))


def test_modes_and_clocks_that_it_was_not_trained_for_are_refused(tmp_path: Path) -> None:
    nexto = load_nexto(write_stub(tmp_path / "n.pt"), "nexto", sampled=False)
    assert senses_of(nexto, "1v3") is not None
    with pytest.raises(EvaluationError, match=r"nexto cannot play 4v4: .* at most 3 cars a team"):
        senses_of(nexto, "4v4")
    slow = Contestant("slow", "", replace(CONTRACT, tick_skip=4), RandomChooser())
    with pytest.raises(EvaluationError, match="slow decides every 4 ticks, nexto every 8: they"):
        shared_ticks([nexto, RANDOM, slow])
    odd = Contestant("odd", "", None, RandomChooser(), tick_skip=6)
    assert shared_ticks([odd, RANDOM]) == (6, 1)
    with pytest.raises(EvaluationError, match="odd decides every 6 ticks, nexto every 8"):
        shared_ticks([odd, nexto])


def test_words_name_a_file_beside_the_protocol(tmp_path: Path) -> None:
    found = [word_from(tmp_path, word) for word in ("random", "chaser", "nexto:n.pt", "run")]
    assert found == ["random", "chaser", f"nexto:{tmp_path / 'n.pt'}", str(tmp_path / "run")]
    with pytest.raises(EvaluationError, match='say "nexto:PATH" with your nexto-model'):
        load_contestant("nexto", "nexto", sampled=False)


def test_it_plays_others_in_any_mode_and_its_hash_is_told(tmp_path: Path) -> None:
    path = write_stub(tmp_path / "n.pt")
    run = make_run(tmp_path / "run", 10)
    word = f"nexto:{path}"
    terms = Terms(games=4, seconds=1)
    lines = list(evaluate(word, str(run.path), terms, tmp_path / "found.json"))
    assert lines[0].startswith("4 games of 1v1")
    assert hashlib.sha256(path.read_bytes()).hexdigest() in (tmp_path / "found.json").read_text()
    nexto = load_nexto(path, "nexto", sampled=False)
    for mode in ("2v2", "3v1"):
        assert len(play([Game(0, 1, 0, (0,), 5)] * 2, table_of(mode), [nexto, RANDOM])) == 2


@pytest.mark.skipif(not REAL, reason="RLPPO_NEXTO does not say where nexto-model.pt is")
def test_the_real_one_has_our_action_table_and_beats_the_chaser() -> None:
    nexto = load_nexto(Path(REAL), "nexto", sampled=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        network = torch.jit.load(REAL)  # type: ignore[no-untyped-call]
    constants = network.net.output.code_with_constants[1].const_mapping
    assert np.array_equal(constants["c0"].numpy(), ACTION_TABLE)
    chaser = load_contestant("chaser", "chaser", sampled=False)
    played = play_all([nexto, chaser], "1v1", Terms(games=16, seconds=60))
    assert record_of(played, 0, 1).points.mean > 0.8
    assert habits_of(played, 0, 8).values["touches"] > 10
