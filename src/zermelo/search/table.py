"""Transposition table: scores and best moves of states already searched, in a fixed amount of memory.

The table is an array of buckets of four entries; a state's key selects the bucket (Greenblatt, Eastlake and Crocker
1967; Breuker 1998 compares replacement schemes). An entry is two words:

    word 0    key ^ data      the full 64-bit key, XORed with the data (Hyatt and Mann 2002)
    word 1    data            bits 0-23 score + OFFSET, 24-47 move + 1 (0: none), 48-55 depth; in searches to the end
                              UNLIMITED_DEPTH plus a class of the subtree's size, 0 to 5,
                              56-57 bound (1 lower, 2 upper, 3 exact), 58 solved, 59-63 age

Threads share the table without locks. If two threads write one entry at once, its words may not belong together; then
word 0 ^ word 1 does not equal the key, and the entry counts as absent.

Scores are stored from the point of view of their own state, so scores of wins are adjusted by the ply (`to_entry`,
`from_entry`).

The search promises the minimax value of exactly its depth. So a score is used only at the depth that it was found at,
or at any larger depth if it is *solved*: no leaf below was cut off by the depth. A stored move is only a suggestion; it
is made only if it is legal.

The age of an entry names the search that wrote it, and so its confidence: each search context holds the
selectivity of the search of each age. An exact search takes moves from selective searches, and no scores but solved
ones; a selective search takes the scores of searches that are at least as certain.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import NO_MOVE as NO_MOVE
from zermelo.errors import LimitError
from zermelo.search.scores import LIMIT

if TYPE_CHECKING:  # the command line names searches before it loads NumPy
    import numpy as np

Table: TypeAlias = "np.ndarray[Any, np.dtype[np.uint64]]"

ENTRY = 2  # words
BUCKET = 4  # entries: 64 bytes, one cache line
OFFSET = 1 << 23
assert LIMIT < OFFSET

LOWER, UPPER, EXACT = 1, 2, 3
# The depth of a search to the end of the game; it is not counted down.
UNLIMITED_DEPTH = 250
# Subtrees of less than 16, 16 ** 2, ... nodes: with UNLIMITED_DEPTH, what 8 bits hold.
SIZE_CLASSES = 6
AGES = 32  # ages are counted modulo AGES
BUCKET_BYTES = BUCKET * ENTRY * 8

# Words behind the buckets where threads mark the moves that they are searching (`zermelo.search.ordering`).
MARKS = 1 << 12

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def buckets_in(size: int) -> int:
    """The number of buckets, a power of two, that fit into `size` bytes; at least one."""
    return 1 << (max(1, size // BUCKET_BYTES).bit_length() - 1)


def new_table(buckets: int) -> Table:
    """An empty table with `buckets` buckets, followed by the marks of the threads.

    It begins at a page of memory, so that each bucket is a cache line, and its pages are large where the system allows
    it: the processor does not know the addresses of many small ones.
    """
    import numpy as np

    size = 8 * (buckets * BUCKET * ENTRY + MARKS)
    try:
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
            with suppress(OSError):  # the system has no large pages
                memory.madvise(mmap.MADV_HUGEPAGE)
        else:
            memory = mmap.mmap(-1, size)
    except OSError:
        raise MemoryError from None
    return np.frombuffer(memory, np.uint64)


def parse_size(text: str | int, what: str = "table size") -> int:
    """Convert a size such as "64M", "1G", "500K" or a number of bytes to bytes.

    Parameters
    ----------
    text : str or int
        0 to 1024G. A text of 1 to 1023 needs a unit, which is missing rather than meant: "64" is refused.
    what : str
        What the size is of, for the error message.

    Raises
    ------
    LimitError
        If the text is not a size or out of range.
    """
    if isinstance(text, int):
        size = text
    else:
        number = text.strip().upper().removesuffix("IB").removesuffix("B")
        unit = number[-1:] if number[-1:] in "KMG" else ""
        digits = number[: len(number) - len(unit)]
        if not (digits.isascii() and digits.isdecimal() and len(digits) <= 20):
            raise LimitError(f"{what} must be a number of bytes like 64M, 1G or 500K (got {quoted(str(text))})")
        size = int(digits) * _UNITS[unit]
        if 0 < size < 1024:
            raise LimitError(f"{what} {size} is in bytes; for megabytes write {size}M")
    if not 0 <= size <= 1 << 40:
        raise LimitError(f"{what} must be between 0 and 1024G (got {quoted(str(text))})")
    return size


# ---- the compiled part ------------------------------------------------------------------------------------


def to_entry(score: int, ply: int, base: int, step: int) -> int:
    """Convert a score of the search to one of an entry: plies to a win are counted from the entry's state."""
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
    """The data word stored for a key; 0 if there is none."""
    at = bucket_of(buckets, key)
    for slot in range(BUCKET):
        data = Bitboard(table[at + slot * ENTRY + 1])
        if Bitboard(table[at + slot * ENTRY]) ^ data == key and data:
            return data
    return Bitboard(0)


def score_in(data: Bitboard) -> int:
    """The score, as seen from the entry's state."""
    return int(data & 0xFFFFFF) - OFFSET


def move_in(data: Bitboard) -> int:
    """The best move, or NO_MOVE."""
    return int(data >> 24 & 0xFFFFFF) - 1


def depth_in(data: Bitboard) -> int:
    """The depth of the search, in plies."""
    return min(int(data >> 48 & 0xFF), UNLIMITED_DEPTH)


def worth_in(data: Bitboard) -> int:
    """What makes an entry worth keeping: its depth, in searches to the end also the size of its subtree."""
    return int(data >> 48 & 0xFF)


def to_worth(depth: int, nodes: int) -> int:
    """What an entry holds for its depth and the nodes of its subtree."""
    if depth < UNLIMITED_DEPTH:
        return depth
    return UNLIMITED_DEPTH + min(Bitboard(nodes | 1).last() // 4, SIZE_CLASSES - 1)


def bound_in(data: Bitboard) -> int:
    """LOWER, UPPER or EXACT."""
    return int(data >> 56 & 3)


def is_solved(data: Bitboard) -> bool:
    """Whether no leaf below was cut off by the depth."""
    return int(data >> 58 & 1) == 1


def age_in(data: Bitboard) -> int:
    """The age of the search that wrote the entry, 0 to 31."""
    return int(data >> 59)


def pack(score: int, move: int, depth: int, bound: int, solved: bool, age: int) -> Bitboard:
    """The data word of an entry."""
    word = Bitboard(score + OFFSET) | Bitboard(move + 1) << 24 | Bitboard(depth) << 48
    return word | Bitboard(bound) << 56 | Bitboard(1 if solved else 0) << 58 | Bitboard(age) << 59


def store(table: Table, buckets: int, key: Bitboard, data: Bitboard) -> None:
    """Store data for a key: replace the key's entry, an empty one, or the least valuable one of the bucket.

    The value of an entry is its depth, less eight plies for each search since it was written. In searches to the end,
    where all depths are equal, larger subtrees count more; of equal ones, the key says which entry goes.
    """
    at = bucket_of(buckets, key)
    age = age_in(data)
    replaced = at
    least = 1 << 20
    turn = int(key >> 62) if depth_in(data) == UNLIMITED_DEPTH else 0
    for slot in range(BUCKET):
        place = at + slot * ENTRY
        old = Bitboard(table[place + 1])
        if not old or Bitboard(table[place]) ^ old == key:
            replaced = place
            break
        value = BUCKET * (worth_in(old) - 8 * ((age - age_in(old)) % AGES)) + (slot + turn) % BUCKET
        if value < least:
            least = value
            replaced = place
    table[replaced] = key ^ data
    table[replaced + 1] = data
