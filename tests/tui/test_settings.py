import tomllib
from pathlib import Path

import pytest
from platformdirs import user_config_path

from trainer.config_file import ConfigError
from tui.keymap import Bound
from tui.settings import (
    PATH_VARIABLE,
    Settings,
    load_settings,
    settings_path,
    settings_text,
    write_settings,
)
from tui.theme import THEMES

KEYS = (
    Bound("quit", "q", "quit", "Everywhere", "Quit", "Leave."),
    Bound("charts.log", "l", "log", "Charts", "Log", "Bend."),
)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {PATH_VARIABLE: str(tmp_path / "tui.toml")}


def load(env: dict[str, str], text: str) -> Settings:
    Path(env[PATH_VARIABLE]).write_text(text)
    return load_settings(env)


def test_the_file_is_the_platforms_or_the_one_that_is_named() -> None:
    assert settings_path({PATH_VARIABLE: "mine.toml"}) == Path("mine.toml")
    path = settings_path({})
    assert path.parts[-2:] == ("rlppo", "tui.toml")
    assert path.is_relative_to(user_config_path())


def test_without_a_file_all_is_as_it_comes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "config"
    monkeypatch.setattr("tui.settings.user_config_path", lambda *_, **__: folder)
    assert load_settings({}) == Settings()
    assert not folder.exists()


def test_a_named_file_that_is_missing_is_refused(env: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"tui\.toml does not exist"):
        load_settings(env)


def test_what_the_file_says_holds_and_dotted_names_need_no_quotes(env: dict[str, str]) -> None:
    mine = load(env, 'theme = "light"\nascii = true\n[keys]\nquit = "f10"\ncharts.log = "x"\n')
    assert mine == Settings(theme="light", ascii=True, keys={"quit": "f10", "charts.log": "x"})
    assert load(env, '[keys]\n"charts.log" = "x"\n').keys == {"charts.log": "x"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('thme = "dark"', "unknown key thme; nearest: theme"),
        ('theme = "lihgt"', "theme = 'lihgt' should be 'dark', 'light',"),
        ('theme = "lihgt"', "nearest: light"),
        ('ascii = "yes"', "ascii = 'yes' should be 'auto', True or False"),
        ("[keys]\nquit = 3", "keys.quit = 3 should be a valid string"),
        ("keys = 3", "keys = 3 should be a valid dictionary"),
        ("theme = ", "cannot be read as TOML"),
    ],
)
def test_what_cannot_be_is_refused_with_file_and_what_may_be(
    env: dict[str, str], text: str, sentence: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        load(env, text)
    assert env[PATH_VARIABLE] in str(refused.value)
    assert sentence in str(refused.value)


def test_the_written_file_says_everything_and_changes_nothing(env: dict[str, str]) -> None:
    text = settings_text(Settings(), KEYS)
    assert load(env, text) == Settings()
    assert '# Everywhere, Quit: Leave.\n# quit = "q"\n' in text
    assert '# Charts, Log: Bend.\n# "charts.log" = "l"\n' in text
    uncommented = tomllib.loads(text.replace("# quit", "quit").replace('# "charts', '"charts'))
    assert uncommented["keys"] == {"quit": "q", "charts.log": "l"}


def test_the_written_file_keeps_what_the_person_has_chosen(env: dict[str, str]) -> None:
    mine = Settings(theme="mono", ascii=False, keys={"charts.log": '"'})
    assert load(env, settings_text(mine, KEYS)) == mine


def test_every_setting_explains_itself_and_every_theme_may_be_chosen() -> None:
    assert all(field.description for field in Settings.model_fields.values())
    assert all(Settings.model_validate({"theme": name}).theme == name for name in THEMES)


def test_a_file_is_written_once_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "some" / "where" / "tui.toml"
    write_settings(path, "theme = 'dark'\n")
    assert path.read_text() == "theme = 'dark'\n"
    with pytest.raises(ConfigError, match=r"tui\.toml exists"):
        write_settings(path, "")
    assert path.read_text() == "theme = 'dark'\n"
