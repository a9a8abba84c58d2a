import json
import os

import pytest
from textual.message import Message

from tests.tui.conftest import record
from tests.tui.rated import SOME, play_ladder, rate
from trainer.run_dir import RunDir
from tui import rating_files
from tui.messages import RatingsRead
from tui.rating_files import RatingFiles, ladder_of, ratings_of


def look(files: RatingFiles, run: RunDir) -> RatingsRead:
    said: list[Message] = []
    files.look(run, said.append)
    (read,) = said
    assert isinstance(read, RatingsRead)
    return read


def test_a_run_without_files_has_nothing_and_nothing_is_damaged(run: RunDir) -> None:
    record(run)
    read = look(RatingFiles(), run)
    assert (read.ratings, read.ladder, list(read.damaged)) == (None, None, [])


def test_both_files_are_read_and_only_again_when_they_changed(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    rate(run, *SOME)
    play_ladder(run)
    files = RatingFiles()
    first = look(files, run)
    assert first.ratings is not None
    assert len(first.ratings.modes["1v1"]) == 6
    assert first.ladder is not None
    assert first.ladder.rounds[0].meetings[0].points.mean == 0.625
    again = look(files, run)
    assert again.ratings is first.ratings
    assert again.ladder is first.ladder
    rate(run, SOME[0])
    changed = look(files, run).ratings
    assert changed is not None
    assert len(changed.modes["1v1"]) == 3


@pytest.mark.parametrize("file", ["ratings", "ladder"])
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:40],
        lambda text: "[]",
        lambda text: "",
        lambda text: text.replace('"wins": 48', '"wins": "many"').replace('"a": 0', '"a": 9'),
        lambda text: text.replace('"name": "random"', '"name": [1]'),
        lambda text: text.replace('"steps": 5000000', '"steps": null').replace("0.8]", '"x"]'),
    ],
)
def test_what_cannot_be_drawn_is_damaged(run: RunDir, file: str, change: object) -> None:
    rate(run, *SOME)
    play_ladder(run)
    path = getattr(run, file)
    before = path.read_text()
    assert json.loads(before)
    after = change(before)  # type: ignore[operator]
    assert after != before
    path.write_text(after)
    read = look(RatingFiles(), run)
    assert list(read.damaged) == [path.name]
    assert getattr(read, file) is None
    assert (ratings_of(run) is None, ladder_of(run) is None) == (
        file == "ratings",
        file == "ladder",
    )


def test_a_folder_in_a_files_place_is_damage_and_no_error(run: RunDir) -> None:
    run.ratings.mkdir()
    os.utime(run.ratings)
    assert list(look(RatingFiles(), run).damaged) == ["ratings.json"]
    assert rating_files.ratings_of(run) is None
