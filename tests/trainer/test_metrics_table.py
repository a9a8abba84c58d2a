import re
from pathlib import Path
from typing import get_args

from tests.trainer.test_distilling import loaded
from tests.trainer.tiny import tiny_config
from trainer import jsonl
from trainer.metrics import GROUPS, from_record
from trainer.modes import Mode
from trainer.ratings.table import Rated, Ratings, write_ratings
from trainer.rewards import REWARDS
from trainer.run_dir import RunDir
from trainer.training import Request, train

TABLE = Path(__file__).parent.parent.parent / "docs" / "metrics.md"


def documented() -> list[str]:
    return re.findall(r"^\| `(\S+/\S+)` \|", TABLE.read_text(encoding="utf-8"), re.MULTILINE)


def general(metric: str) -> str:
    """`Reward/touch_share` as the table has it: `Reward/NAME_share`; of a mode: `Game/MODE_…`."""
    group, _, name = metric.partition("/")
    if group == "Game" and name.partition("_")[0] in get_args(Mode):
        return f"Game/MODE_{name.partition('_')[2]}"
    for reward in sorted(REWARDS, key=len, reverse=True):
        if group == "Reward" and name in (reward, f"{reward}_share"):
            return f"Reward/NAME{name.removeprefix(reward)}"
    if group == "Rating":
        return f"Rating/MODE{name[len('1v1') :]}"
    return metric


def test_the_table_holds_exactly_what_an_iteration_writes(tmp_path: Path) -> None:
    run = RunDir(tmp_path)
    settings = ("networks.shared=[8]", "sim.modes.1v1=1", "sim.modes.1v2=1")
    config = tiny_config(*settings)
    rated = Rated("0", "version", 0, 100.0, 30.0, 1, 2, 3)
    write_ratings(run.ratings, Ratings("bradley_terry", 30, 0.0, {"1v1": (rated,)}))
    train(Request(run, config, tmp_path, "the test", 1), lambda line: None)
    teacher = loaded(tmp_path, *settings)
    distilled = RunDir(tmp_path / "distilled")
    train(Request(distilled, config, tmp_path, "the test", 1, teacher=teacher), lambda line: None)
    found: set[str] = set()
    for record in (*jsonl.read_all(run.metrics), *jsonl.read_all(distilled.metrics)):
        metrics = from_record(record)
        assert metrics is not None
        found |= {general(name) for name in metrics.values}
    assert found == set(documented())


def test_no_metric_stands_twice_and_groups_come_in_the_order_a_person_reads_them() -> None:
    names = documented()
    assert len(names) == len(set(names))
    groups = list(dict.fromkeys(name.partition("/")[0] for name in names))
    assert groups == sorted(groups, key=GROUPS.index)
