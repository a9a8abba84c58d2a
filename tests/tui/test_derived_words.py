from trainer.config import RunConfig
from trainer.config_file import load_config
from tui.derived_words import derived_lines


def test_the_laptop_preset_in_words() -> None:
    config = load_config(None, ["sim.workers=2"])
    # The numbers are worked out in tests/trainer/test_sizes.py.
    assert derived_lines(config) == [
        "rollout     196 decisions x 256 agents = 50,176",
        "            13.1 s of game in each of 128 arenas",
        "update      2 epochs x 20 batches = 40 optimizer steps, each in 2 passes",
        "parameters  346,459: actor 184,666, critic 161,793",
        "memory      about 564 MB: trainer 320, workers 120, arenas 46",
        "speed       F5 measures it on this machine",
    ]


def test_what_was_measured_stands_where_the_hint_was() -> None:
    lines = derived_lines(RunConfig(), "about 12.4 s, 4,038 steps/s")
    assert lines[-1] == "speed       about 12.4 s, 4,038 steps/s"


def test_one_of_something_is_said_so() -> None:
    asked = ["ppo.epochs=1", "ppo.batch_size=50_000", "ppo.minibatch_size=50_000"]
    update = derived_lines(load_config(None, [*asked, "sim.arenas=125"]))[2]
    assert update == "update      1 epoch x 1 batch = 1 optimizer step"
