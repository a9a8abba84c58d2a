from collections.abc import Callable

import pytest
from textual.color import Color

from tests.tui.colours import contrast
from tests.tui.conftest import NOW, record, shown, until
from tests.tui.test_theme import GROUNDS, WORDS, value
from trainer.config import RunConfig
from trainer.config_file import ConfigError
from trainer.run_dir import RunDir
from tui.app import Dashboard
from tui.known_keys import places
from tui.look import Look, look
from tui.pages import PAGES
from tui.screens.quit_dialog import QuitDialog
from tui.settings import Settings
from tui.theme import DARK, THEMES
from tui.watched import Watched

PLAIN = {"TERM": "xterm-256color"}


def dashboard(run: RunDir, chosen: Look) -> Dashboard:
    record(run)
    return Dashboard(Watched(run, RunConfig()), clock=lambda: NOW, look=chosen)


def lines(app: Dashboard) -> list[str]:
    return [strip.text for strip in app.screen._compositor.render_strips()]


def test_settings_decide_and_a_terminal_without_unicode_gets_ascii() -> None:
    assert look(Settings(), {}, PLAIN, "utf-8") == Look(DARK.name)
    assert look(Settings(theme="light"), {}, PLAIN, "utf-8").theme == "rlppo-light"
    assert look(Settings(), {}, {"TERM": "linux"}, "utf-8").ascii
    mine = Settings(keys={"quit": "f10"})
    assert look(mine, places(), PLAIN, "utf-8").keymap == {"quit": "f10"}


def test_no_color_asks_for_greys_unless_it_is_empty() -> None:
    assert look(Settings(theme="light"), {}, PLAIN | {"NO_COLOR": "1"}, None).theme == "rlppo-mono"
    assert look(Settings(theme="light"), {}, PLAIN | {"NO_COLOR": ""}, None).theme == "rlppo-light"


def test_keys_that_cannot_be_are_refused_with_the_files_name() -> None:
    env = PLAIN | {"RLPPO_TUI_CONFIG": "mine.toml"}
    with pytest.raises(ConfigError, match=r"mine\.toml: quit and save are both on s"):
        look(Settings(keys={"quit": "s"}), places(), env, "utf-8")


async def test_another_key_does_what_the_old_one_did_and_the_footer_shows_it(run: RunDir) -> None:
    app = dashboard(run, Look(keymap={"quit": "f10"}))
    async with app.run_test(size=(120, 30)) as pilot:
        await shown(pilot)
        await pilot.press("q")
        await pilot.pause()
        assert not isinstance(app.screen, QuitDialog)
        assert "f10 Quit" in lines(app)[-1]
        await pilot.press("f10")
        await until(pilot, lambda: isinstance(app.screen, QuitDialog), "it asks")


@pytest.mark.parametrize("theme", THEMES)
async def test_every_page_opens_in_every_theme(run: RunDir, theme: str) -> None:
    app = dashboard(run, Look(THEMES[theme].name))
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        ground = Color.parse(value(THEMES[theme], "background"))
        for page in PAGES:
            await pilot.press(page.key)
            await until(pilot, lambda page=page: app.current_mode == page.id, page.label)  # type: ignore[misc]
            assert app.screen.styles.background == ground
        assert app.theme_variables["team-blue"] == value(THEMES[theme], "team-blue")


@pytest.mark.parametrize("theme", ["light", "safe-dark", "safe-light", "mono"])
def test_the_first_page_in_colours(
    snap_compare: Callable[..., bool], run: RunDir, theme: str
) -> None:
    app = dashboard(run, Look(THEMES[theme].name))
    assert snap_compare(app, terminal_size=(80, 24), run_before=shown)


def test_the_first_page_in_ascii(snap_compare: Callable[..., bool], run: RunDir) -> None:
    assert snap_compare(dashboard(run, Look(ascii=True)), terminal_size=(140, 40), run_before=shown)


async def test_a_theme_of_textuals_own_has_the_teams_colours_too(run: RunDir) -> None:
    app = dashboard(run, Look())
    async with app.run_test() as pilot:
        app.theme = "nord"
        await pilot.pause()
        assert app.theme_variables["team-orange"] == "#f6a05c"


@pytest.mark.parametrize("size", [(120, 40), (60, 16)])
async def test_every_page_can_be_drawn_in_ascii(run: RunDir, size: tuple[int, int]) -> None:
    app = dashboard(run, Look(ascii=True))
    async with app.run_test(size=size) as pilot:
        await shown(pilot)
        for page in PAGES:
            await pilot.press(page.key)
            await until(pilot, lambda page=page: app.current_mode == page.id, page.label)  # type: ignore[misc]
            await pilot.pause()
            drawn = lines(app)
            assert all(line.isascii() and len(line) == size[0] for line in drawn)
            assert any("1v1" in line for line in drawn)


async def test_no_color_leaves_greys_that_can_be_read_on_every_page(
    run: RunDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = dashboard(run, Look())  # Textual's own answer, without our theme of greys
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(pilot)
        for page in PAGES:
            await pilot.press(page.key)
            await until(pilot, lambda page=page: app.current_mode == page.id, page.label)  # type: ignore[misc]
            await pilot.pause()
            strips = app.screen._compositor.render_strips()
            colours = {
                colour.get_truecolor()
                for strip in strips
                for part in strip
                if part.style
                for colour in (part.style.color, part.style.bgcolor)
                if colour and not colour.is_default
            }
            assert len(colours) > 2
            assert all(red == green == blue for red, green, blue in colours)


@pytest.mark.parametrize("name", THEMES)
def test_words_stay_readable_when_the_terminal_makes_greys_of_the_colours(name: str) -> None:
    def grey(word: str) -> str:
        return Color.parse(value(THEMES[name], word)).monochrome.hex

    for ground in GROUNDS:
        assert all(contrast(grey(word), grey(ground)) >= 4 for word in WORDS)
