import random

from tui.plot_raster import Raster


def lit(raster: Raster) -> set[tuple[int, int]]:
    """Every lit dot, by the Unicode table of braille."""
    bits = {0: (0, 0), 1: (0, 1), 2: (0, 2), 3: (1, 0), 4: (1, 1), 5: (1, 2), 6: (0, 3), 7: (1, 3)}
    return {
        (2 * (cell % raster.columns) + x, 4 * (cell // raster.columns) + y)
        for cell, value in enumerate(raster.bits)
        for bit, (x, y) in bits.items()
        if value >> bit & 1
    }


def test_a_run_lights_its_dots_and_no_other() -> None:
    draw = random.Random(0)
    for _ in range(200):
        raster, x = Raster(3, 3), draw.randint(-1, 6)
        top, bottom = draw.randint(-3, 13), draw.randint(-3, 13)
        raster.run(x, top, bottom, 0)
        inside = range(max(top, 0), min(bottom, 11) + 1)
        assert lit(raster) == {(x, y) for y in inside if 0 <= x < 6}


def test_a_line_touches_every_column_and_row_between_its_ends() -> None:
    draw = random.Random(1)
    for _ in range(200):
        raster = Raster(8, 4)
        xs = sorted(draw.uniform(0, 16) for _ in range(4))
        ys = [draw.uniform(0, 16) for _ in xs]
        dots = list(zip(xs, ys, strict=True))
        raster.polyline(xs, ys, 0)
        found = lit(raster)
        assert {(int(x), int(y)) for x, y in dots} <= found
        assert {x for x, _ in found} == set(range(int(xs[0]), int(xs[-1]) + 1))
        rows = {int(y) for _, y in dots}
        assert {y for _, y in found} == set(range(min(rows), max(rows) + 1))
        # Neighbouring columns hang together.
        for x in range(int(xs[0]), int(xs[-1])):
            here, there = ({y for a, y in found if a == b} for b in (x, x + 1))
            assert min(abs(a - b) for a in here for b in there) <= 1


def test_a_line_that_comes_from_far_away_costs_no_more_than_what_is_seen() -> None:
    raster = Raster(4, 2)
    raster.polyline([-1e6, 1e6], [4.0, 4.0], 0)
    assert lit(raster) == {(x, 4) for x in range(8)}


def test_who_draws_last_owns_the_cell() -> None:
    raster = Raster(2, 1)
    raster.run(0, 0, 3, 0)
    raster.run(1, 0, 0, 1)
    assert raster.owners == [1, -1]


def test_a_band_lights_every_other_dot_up_to_where_the_next_begins() -> None:
    raster = Raster(3, 1)
    raster.band([0, 4], [0, 2], [3, 3], 0)
    whole = {(x, y) for x in range(4) for y in range(4) if (x + y) % 2 == 0}
    assert lit(raster) == whole | {(4, 2)}
