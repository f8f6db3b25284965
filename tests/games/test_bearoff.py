"""Bear-off table: published numbers, exact fractions, the rules; and the cache file under damage."""

from __future__ import annotations

import gzip
from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest
from published import published

from zermelo.compiled import cache as kept
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX
from zermelo.errors import PositionError
from zermelo.games.backgammon import Backgammon, bearoff
from zermelo.games.backgammon.one_sided import placements
from zermelo.games.backgammon.points import CHECKERS, pack_counts
from zermelo.games.backgammon.points import checker_counts as counts_of

pytestmark = pytest.mark.quick

ROLLS = [(10 * die + small, 1 if die == small else 2) for die in range(1, 7) for small in range(1, die + 1)]


def side(counts):
    """The two words of a side with given numbers of checkers on points 1 to 6."""
    return pack_counts([15 - sum(counts), *counts, *[0] * 19])  # what is off comes first, the bar last


# ---- an independent way to the same numbers: fractions, one position at a time -------------------------------------


def after_one(counts, die):
    """The positions after moving one checker by a die, as sorted tuples of points."""
    places = [point for point, count in enumerate(counts, 1) for _ in range(count)]
    for place in sorted(set(places)):
        if place > die or place == die or place == max(places):
            left = list(counts)
            left[place - 1] -= 1
            if place > die:
                left[place - die - 1] += 1
            yield tuple(left)


def after_roll(counts, dice):
    """All positions after playing dice in order."""
    reached = {counts}
    for die in dice:
        reached = {later for each in reached for later in (list(after_one(each, die)) or [each])}
    return reached


@cache
def exact(counts):
    """The expected rolls and the distribution {rolls: probability}, with optimal plays."""
    if not any(counts):
        return Fraction(0), {0: Fraction(1)}
    expected, chances = Fraction(1), {}
    for first, second in product(range(1, 7), repeat=2):
        dice = [first] * 4 if first == second else [first, second]
        reached = after_roll(counts, dice) | (after_roll(counts, dice[::-1]) if first != second else set())
        rest, rolls = min((exact(each) for each in reached), key=lambda pair: pair[0])
        expected += rest / 36
        for number, chance in rolls.items():
            chances[number + 1] = chances.get(number + 1, 0) + chance / 36
    return expected, chances


def test_small_positions_agree_with_exact_fractions():
    table = bearoff.table()
    positions = [counts for counts in product(range(4), repeat=6) if sum(counts) <= 3]
    assert len(positions) == 84
    for counts in positions:
        expected, chances = exact(counts)
        row = bearoff.index(counts)
        assert table.expected[row] == pytest.approx(float(expected), abs=1e-12)
        for rolls in range(bearoff.ROLLS):
            assert table.rolls[row, rolls] == pytest.approx(float(chances.get(rolls, 0)), abs=1e-12), (counts, rolls)


def one_ply(counts, table):
    """The expected rolls of a position, computed from its successors by the rules of the game."""
    low, high = side(counts)
    other = side((0, 0, 0, 0, 0, 1))
    total = 36.0
    for dice, ways in ROLLS:
        state = Backgammon(low, high, *other, dice, MAX)
        later = [state.play(move) for move in state.moves()]
        total += ways * min(table.expected[bearoff.compiled_index(each.x_low, each.x_high)] for each in later)
    return total / 36


def some_positions(number):
    random = Random(5)
    for _ in range(number):
        places = [0] * 6
        for _ in range(random.randint(1, 15)):
            places[random.randrange(6)] += 1
        yield tuple(places)


def test_entries_satisfy_the_recurrence_by_the_rules():
    table = bearoff.table()
    for counts in some_positions(40):
        assert one_ply(counts, table) == pytest.approx(table.expected[bearoff.index(counts)], abs=1e-12)


@pytest.mark.nightly
def test_all_entries_satisfy_the_recurrence():
    """With the generator of this file; with the rules it takes half an hour."""
    expected = bearoff.table().expected.tolist()
    ranks = {tuple(counts): row for row, counts in enumerate(placements(bearoff.POINTS, CHECKERS).tolist())}
    for counts, row in ranks.items():
        if row:
            total = 36.0
            for dice, ways in ROLLS:
                die, small = divmod(dice, 10)
                orders = [[die] * 4] if die == small else [[die, small], [small, die]]
                total += ways * min(expected[ranks[each]] for order in orders for each in after_roll(counts, order))
            assert total / 36 == pytest.approx(expected[row], abs=1e-12), counts


@pytest.mark.reference
def test_published_table():
    table = bearoff.table()
    seen = set()
    with gzip.open(published("backgammon", "bearoff_one_sided_expected_rolls.txt.gz"), "rt") as file:
        for line in file:
            if not line.startswith("#"):
                *counts, expected = line.split()
                row = bearoff.index(tuple(map(int, counts)))
                assert abs(table.expected[row] - float(expected)) < 1e-9, line
                seen.add(row)
    assert len(seen) == bearoff.POSITIONS


def test_table_is_consistent():
    table = bearoff.table()
    assert table.expected.shape == (54264,)
    assert np.abs(table.rolls.sum(axis=1) - 1).max() < 1e-9
    assert np.abs(table.first.sum(axis=1) - 1).max() < 1e-9
    assert np.abs(table.rolls @ np.arange(bearoff.ROLLS) - table.expected).max() < 1e-8
    assert table.rolls.min() >= 0
    # The first checker is off no later than the last, and for fewer than 15 it is off already.
    positions = placements(bearoff.POINTS, CHECKERS)
    assert (table.first[positions.sum(axis=1) < 15, 0] == 1).all()
    assert (table.rolls.cumsum(axis=1)[:, : bearoff.FIRST_ROLLS] <= table.first.cumsum(axis=1) + 1e-12).all()
    with pytest.raises(ValueError, match="read-only"):
        table.expected[0] = 1


def test_published_numbers():
    assert bearoff.expected_rolls((2, 2, 2, 3, 3, 3)) == pytest.approx(8.13892, abs=5e-6)
    row = bearoff.index((0, 0, 0, 0, 0, 2))
    assert bearoff.table().rolls[row, 1] == pytest.approx(4 / 36)  # 33, 44, 55, 66
    assert bearoff.win_chance((1, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0)) == 1
    # 27 of the 36 rolls bear a checker off the 6 point.
    assert bearoff.win_chance((0, 0, 0, 0, 0, 1), (1, 0, 0, 0, 0, 0)) == pytest.approx(27 / 36)


def test_distribution_of_the_first_checker():
    first = bearoff.table().first
    assert first[bearoff.index((15, 0, 0, 0, 0, 0)), 1] == 1
    # From fifteen on the 6 point: any six, 51, 42, 33 and 22.
    assert first[bearoff.index((0, 0, 0, 0, 0, 15)), 1] == pytest.approx(17 / 36)


def test_index_is_a_bijection():
    positions = placements(bearoff.POINTS, CHECKERS)
    assert len({tuple(row) for row in positions.tolist()}) == bearoff.POSITIONS
    for counts in some_positions(50):
        row = bearoff.index(counts)
        assert tuple(positions[row]) == counts
        assert bearoff.compiled_index(*side(counts)) == row
        assert tuple(counts_of(*side(counts))[1:7]) == counts


@pytest.mark.parametrize("counts", [(1, 2, 3), (0, 0, 0, 0, 0, 16), (-1, 0, 0, 0, 0, 0), (3, 3, 3, 3, 3, 3)])
def test_error_message_for_invalid_position(counts):
    with pytest.raises(PositionError, match=r"bear-off position .*; expected at most 15 checkers on points 1 to 6"):
        bearoff.expected_rolls(counts)


# ---- its file --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A temporary cache that contains the table."""
    monkeypatch.setenv("ZERMELO_CACHE_DIR", str(tmp_path))
    kept.write(bearoff.NAME, np.column_stack(bearoff.table()).astype("<f8").tobytes())
    return tmp_path


def test_table_is_cached_and_read(folder, monkeypatch):
    monkeypatch.setattr(bearoff, "build", lambda: pytest.fail("it was worked out again"))
    read = bearoff.table.__wrapped__()
    for one, other in zip(read, bearoff.table(), strict=True):
        assert np.array_equal(one, other)
    assert [path.name for path in folder.glob("*") if not path.name.endswith(".lock")] == [f"{bearoff.NAME}.bin"]


def damaged_places(size, number):
    random = Random(11)
    return [*range(0, 48, 8), *(random.randrange(size) for _ in range(number))]


def check_flips(folder, number):
    path = folder / f"{bearoff.NAME}.bin"
    sound = path.read_bytes()
    for place in damaged_places(len(sound), number):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        assert kept.read_bytes(bearoff.NAME) is None, place
        assert not path.exists()


@pytest.mark.slow
def test_flipped_bytes_are_detected(folder):
    check_flips(folder, 6)


@pytest.mark.nightly
def test_a_thousand_flipped_bytes_are_detected(folder):
    check_flips(folder, 1000)


def test_damaged_or_truncated_file_is_rebuilt(folder, monkeypatch):
    made = bearoff.table()
    calls = []
    monkeypatch.setattr(bearoff, "build", lambda: calls.append(1) or np.column_stack(made))
    path = folder / f"{bearoff.NAME}.bin"
    path.write_bytes(path.read_bytes()[:-1000])
    assert np.array_equal(bearoff.table.__wrapped__().expected, made.expected)
    assert calls == [1]
    assert kept.read_bytes(bearoff.NAME) is not None  # and kept again
    kept.write(bearoff.NAME, b"sound bytes of another layout")
    assert np.array_equal(bearoff.table.__wrapped__().rolls, made.rolls)
    assert calls == [1, 1]


def test_compiled_index_of_an_empty_side():
    assert bearoff.compiled_index(Bitboard(0), Bitboard(0)) == 0
