"""Where the anchors of a run are: paths in its settings begin at its folder, beside config.toml.

So they are found wherever somebody rates or plays a ladder. Tested by
`tests/trainer/ratings/test_anchor_words.py`.
"""

from collections.abc import Iterator

from trainer.config_league import RatingsConfig
from trainer.evaluation.contestants import CHASER, NEXTO, RANDOM, word_from
from trainer.run_dir import RunDir


def anchor_word(run: RunDir, config: RatingsConfig, name: str) -> str:
    """The anchor `name` as `load_contestant` takes it."""
    return word_from(run.path, f"{NEXTO}:{config.nexto}" if name == NEXTO else name)


def missing_anchors(run: RunDir, config: RatingsConfig) -> Iterator[str]:
    """A sentence for each anchor that is not where the settings say."""
    for name in config.anchors:
        path = run.path / (config.nexto if name == NEXTO else name)
        if name not in (RANDOM, CHASER) and not path.exists():
            yield f"nobody plays the anchor {name}: there is no {path.absolute()}"
