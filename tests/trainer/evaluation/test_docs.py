from pathlib import Path

from trainer.evaluation.protocol import SelectionProtocol
from trainer.evaluation.tables import HABITS

PAGE = (Path(__file__).parents[3] / "docs" / "select.md").read_text("utf-8")


def test_the_page_says_what_every_number_of_the_table_is() -> None:
    assert [words for words, _ in HABITS.values() if f"| {words} |" not in PAGE] == []


def test_the_page_tells_the_default_terms() -> None:
    terms = SelectionProtocol()
    assert f"the {terms.candidates.newest} newest whole" in PAGE
    starts, games = terms.starts, terms.games
    assert f"{starts.kickoffs} kickoffs and {starts.random} random states" in PAGE
    assert f"{2 * (starts.kickoffs + starts.random)} games of {games.seconds:g} s" in PAGE
    assert f"or {games.no_touch_s:g} s without a touch" in PAGE
    assert f"at least {0.5 + terms.gate.random_margin:g} points a game" in PAGE
