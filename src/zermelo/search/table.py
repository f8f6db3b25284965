"""The transposition table: what was found out about states already searched, in a fixed amount of memory.

The table is a row of buckets of four entries; a state's key picks the bucket. An entry is two words:

    word 0    key ^ data      the full 64-bit key, folded with the data (Hyatt and Mann 2002)
    word 1    data            bit 0..23 score + OFFSET, 24..47 move + 1 (0: none), 48..55 depth,
                              56..57 bound (1 lower, 2 upper, 3 exact), 58 solved, 59..63 age

Threads share the table without locks. Two threads that write one entry at once can leave words that do not
belong together; then word 0 ^ word 1 is not the key that is looked for, and the entry counts as absent.

A score is kept as seen from its own state, so wins are moved by the ply (see `to_entry`, `from_entry`).

When may a score be used? The search promises the minimax value of exactly its depth, so an entry serves only
at the same depth, or, if it is *solved* (no leaf below was cut off by depth), at any depth at least as large. A
move is a mere suggestion: the search takes it only if it is among the legal moves.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from zermelo.core.bitboard import Bitboard
from zermelo.errors import LimitError
from zermelo.search.scores import LIMIT

Table: TypeAlias = "np.ndarray[Any, np.dtype[np.uint64]]"

ENTRY = 2  # words
BUCKET = 4  # entries: 64 bytes, one cache line
OFFSET = 1 << 23
assert LIMIT < OFFSET

LOWER, UPPER, EXACT = 1, 2, 3
NO_MOVE = -1
AGES = 32
SMALLEST = BUCKET * ENTRY * 8  # bytes

# Words behind the buckets where threads mark what they are searching.
MARKS = 1 << 12

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def buckets_in(size: int) -> int:
    """How many buckets, a power of two, fit into `size` bytes; at least one."""
    return 1 << (max(1, size // SMALLEST).bit_length() - 1)


def new_table(buckets: int) -> Table:
    """An empty table of so many buckets, and behind them the marks of `zermelo.search.ordering`."""
    return np.zeros(buckets * BUCKET * ENTRY + MARKS, np.uint64)


def parse_size(text: str | int, what: str = "table size") -> int:
    """Bytes from a text such as `64M`, `1G`, `500K` or a plain number. Raises `LimitError`, which says `what` it is."""
    if isinstance(text, int):
        size = text
    else:
        number = text.strip().upper().removesuffix("IB").removesuffix("B")
        unit = number[-1:] if number[-1:] in "KMG" else ""
        digits = number[: len(number) - len(unit)]
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= 20):
            raise LimitError(f"{what} {text!r} is not a number of bytes like 64M, 1G or 500K")
        size = int(digits) * _UNITS[unit]
    if not 0 <= size <= 1 << 40:
        raise LimitError(f"{what} {text!r} is not between 0 and 1024G")
    return size


# ---- the compiled part ------------------------------------------------------------------------------------


def to_entry(score: int, ply: int, base: int, step: int) -> int:
    """A score as seen from its own state, `ply` below the root: wins and losses count from there."""
    if score > base > 0:
        return score + ply * step
    if -score > base > 0:
        return score - ply * step
    return score


def from_entry(score: int, ply: int, base: int, step: int) -> int:
    """The inverse of `to_entry`."""
    if score > base > 0:
        return score - ply * step
    if -score > base > 0:
        return score + ply * step
    return score


def bucket_of(buckets: int, key: Bitboard) -> int:
    """The index in the table of the first word of the key's bucket."""
    return int(key & (buckets - 1)) * (BUCKET * ENTRY)


def look_up(table: Table, buckets: int, key: Bitboard) -> Bitboard:
    """The data word kept for a key, or an empty word."""
    at = bucket_of(buckets, key)
    for slot in range(BUCKET):
        data = Bitboard(table[at + slot * ENTRY + 1])
        if Bitboard(table[at + slot * ENTRY]) ^ data == key and data:
            return data
    return Bitboard(0)


def score_in(data: Bitboard) -> int:
    return int(data & 0xFFFFFF) - OFFSET


def move_in(data: Bitboard) -> int:
    """The move that was best, or -1."""
    return int(data >> 24 & 0xFFFFFF) - 1


def depth_in(data: Bitboard) -> int:
    return int(data >> 48 & 0xFF)


def bound_in(data: Bitboard) -> int:
    return int(data >> 56 & 3)


def is_solved(data: Bitboard) -> bool:
    return int(data >> 58 & 1) == 1


def age_in(data: Bitboard) -> int:
    return int(data >> 59)


def pack(score: int, move: int, depth: int, bound: int, solved: bool, age: int) -> Bitboard:
    """The data word of an entry."""
    word = Bitboard(score + OFFSET) | Bitboard(move + 1) << 24 | Bitboard(depth) << 48
    return word | Bitboard(bound) << 56 | Bitboard(1 if solved else 0) << 58 | Bitboard(age) << 59


def store(table: Table, buckets: int, key: Bitboard, data: Bitboard) -> None:
    """Keep data for a key: in place of the key's older entry, else of the least valuable in the bucket.

    An entry of an older search is worth eight plies less for each search since; then depth counts.
    """
    at = bucket_of(buckets, key)
    age = age_in(data)
    worst = at
    least = 1 << 20
    for slot in range(BUCKET):
        place = at + slot * ENTRY
        old = Bitboard(table[place + 1])
        if not old or Bitboard(table[place]) ^ old == key:
            worst = place
            break
        value = depth_in(old) - 8 * ((age - age_in(old)) % AGES)
        if value < least:
            least = value
            worst = place
    table[worst] = key ^ data
    table[worst + 1] = data
