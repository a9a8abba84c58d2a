from pathlib import Path

import pytest

from rlbot_agent.actions import NUM_ACTIONS
from trainer.checkpoint import contract_of
from trainer.config import RunConfig
from trainer.config_file import ConfigError, config_text, load_config, preset_names, write_config
from trainer.networks import ActorCritic, parameter_count


def refusal(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as refused:
        load_config(path)
    return str(refused.value)


def test_a_file_says_only_what_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('preset = "laptop"\n[ppo]\nepochs = 7\n')
    config = load_config(path)
    assert config.ppo.epochs == 7
    assert config.sim == RunConfig().sim


def test_a_flag_wins_over_the_file_and_the_file_over_the_preset(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("seed = 3\n[ppo]\nepochs = 7\n")
    config = load_config(path, ["ppo.epochs=2", "networks.norm=rms_norm"])
    assert (config.seed, config.ppo.epochs, config.networks.norm) == (3, 2, "rms_norm")


def test_every_preset_loads() -> None:
    assert "laptop" in preset_names()
    for name in preset_names():
        assert load_config(None, [f"preset={name}"]).preset == name


def test_a_written_config_reads_back_the_same(tmp_path: Path) -> None:
    config = load_config(None, ["networks.actor=[64, 32]", "device=cpu"])
    write_config(tmp_path / "config.toml", config)
    assert load_config(tmp_path / "config.toml") == config


def test_every_setting_is_written_under_its_docstring() -> None:
    lines = config_text(RunConfig()).splitlines()
    assert lines[lines.index("epochs = 2") - 1] == "# Passes over each rollout."


def test_an_unknown_key_is_refused_with_file_and_nearest_name(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, "[ppo]\nepochz = 2\n")
    assert sentence == f"{tmp_path / 'mine.toml'}: unknown key ppo.epochz; nearest: ppo.epochs"


def test_initials_are_shown_what_they_stand_for_in_their_own_section_first(tmp_path: Path) -> None:
    assert refusal(tmp_path, "[ppo]\nlr = 1e-4\n").endswith("nearest: ppo.learning_rate")
    assert refusal(tmp_path, "[networks]\nlr = 1e-4\n").endswith("nearest: ppo.learning_rate")


def test_a_section_that_is_set_like_a_key_is_refused_with_one_of_its_keys(tmp_path: Path) -> None:
    assert refusal(tmp_path, "ppo = 3\n").endswith(
        ": ppo is a section: set one of its keys, such as ppo.steps_per_iteration"
    )


def test_a_key_in_the_wrong_section_is_shown_its_place(tmp_path: Path) -> None:
    assert "nearest: ppo.epochs" in refusal(tmp_path, "[networks]\nepochs = 2\n")


def test_a_wrong_word_is_refused_with_what_is_allowed(tmp_path: Path) -> None:
    sentence = refusal(tmp_path, '[networks]\nnorm = "layernorm"\n')
    assert "networks.norm = 'layernorm'" in sentence
    assert "'none', 'layer_norm' or 'rms_norm'" in sentence
    assert sentence.endswith("nearest: layer_norm")


def test_an_impossible_number_is_refused_with_its_bound(tmp_path: Path) -> None:
    assert "ppo.learning_rate = -1 should be greater than 0" in refusal(
        tmp_path, "[ppo]\nlearning_rate = -1\n"
    )


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_number_that_is_not_finite_is_refused(tmp_path: Path, number: str) -> None:
    assert "rewards.touch" in refusal(tmp_path, f"[rewards]\ntouch = {number}\n")


def test_sizes_that_do_not_fit_together_are_refused_with_both(tmp_path: Path) -> None:
    assert "ppo.batch_size 60,000 is more than the 50,176 rows" in refusal(
        tmp_path, "[ppo]\nbatch_size = 60000\n"
    )
    assert "action_delay 8 must be below tick_skip 8" in refusal(
        tmp_path, "[sim]\naction_delay = 8\n"
    )


def test_several_findings_come_as_one_line_each(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, "[ppo]\nepochz = 2\ngama = 0.9\n").splitlines()) == 2


def test_a_missing_file_and_a_broken_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.toml does not exist"):
        load_config(tmp_path / "absent.toml")
    assert "cannot be read as TOML" in refusal(tmp_path, "[ppo\n")


@pytest.mark.parametrize(
    ("preset", "counts"),
    [
        ("laptop", {"actor": 184_666, "critic": 161_793}),
        ("large", {"actor": 7_675_994, "critic": 7_584_769}),
        # As its authors' program prints them.
        ("rlgymppo", {"shared": 102_656, "actor": 221_274, "critic": 198_401}),
    ],
)
def test_a_preset_s_networks_have_the_sizes_they_are_known_for(
    preset: str, counts: dict[str, int]
) -> None:
    config = load_config(None, [f"preset={preset}"])
    obs_width = contract_of(config, 0).obs_width
    model = ActorCritic(obs_width, NUM_ACTIONS, config.networks)
    assert {name: parameter_count(part) for name, part in model.parts.items()} == counts


def test_an_unknown_preset_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    assert refusal(tmp_path, 'preset = "laptp"\n').endswith("nearest: laptop")


def test_a_flag_without_a_value_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"section\.key=value"):
        load_config(None, ["ppo.epochs"])


def test_a_finding_in_a_flag_names_the_flag() -> None:
    with pytest.raises(ConfigError, match=r"^--set: unknown key ppo\.epocs"):
        load_config(None, ["ppo.epocs=2"])


def modes(*settings: str, path: Path | None = None) -> dict[str, float]:
    return dict(load_config(path, settings).sim.modes)


def test_the_modes_of_a_flag_replace_those_of_the_file_and_these_the_default(
    tmp_path: Path,
) -> None:
    assert modes() == {"1v1": 1}
    assert modes("sim.modes.2v2=1") == {"2v2": 1}
    path = tmp_path / "mine.toml"
    path.write_text("[sim]\narenas = 7\n[sim.modes]\n2v2 = 3\n1v2 = 1\n")
    assert modes(path=path) == {"2v2": 3, "1v2": 1}
    assert modes("sim.arenas=9", path=path) == {"2v2": 3, "1v2": 1}
    flags = ("sim.modes.3v3=2", "sim.modes.1v1=0.5")
    assert modes(*flags, path=path) == {"3v3": 2, "1v1": 0.5}
    assert load_config(path, flags).sim.arenas == 7


def test_the_anchors_of_a_flag_replace_those_of_the_file_and_these_the_default(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.toml"
    path.write_text("[ratings.anchors]\nchaser = 400\n")
    assert dict(load_config(path).ratings.anchors) == {"chaser": 400}
    flags = ["ratings.anchors.random=0", "sim.modes.2v2=1"]
    again = load_config(path, flags)
    assert (dict(again.ratings.anchors), dict(again.sim.modes)) == ({"random": 0}, {"2v2": 1})


def test_a_mix_of_modes_reads_back_in_its_order(tmp_path: Path) -> None:
    config = load_config(None, ["sim.modes.2v2=1", "sim.modes.1v2=0", "sim.modes.1v1=0.25"])
    write_config(tmp_path / "config.toml", config)
    again = load_config(tmp_path / "config.toml").sim
    assert list(again.modes.items()) == [("2v2", 1), ("1v2", 0), ("1v1", 0.25)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2w2 = 1", "sim.modes.2w2 should be '1v1', '1v2', "),
        ("2w2 = 1", "; nearest: 2v2"),
        ("0v2 = 1", "sim.modes.0v2 should be '1v1', "),
        ("1v1 = -1", "sim.modes.1v1 = -1 should be greater than or equal to 0"),
        ("1v1 = nan", "sim.modes.1v1 = nan should be a finite number"),
        ("1v1 = 0", "the weights of sim.modes are all 0"),
        ("", "the weights of sim.modes are all 0"),
    ],
)
def test_an_impossible_mix_of_modes_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    refused = refusal(tmp_path, f"[sim.modes]\n{text}\n")
    assert refused.startswith(str(tmp_path / "mine.toml"))
    assert sentence in refused


def test_a_malformed_mode_of_a_flag_is_refused_with_the_flag() -> None:
    with pytest.raises(ConfigError, match=r"^--set: sim\.modes\.5v5 should be '1v1', .*'4v4'$"):
        load_config(None, ["sim.modes.5v5=1"])


def test_fewer_arenas_than_modes_are_refused_with_both(tmp_path: Path) -> None:
    text = "[sim]\narenas = 1\n[sim.modes]\n1v1 = 1\n3v3 = 1\n2v2 = 0\n"
    assert "sim.arenas 1 is below the 2 modes that sim.modes gives weight (1v1, 3v3)" in refusal(
        tmp_path, text
    )


def test_a_config_of_before_is_told_what_stands_for_its_team_size(tmp_path: Path) -> None:
    assert refusal(tmp_path, "[sim]\nteam_size = 2\n") == (
        f"{tmp_path / 'mine.toml'}: sim.team_size is no more: "
        'write sim.modes, such as {"2v2" = 1.0}'
    )
