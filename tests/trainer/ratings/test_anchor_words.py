from pathlib import Path

from trainer.config_league import RatingsConfig
from trainer.ratings.anchor_words import anchor_word, missing_anchors
from trainer.run_dir import RunDir

ELSEWHERE = Path("/elsewhere/bot").absolute()


def config(nexto: str = "") -> RatingsConfig:
    names = ["random", "chaser", "bundles/best", str(ELSEWHERE), *(["nexto"] if nexto else [])]
    return RatingsConfig(anchors=dict.fromkeys(names, 0.0), nexto=nexto)


def test_paths_of_anchors_begin_at_the_run_wherever_somebody_stands() -> None:
    run, terms = RunDir(Path("runs/a")), config("nexto.pt")
    assert [anchor_word(run, terms, name) for name in terms.anchors] == [
        *("random", "chaser", str(Path("runs/a/bundles/best")), str(ELSEWHERE)),
        f"nexto:{Path('runs/a/nexto.pt')}",
    ]


def test_an_anchor_that_is_not_there_is_told_of_with_its_whole_path(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    (tmp_path / "bundles" / "best").mkdir(parents=True)
    assert list(missing_anchors(run, config("nexto.pt"))) == [
        f"nobody plays the anchor {ELSEWHERE}: there is no {ELSEWHERE}",
        f"nobody plays the anchor nexto: there is no {tmp_path / 'nexto.pt'}",
    ]
    (tmp_path / "nexto.pt").touch()
    assert len(list(missing_anchors(run, config("nexto.pt")))) == 1
