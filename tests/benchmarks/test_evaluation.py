from benchmarks.evaluation import Speed, measure
from tests.trainer.tiny import tiny_config


def test_a_batch_of_games_is_played_and_counted() -> None:
    found = measure(tiny_config(), seconds=0.5)
    # Half a second is 60 ticks: 8 decisions of 8 ticks, of 2 cars in 64 games.
    assert (found.games, found.agent_steps) == (64, 64 * 8 * 2)
    assert found.game_s == 8 * 8 / 120
    assert found.wall_s > 0


def test_rates_are_of_the_wall_and_of_the_processor() -> None:
    words = Speed(games=64, wall_s=30, cpu_s=15, agent_steps=90_000, game_s=60).words()
    assert words == (
        "64 games of 60 s at once: 3,000 steps/s, 6,000 a second of processor time, "
        "128 games a minute"
    )
