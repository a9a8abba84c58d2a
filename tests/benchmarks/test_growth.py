import json
import re
from pathlib import Path

import pytest

from benchmarks import growth
from benchmarks.growth import Growth, Size, curves, grow, write_growth
from benchmarks.model import busy, fit
from benchmarks.tables import lines_of
from tests.benchmarks.test_model import POINTS, point


def test_curves_go_from_few_to_many_around_what_the_cores_can_do() -> None:
    found = curves(cores=8)
    assert [size.workers for size in found["workers"]] == [2, 4, 8, 12, 16]
    assert {size.arenas // size.workers for size in found["workers"]} == {64}
    assert found["arenas"][0].arenas == 16
    assert [size.team for size in found["teams"]] == [1, 2, 3]
    assert [size.workers for size in curves(cores=2)["workers"]] == [1, 2, 3, 4]
    # What the model is checked against, it was not fitted to.
    fitted = {size for name in ("arenas", "teams", "networks") for size in found[name]}
    assert not fitted & set(found["check"])


def test_a_size_is_the_work_small_but_for_what_it_says() -> None:
    config = Size(2, 10, team=3, layers=(64, 32)).config
    assert (config.sim.workers, config.sim.agents, config.sim.played) == (2, 60, ("3v3",))
    assert config.networks.actor == config.networks.critic == (64, 32)
    assert Size(1, 4).config.sim.played == ("1v1",)


def test_sizes_are_measured_fitted_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {
        "arenas": [Size(1, 1), Size(1, 2)],
        "teams": [Size(1, 1), Size(1, 1, 2)],
        "networks": [Size(1, 1, 1, (8,)), Size(1, 1, 1, (256, 256))],
    }
    monkeypatch.setattr(growth, "curves", lambda cores: few)
    monkeypatch.setattr(growth, "ROWS", 64)
    lines: list[str] = []
    found = grow(0.01, lines.append)
    assert [found.curve for found in found.points] == [name for name in few for _ in range(2)]
    assert [line.split()[0] for line in lines] == [found.curve for found in found.points]
    one, two = (found for found in found.points if found.curve == "teams")
    # What a step costs a worker is in the phases, which are part of the time it took.
    assert all(0 < busy(seen) <= 1 for seen in (one, two))
    assert {found.learn_sps is not None for found in found.points[:4]} == {False}
    assert all(found.learn_sps for found in found.points[4:])
    # 92 · 8 + 8, and heads of 8 · 90 + 90 and 8 + 1.
    assert found.points[4].parameters == 2 * 744 + 810 + 9
    write_growth(tmp_path / "growth.json", found)
    record = json.loads((tmp_path / "growth.json").read_text())
    assert [each["team"] for each in record["points"]] == [1, 1, 1, 2, 1, 1]
    assert set(record["costs"]["physics_us"]) == {"1", "2"}


def test_the_tables_say_what_was_found() -> None:
    points = [*POINTS, point("networks", parameters=1000), point("check", team=2)]
    named = [
        *(found for found in points if found.curve != "networks"),
        *(
            type(found)(**{**vars(found), "layers": layers})
            for found, layers in zip(
                [found for found in points if found.curve == "networks"],
                [(64, 64), growth.SMALL, growth.LARGE, (8,)],
                strict=True,
            )
        ),
    ]
    text = "\n".join(lines_of(Growth(2, named, fit(named))))
    assert "| physics, µs of a worker | 20.0 / 15.0 / 12.5 |" in text
    assert "1.0 + FLOP / 100 GFLOP/s" in text
    assert "2.0 + FLOP / 200 GFLOP/s" in text
    assert "off by 0% in the middle, 0% at most" in text
    # 24 workers of 60 + 64 · 0.36 MB are 1.9 GB; (20 + 10 + 11) µs each, at 0.85 · 0.9 of it.
    (row,) = re.findall(r"^\| desktop, 24 cores \| 256-256-256 .*$", text, re.MULTILINE)
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[2] == f"{24 * 0.85 * 0.9e6 / 41:,.0f}"
    assert cells[-1] == "1.9"
    widths = {line.count("|") for line in text.splitlines() if "desktop" in line}
    assert widths == {8}
