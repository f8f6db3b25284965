"""The transposition table: which entry of a full bucket is replaced. Runs the source itself, without compiling."""

from __future__ import annotations

import pytest

from zermelo.core.bitboard import Bitboard
from zermelo.search.table import (
    BUCKET,
    EXACT,
    UNLIMITED_DEPTH,
    depth_in,
    look_up,
    new_table,
    pack,
    score_in,
    store,
    to_worth,
)

pytestmark = pytest.mark.quick


def filled(worths: list[int], tops: list[int] | None = None) -> list[int]:
    """Store entries with these worths in one bucket, with the top bits of their keys; return those that are left."""
    table = new_table(1)
    keys = [Bitboard(index + 1 | top << 62) for index, top in enumerate(tops or [0] * len(worths))]
    for index, (key, worth) in enumerate(zip(keys, worths, strict=True)):
        store(table, 1, key, pack(index, 3, worth, EXACT, True, 0))
    return [score_in(data) for key in keys if (data := look_up(table, 1, key))]


def test_an_entry_of_a_search_to_the_end_has_the_size_of_its_subtree() -> None:
    for nodes in (0, 1, 15, 16, 10**3, 10**6, 10**15):
        worth = to_worth(UNLIMITED_DEPTH, nodes)
        assert depth_in(pack(-7, 3, worth, EXACT, True, 31)) == UNLIMITED_DEPTH
        assert UNLIMITED_DEPTH <= worth < 256
    assert [to_worth(UNLIMITED_DEPTH, nodes) - UNLIMITED_DEPTH for nodes in (15, 16, 255, 256, 16**5)] == [
        0,
        1,
        1,
        2,
        5,
    ]
    assert to_worth(9, 10**6) == 9


def test_the_smallest_subtree_is_replaced() -> None:
    end = UNLIMITED_DEPTH
    assert filled([end + 3, end + 1, end + 2, end + 2, end]) == [0, 2, 3, 4]
    assert filled([9, 8, 7, 8, 1]) == [0, 1, 3, 4]


def test_the_key_says_which_of_equal_entries_is_replaced() -> None:
    end = [UNLIMITED_DEPTH] * (BUCKET + 1)
    left = [filled(end, [0] * BUCKET + [top]) for top in range(4)]
    assert sorted(min(set(range(BUCKET)) - set(each)) for each in left) == [0, 1, 2, 3]
    assert all(BUCKET in each for each in left)
    assert filled([5] * (BUCKET + 1), [0] * BUCKET + [3]) == [1, 2, 3, 4]  # at a fixed depth, the first


def test_a_key_has_one_entry() -> None:
    """Also where a search of fixed depth stored the state first."""
    for top in range(4):
        table = new_table(1)
        key = Bitboard(5 | top << 62)
        store(table, 1, key, pack(1, 3, 4, EXACT, False, 0))
        store(table, 1, key, pack(2, 3, UNLIMITED_DEPTH, EXACT, True, 1))
        assert score_in(look_up(table, 1, key)) == 2
        assert [int(word) for word in table[:8]].count(0) == 6
