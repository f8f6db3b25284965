"""Partition search: table entries for whole sets of states (Ginsberg 1996).

The proof of a score often rests on a small part of the state. In bridge the low cards of a suit mostly do not matter,
only how many each hand has. A game with the hooks `partition_key`, `features`, `relevance`, `bounds_relevance` and
`settled` says which part: each search returns, in `ctx.relevance`, the features that its score rests on. The score then
holds for all states with the same partition key that agree in these features.

Such games have a layout of their own in the table's memory: blocks of twelve entries of five words. The first block of
a key, and further ones if it needs them, are found by double hashing; other keys may use the same blocks. Keys need
very different numbers of entries: in a bridge deal mostly a few, sometimes more than 1,000.

    words 5 i, 5 i + 1    entry i: the state's features, where they are relevant
    word 5 i + 2          relevance: the features that must agree
    word 5 i + 3          data (`zermelo.search.table`): the score less `settled`; the subtree's size (log 2) as depth
    word 5 i + 4          the key XORed with a hash of the other words (so half-written entries count as absent)
    word 60               the number of further blocks of the keys whose first block this is, XORed with a constant

References
----------
- M. L. Ginsberg, "Partition Search", AAAI 1996.
- B. Haglund and S. Hein, "Search Algorithms for a Bridge Double Dummy Solver", 2014, section 3.6: winning ranks.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State
from zermelo.core.hints import inline
from zermelo.search.context import SearchContext
from zermelo.search.kernel.pruning import uses_bounds
from zermelo.search.policy import Policy
from zermelo.search.table import (
    AGES,
    BUCKET,
    ENTRY,
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    Table,
    age_in,
    bound_in,
    depth_in,
    move_in,
    pack,
    score_in,
)  # fmt: skip

WORDS = 5  # of an entry
ENTRIES = 12  # of a block
BLOCK_BUCKETS = 8  # a block takes the memory of this many buckets of the ordinary table
BLOCK_WORDS = BLOCK_BUCKETS * BUCKET * ENTRY
COUNT_WORD = WORDS * ENTRIES
assert COUNT_WORD < BLOCK_WORDS
# Most further blocks of a key. A lookup visits all of them; the largest key of 40 bridge deals had about 700.
MAX_FURTHER = 1023
# Blocks that a key tries for its next entry, skipping full ones. With one, large keys soon stopped growing.
TRIED_BLOCKS = 4
# A key that needs a further block overwrites entries that are this many searches old: in bridge, of another strain.
OLD_SEARCHES = 8
# XORed with a count, so that words that another game left in the memory are hardly ever read as counts.
COUNT_MARK = 0x9E3779B97F4A0000


@inline
def uses_partition(state: State, policy: Policy, depth: int, ctx: SearchContext) -> bool:
    """Whether scores are kept for sets of states: in exact searches of utilities."""
    return state.has_partition and not state.has_chance and ctx.base == 0 and uses_bounds(policy, depth, ctx)


@inline
def enter_partition(state: State, policy: Policy, depth: int, ctx: SearchContext) -> bool:
    """Start a node: `uses_partition`; if so, no feature is relevant yet."""
    in_partition = uses_partition(state, policy, depth, ctx)
    if in_partition:
        ctx.relevance = 0
    return in_partition


@inline
def joint_relevance(state: State, move: int, relevance: Bitboard, is_cutoff: bool, ctx: SearchContext) -> Bitboard:
    """The features that a score rests on after one more move: those of a cutoff alone, or of all moves together."""
    return state.relevance(move, ctx.relevance, relevance, is_cutoff)


def block_of(key: Bitboard, number: int, ctx: SearchContext) -> int:
    """The index in the table of the first word of a key's block; number 0 is the first block."""
    step = key >> 32 | 1  # odd, so that all blocks of a key differ
    return int(key + step * number & (ctx.buckets // BLOCK_BUCKETS - 1)) * BLOCK_WORDS


def further_blocks(key: Bitboard, ctx: SearchContext, table: Table) -> int:
    """How many blocks follow the first one of a key."""
    count = Bitboard(table[block_of(key, 0, ctx) + COUNT_WORD]) ^ COUNT_MARK
    return int(count) if count <= MAX_FURTHER else 0


def check_word(first: Bitboard, second: Bitboard, relevance: Bitboard, data: Bitboard) -> Bitboard:
    """A hash of an entry's words."""
    mixed = first * 0x9E3779B97F4A7C15 ^ second * 0xD6E8FEB86659FD93 ^ relevance * 0xC2B2AE3D27D4EB4F
    return mixed ^ mixed >> 29 ^ data


def probe_partition(
    state: State, alpha: int, beta: int, key: Bitboard, ctx: SearchContext, table: Table
) -> tuple[bool, int, int]:
    """Whether an entry decides the null window, its score (its relevance in `ctx.relevance`), a move to try first.

    A key of 0 has no entries.
    """
    move = NO_MOVE
    if not key or ctx.buckets < BLOCK_BUCKETS:
        return False, 0, move
    first, second = state.features()
    settled = state.settled()
    best_size = -1
    further = further_blocks(key, ctx, table)
    for older in range(further + 1):  # the latest entries first: the search is often near them
        at = block_of(key, further - older, ctx)
        for slot in range(at, at + ENTRIES * WORDS, WORDS):
            data = Bitboard(table[slot + 3])
            if not data:  # entries are filled in order
                break
            relevance = Bitboard(table[slot + 2])
            one, two = Bitboard(table[slot]), Bitboard(table[slot + 1])
            if (first ^ one | second ^ two) & relevance:
                continue
            if Bitboard(table[slot + 4]) ^ check_word(one, two, relevance, data) != key:
                continue
            if (ctx.age - age_in(data)) % AGES > ctx.valid_ages:
                continue
            score = score_in(data) + settled
            bound = bound_in(data)
            if beta - alpha <= 1:
                if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
                    ctx.relevance = int(relevance)
                    return True, score, move
            if depth_in(data) > best_size:
                best_size = depth_in(data)
                move = move_in(data)
    return False, 0, move


def is_covered(
    slot: int, first: Bitboard, second: Bitboard, relevance: Bitboard, score: int, bound: int, key: Bitboard,
    table: Table,
) -> bool:  # fmt: skip
    """Whether a new entry covers an old one: it holds for all of its states, with a bound at least as tight."""
    one, two, narrower = Bitboard(table[slot]), Bitboard(table[slot + 1]), Bitboard(table[slot + 2])
    if (one ^ first | two ^ second) & relevance or relevance & ~narrower:
        return False
    data = Bitboard(table[slot + 3])
    if bound_in(data) != bound or (score_in(data) < score if bound == UPPER else score_in(data) > score):
        return False
    return Bitboard(table[slot + 4]) ^ check_word(one, two, narrower, data) == key


def slot_for(
    first: Bitboard, second: Bitboard, relevance: Bitboard, score: int, bound: int, key: Bitboard, ctx: SearchContext,
    table: Table,
) -> int:  # fmt: skip
    """The slot of a new entry: a covered entry, an empty slot, or the entry with the smallest subtree.

    A key whose blocks are full takes the next block with a slot that is empty or old.
    """
    further = further_blocks(key, ctx, table)
    replaced, least = 0, 1 << 20
    for number in range(further + 1):
        at = block_of(key, number, ctx)
        for slot in range(at, at + ENTRIES * WORDS, WORDS):
            data = Bitboard(table[slot + 3])
            if not data or is_covered(slot, first, second, relevance, score, bound, key, table):
                return slot
            value = depth_in(data) - 4 * ((ctx.age - age_in(data)) % AGES)
            if value < least:
                replaced, least = slot, value
    for number in range(further + 1, min(further + TRIED_BLOCKS, MAX_FURTHER) + 1):
        at = block_of(key, number, ctx)
        for slot in range(at, at + ENTRIES * WORDS, WORDS):
            data = Bitboard(table[slot + 3])
            if not data or (ctx.age - age_in(data)) % AGES >= OLD_SEARCHES:
                table[block_of(key, 0, ctx) + COUNT_WORD] = Bitboard(number) ^ COUNT_MARK
                return slot
    return replaced


def save_partition(
    state: State,
    score: int,
    move: int,
    alpha: int,
    beta: int,
    nodes: int,
    key: Bitboard,
    ctx: SearchContext,
    table: Table,
) -> None:
    """Save a score, found after `nodes` nodes, for all states that agree in `ctx.relevance`."""
    if not key or ctx.buckets < BLOCK_BUCKETS:
        return
    first, second = state.features()
    relevance = Bitboard(ctx.relevance)
    first &= relevance
    second &= relevance
    bound = LOWER if score >= beta else UPPER if score <= alpha else EXACT
    size = 0
    while nodes > 1:
        nodes >>= 1
        size += 1
    own_score = score - state.settled()
    slot = slot_for(first, second, relevance, own_score, bound, key, ctx, table)
    data = pack(own_score, move, size, bound, True, ctx.age)
    table[slot] = first
    table[slot + 1] = second
    table[slot + 2] = relevance
    table[slot + 3] = data
    table[slot + 4] = key ^ check_word(first, second, relevance, data)
