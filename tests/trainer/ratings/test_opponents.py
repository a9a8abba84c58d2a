from trainer.ratings.opponents import earlier_opponents

EARLIER = list(range(1, 65))


def test_the_newest_is_always_met_and_others_ever_farther_back() -> None:
    # 64^0, 64^(1/3), 64^(2/3) back
    assert earlier_opponents(EARLIER, set(), 3) == [64, 61, 49]
    assert earlier_opponents(EARLIER, set(), 1) == [64]
    assert earlier_opponents(EARLIER, set(), 0) == []


def test_where_there_are_few_all_are_met_once() -> None:
    assert earlier_opponents([], set(), 3) == []
    assert earlier_opponents([5, 7], set(), 3) == [7, 5]
    for length in range(1, 40):
        found = earlier_opponents(EARLIER[:length], set(), 6)
        assert len(found) == len(set(found)) == min(length, 6)


def test_who_was_met_stays_an_opponent_and_nobody_replaces_who_was_removed() -> None:
    assert earlier_opponents(EARLIER, {60}, 3) == [64, 61, 60]
    assert earlier_opponents(EARLIER[50:], {64, 61, 49}, 3) == [64, 61]
