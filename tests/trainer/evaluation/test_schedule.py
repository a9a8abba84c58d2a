from trainer.evaluation.schedule import AT_ONCE, make_batches, pairings


def test_candidates_meet_each_other_and_everybody_else() -> None:
    assert pairings(3, 1, each_other=True) == [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    assert pairings(2, 2, each_other=False) == [(0, 2), (0, 3), (1, 2), (1, 3)]


def test_every_pairing_plays_every_start_from_both_sides_by_the_same_chance() -> None:
    (batch,) = make_batches([(0, 1), (0, 2)], {"2v3": 2}, 90, seed=7)
    assert [tuple(game) for game in batch.games] == [
        (0, 1, 0, (7, 2, 3, 0), 90),
        (1, 0, 0, (7, 2, 3, 0), 90),
        (0, 1, 1, (7, 2, 3, 1), 90),
        (1, 0, 1, (7, 2, 3, 1), 90),
        (0, 2, 0, (7, 2, 3, 0), 90),
        (2, 0, 0, (7, 2, 3, 0), 90),
        (0, 2, 1, (7, 2, 3, 1), 90),
        (2, 0, 1, (7, 2, 3, 1), 90),
    ]


def test_batches_count_through_all_modes_and_never_mix_them() -> None:
    batches = make_batches([(0, 1)], {"1v1": AT_ONCE, "2v2": 3}, 90, seed=0)
    assert [(batch.mode, batch.first, len(batch.games)) for batch in batches] == [
        ("1v1", 0, AT_ONCE),
        ("1v1", AT_ONCE, AT_ONCE),
        ("2v2", 2 * AT_ONCE, 6),
    ]
