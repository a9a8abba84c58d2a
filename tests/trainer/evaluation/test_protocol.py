from pathlib import Path

import pytest

from trainer.config_file import ConfigError
from trainer.evaluation.protocol import (
    SelectionProtocol,
    hash_of,
    load_protocol,
    protocol_hash,
    protocol_text,
)


def written(folder: Path, text: str) -> Path:
    path = folder / "terms.toml"
    path.write_text(text)
    return path


def test_the_written_default_protocol_is_the_default_one_each_key_under_its_words(
    tmp_path: Path,
) -> None:
    text = protocol_text(SelectionProtocol())
    assert load_protocol(written(tmp_path, text)) == SelectionProtocol() == load_protocol(None)
    assert "# Length of a game in game time" in text
    assert text.count("\n# ") >= 20
    assert "#  " not in text  # every explanation is one line


def test_a_file_says_only_what_it_changes(tmp_path: Path) -> None:
    terms = load_protocol(written(tmp_path, '[games]\nseconds = 5\nmodes = ["1v1", "2v2"]\n'))
    assert (terms.games.seconds, terms.games.modes) == (5, ("1v1", "2v2"))
    assert terms.gate == SelectionProtocol().gate


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[games]\nsecond = 5", "unknown key games.second; nearest: games.seconds"),
        ("[gate]\nrandom_margin = 0.5", "gate.random_margin = 0.5 should be less than 0.5"),
        ('[games]\nmodes = ["5v5"]', "games.modes.0 = '5v5' should be '1v1', '1v2'"),
        ('[ranking]\norder = ["goals"]', "'earliest'"),
        ("[candidates]\nnewest = 0\npinned = false", "nobody plays"),
        ("[starts]\nkickoffs = 0\nrandom = 0", "no game can begin"),
        ('[opponents]\nanchors = ["mine"]', 'opponents.anchors lacks "random"'),
        ("[games", "cannot be read as TOML"),
    ],
)
def test_what_cannot_be_is_refused_with_file_and_place(
    tmp_path: Path, text: str, sentence: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as refusal:
        load_protocol(path)
    assert str(refusal.value).startswith(str(path))
    assert sentence in str(refusal.value)


def test_the_hash_is_of_the_terms_and_not_of_how_they_are_written(tmp_path: Path) -> None:
    default = protocol_hash(SelectionProtocol())
    spelt = load_protocol(written(tmp_path, "# mine\n[games]\nseconds = 60\n"))
    assert protocol_hash(spelt) == default
    other = load_protocol(written(tmp_path, "[games]\nseconds = 61\n"))
    assert protocol_hash(other) != default


def test_the_canonical_form_is_sorted_json_without_blanks() -> None:
    # sha256 of {"a":"ü","b":[1,2.5]}, by sha256sum
    assert hash_of({"b": (1, 2.5), "a": "ü"}) == hash_of({"a": "ü", "b": [1, 2.5]})
    assert hash_of({"a": "ü", "b": [1, 2.5]}) == (
        "75151e181452ee19f62c437a12e96bbbe4453c199f041abfe6b18ab3cb8f3c4f"
    )
