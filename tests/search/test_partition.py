"""The entries of partition search: all are found again, wherever they lie."""

from __future__ import annotations

import pytest
from hashtree import FeatureTree

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import hash_combine
from zermelo.search.context import SearchContext
from zermelo.search.kernel import partition
from zermelo.search.table import Table, new_table

pytestmark = pytest.mark.quick

BUCKETS = 4096  # 512 blocks
FEATURES = (1 << 60) - 1


def context() -> tuple[SearchContext, Table]:
    ctx = SearchContext()
    ctx.buckets = BUCKETS
    return ctx, new_table(BUCKETS)


def state(number: int) -> FeatureTree:
    return FeatureTree(hash_combine(Bitboard(number), 1) & FEATURES, hash_combine(Bitboard(number), 2) & FEATURES)


def save(state: FeatureTree, score: int, relevance: int, key: int, ctx: SearchContext, table: Table) -> None:
    """Save that a state has at least this score."""
    ctx.relevance = relevance
    partition.save_partition(state, score, 1, score - 1, score, 8, Bitboard(key), ctx, table)


def is_at_least(state: FeatureTree, score: int, key: int, ctx: SearchContext, table: Table) -> bool:
    return partition.probe_partition(state, score - 1, score, Bitboard(key), ctx, table)[0]


def test_a_key_of_many_entries_takes_further_blocks() -> None:
    ctx, table = context()
    key = hash_combine(Bitboard(5), 6)
    for number in range(600):
        save(state(number), 2, FEATURES, key, ctx, table)
    assert all(is_at_least(state(number), 2, key, ctx, table) for number in range(600))
    assert not any(is_at_least(state(number), 3, key, ctx, table) for number in range(600))
    assert not any(is_at_least(state(number), 2, key, ctx, table) for number in range(600, 900))
    assert partition.further_blocks(key, ctx, table) >= 600 // partition.ENTRIES - 1


def test_keys_with_the_same_blocks_do_not_disturb_each_other() -> None:
    ctx, table = context()
    keys = [hash_combine(Bitboard(number), 3) & ~Bitboard(BUCKETS // 8 - 1) | 7 for number in range(20)]
    for index, key in enumerate(keys):
        for number in range(index, 200, 20):
            save(state(number), 2, FEATURES, key, ctx, table)
    for index, key in enumerate(keys):
        found = [number for number in range(200) if is_at_least(state(number), 2, key, ctx, table)]
        assert found == list(range(index, 200, 20))


def test_a_full_table_takes_new_entries() -> None:
    ctx, table = context()
    for number in range(10_000):
        key = hash_combine(Bitboard(number % 50), 77)
        save(state(number), 2, FEATURES, key, ctx, table)
        assert is_at_least(state(number), 2, key, ctx, table)


def test_an_entry_replaces_one_that_it_covers() -> None:
    ctx, table = context()
    key = hash_combine(Bitboard(5), 6)
    for number in range(10):
        save(state(number), 2, FEATURES, key, ctx, table)
    save(state(0), 3, 0, key, ctx, table)
    assert all(is_at_least(state(number), 3, key, ctx, table) for number in range(20))
    at = partition.block_of(key, 0, ctx)
    used = [slot for slot in range(at, at + 60, partition.WORDS) if table[slot + 3]]
    assert len(used) == 10
    # An entry with a lower score does not cover one with a higher score.
    save(state(11), 1, 0, key, ctx, table)
    assert is_at_least(state(0), 3, key, ctx, table)


def test_words_of_another_game_are_not_counts() -> None:
    ctx, table = context()
    for word in (0, 5, partition.MAX_FURTHER, 0xFFFF_FFFF_FFFF_FFF0):
        table[:] = word
        assert partition.further_blocks(hash_combine(Bitboard(5), 6), ctx, table) == 0


def test_upper_bounds_are_covered_by_lower_ones() -> None:
    ctx, table = context()
    key = hash_combine(Bitboard(5), 6)

    def save_at_most(score: int) -> None:
        ctx.relevance = 0
        partition.save_partition(state(0), score, 1, score, score + 1, 8, key, ctx, table)

    def is_at_most(score: int) -> bool:
        return partition.probe_partition(state(1), score, score + 1, key, ctx, table)[0]

    save_at_most(3)
    assert is_at_most(3)
    assert not is_at_most(2)
    save_at_most(2)
    assert is_at_most(2)
    save_at_most(4)
    assert is_at_most(2)


def test_keys_take_blocks_of_old_entries_of_a_full_table() -> None:
    ctx, table = context()
    ctx.valid_ages = 31
    for number in range(20_000):
        save(state(number), 2, FEATURES, hash_combine(Bitboard(number % 50), 77), ctx, table)
    ctx.age += partition.OLD_SEARCHES
    key = hash_combine(Bitboard(5), 6)
    for number in range(200):
        save(state(number), 2, FEATURES, key, ctx, table)
    assert all(is_at_least(state(number), 2, key, ctx, table) for number in range(200))
