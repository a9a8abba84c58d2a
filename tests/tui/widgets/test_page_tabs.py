from tui.pages import Page
from tui.widgets.page_tabs import tabs

PAGES = (Page("one", "1", "One", "The first."), Page("two", "2", "Two", "The second."))


def test_every_page_stands_in_one_line_with_its_key() -> None:
    assert tabs(PAGES, "one", 80).plain == "1 One  2 Two"


def test_pages_stand_closer_before_their_words_are_left_out() -> None:
    # "1 One" and "2 Two" are 10 columns.
    assert tabs(PAGES, "one", 12).plain == "1 One  2 Two"
    assert tabs(PAGES, "one", 11).plain == "1 One 2 Two"


def test_where_words_do_not_fit_only_the_shown_page_keeps_its_own() -> None:
    assert tabs(PAGES, "two", 10).plain == "1 2 Two"


def test_a_click_shows_the_page() -> None:
    spans = tabs(PAGES, "one", 80).spans
    actions = [(span.start, span.end) for span in spans if "app.page('two')" in str(span.style)]
    assert actions == [(7, 12)]
