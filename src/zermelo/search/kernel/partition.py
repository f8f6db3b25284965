"""Partition search: table entries for whole sets of states (Ginsberg 1996).

The proof of a score often rests on a small part of the state. In bridge the low cards of a suit mostly do not matter,
only how many each hand has. A game with the hooks `partition_key`, `features`, `relevance`, `bounds_relevance` and
`settled` says which part: each search returns, in `ctx.relevance`, the features that its score rests on. The score then
holds for all states with the same partition key that agree in these features.

Such games have a layout of their own in the table's memory. A set has a hundred entries of five words; the partition
key selects it:

    word 0, 1    the state's features, where they are relevant
    word 2       relevance: the features that must agree
    word 3       data (`zermelo.search.table`): the score less `settled`; the subtree's size (log 2) as depth
    word 4       the key XORed with a hash of words 0 to 3 (so half-written entries count as absent)

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
ENTRIES = 100  # of a set
# A set takes the memory of 64 buckets of the ordinary table. With 25 entries a set, bridge takes twice the nodes.
SET_BUCKETS = 64
SET_WORDS = SET_BUCKETS * BUCKET * ENTRY
assert WORDS * ENTRIES <= SET_WORDS


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


def set_of(buckets: int, key: Bitboard) -> int:
    """The index in the table of the first word of the key's set."""
    return int(key & (buckets // SET_BUCKETS - 1)) * SET_WORDS


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
    if not key or ctx.buckets < SET_BUCKETS:
        return False, 0, move
    first, second = state.features()
    settled = state.settled()
    at = set_of(ctx.buckets, key)
    best_size = -1
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
    """Save a score, found after `nodes` nodes, for all states that agree in `ctx.relevance`.

    It replaces the entry of the same states, an empty one, or the one with the smallest subtree.
    """
    if not key or ctx.buckets < SET_BUCKETS:
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
    at = set_of(ctx.buckets, key)
    replaced = at
    least = 1 << 20
    for slot in range(at, at + ENTRIES * WORDS, WORDS):
        data = Bitboard(table[slot + 3])
        if not data:
            replaced = slot
            break
        if (
            Bitboard(table[slot]) == first
            and Bitboard(table[slot + 1]) == second
            and Bitboard(table[slot + 2]) == relevance
            and bound_in(data) == bound
            and Bitboard(table[slot + 4]) ^ check_word(first, second, relevance, data) == key
        ):
            replaced = slot
            break
        value = depth_in(data) - 4 * ((ctx.age - age_in(data)) % AGES)
        if value < least:
            least = value
            replaced = slot
    data = pack(score - state.settled(), move, size, bound, True, ctx.age)
    table[replaced] = first
    table[replaced + 1] = second
    table[replaced + 2] = relevance
    table[replaced + 3] = data
    table[replaced + 4] = key ^ check_word(first, second, relevance, data)
