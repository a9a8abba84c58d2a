import re
from pathlib import Path

import pytest

from tests.trainer.tiny import write_tiny
from trainer import tune, tuning
from trainer.cli import app, run_app
from trainer.config_file import load_config
from trainer.tuning import Layout

LONG = "ppo.steps_per_iteration=1024"


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cores, and so few arenas that they are built and played in a moment."""
    monkeypatch.setattr(tuning, "ARENAS_OF_A_WORKER", (1, 2, 4))
    monkeypatch.setattr(tuning, "FIRST", 2)
    monkeypatch.setattr(tune, "count_cores", lambda: 2)
    monkeypatch.setattr(tune, "LOOK_S", 0.01)


def test_what_is_fastest_here_can_be_pasted_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_tiny(tmp_path, LONG)
    assert run_app(app, ["tune", str(config), "--seconds", "0.05"]) == 0
    out = capsys.readouterr().out
    found = re.findall(
        r"^collects +(\d) workers, +(\d+) arenas, +(\d+) decisions", out, re.MULTILINE
    )
    # 1,024 steps are 1024 / (2 arenas) / (2 cars) = 256 decisions.
    assert ("1", "2", "256") in found
    assert ("2", "4", "128") in found
    assert re.search(r"1 workers, +2 arenas.* x1.00 yours$", out, re.MULTILINE)
    assert re.search(r"^learns +in chunks of +8 rows: .* x1.00 yours$", out, re.MULTILINE)
    pasted = out[out.index("[sim]") : out.index("--set")]
    (tmp_path / "pasted.toml").write_text(pasted)
    taken = load_config(tmp_path / "pasted.toml")
    words = out.splitlines()[-1].split()
    assert words[0::2] == ["--set"] * 3
    assert words[1] == f"sim.workers={taken.sim.workers}"
    assert words[3:6:2] == [
        f"sim.arenas={taken.sim.arenas}",
        f"ppo.minibatch_size={taken.ppo.minibatch_size}",
    ]
    assert {path.name for path in tmp_path.iterdir()} == {"tiny.toml", "pasted.toml"}


def test_rollouts_never_get_too_short_nor_memory_too_full(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # 32 steps are 4 decisions of 2 workers with 2 arenas each, and 16 of one with one.
    config = write_tiny(tmp_path)
    assert run_app(app, ["tune", str(config), "--seconds", "0.01"]) == 0
    out = capsys.readouterr().out
    assert "2 workers, 4 arenas: rollouts of 4 decisions, fewer than 32" in out
    assert "collects" not in out
    assert "sim.workers=1 --set sim.arenas=2 " in out
    monkeypatch.setattr(tune, "usable_mb", lambda device: 100.0)
    assert run_app(app, ["tune", str(config), "--set", LONG, "--seconds", "0.01"]) == 0
    out = capsys.readouterr().out
    # Two processes need 2 * 60 MB; one needs 61.
    assert re.search(r"2 workers, 4 arenas: about 122 MB of memory, and 100 MB may be taken", out)
    assert "collects        1 workers" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nowhere.toml"], "nowhere.toml does not exist"),
        (["--set", "sim.arena=3"], "unknown key sim.arena; nearest: sim.arenas"),
        (["--set", "sim.meshes=/nowhere"], "/nowhere"),
        (["--seconds", "0"], "--seconds"),
    ],
)
def test_a_mistake_is_a_sentence_and_a_2(
    capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert run_app(app, ["tune", *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith("rlppo: ")
    assert sentence in err
    assert "Traceback" not in err


def test_a_busy_machine_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = write_tiny(tmp_path)
    for busy, told in ((60.0, True), (5.0, False)):
        monkeypatch.setattr(tune.psutil, "cpu_percent", lambda seconds, busy=busy: busy)
        assert run_app(app, ["tune", str(config), "--seconds", "0.01"]) == 0
        assert ("other programs use 60 % of the cores" in capsys.readouterr().out) == told


def test_what_is_fastest_is_not_taken_when_its_rollouts_are_too_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # 20 arenas with 2 cars share 1,024 steps: 26 decisions.
    config = write_tiny(tmp_path, LONG, "sim.arenas=20")

    def duel(self: object, *layouts: Layout) -> tuple[float, ...]:
        return tuple(100.0 if layout.arenas == 20 else 50.0 for layout in layouts)

    monkeypatch.setattr(tune._Arenas, "duel", duel)
    assert run_app(app, ["tune", str(config), "--seconds", "0.01"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"20 arenas, +26 decisions: +100 steps/s x1.00 yours", out)
    # Of the others, which are alike, the one with the fewest arenas: two, and so 256 decisions.
    assert "arenas change how long rollouts are, from 26 decisions to 256" in out
    assert "sim.workers=1 --set sim.arenas=2 " in out
