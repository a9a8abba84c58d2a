from trainer.metrics import GROUPS
from tui.widgets.metric_panel import grouped, label


def test_groups_come_in_the_order_a_person_reads_them_and_strangers_last() -> None:
    names = ["Mine/x", "Timing/a", "Loss/b", "bare", "Collect/c", "Loss/a"]
    assert grouped(names) == {
        "Collect": ["Collect/c"],
        "Loss": ["Loss/b", "Loss/a"],
        "Timing": ["Timing/a"],
        "Mine": ["Mine/x"],
        "bare": ["bare"],
    }


def test_no_known_group_is_forgotten() -> None:
    assert list(grouped([f"{group}/x" for group in reversed(GROUPS)])) == list(GROUPS)


def test_a_label_is_the_name_without_its_group_and_underscores() -> None:
    assert label("Reward/velocity_player_to_ball") == "velocity player to ball"
    assert label("bare_name") == "bare name"
