"""The transposition table in a selective search.

Scores of any depth that is at least the node's are used, if a search that was certain enough found them.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State, hash_combine
from zermelo.core.hints import inline, prefetch
from zermelo.search.context import SearchContext
from zermelo.search.kernel.probing import save_entry
from zermelo.search.repetition import table_key
from zermelo.search.scores import LIMIT, WIN
from zermelo.search.selective import SelectiveContext
from zermelo.search.table import (
    AGES,
    EXACT,
    LOWER,
    NO_MOVE,
    UPPER,
    Table,
    age_in,
    bound_in,
    bucket_of,
    depth_in,
    from_entry,
    is_solved,
    look_up,
    score_in,
)


@inline
def position_key(state: State) -> Bitboard:
    """The key of a state, without the reversible plies if a draw depends on them.

    It is computed once for a node, when its bucket of the table is loaded.
    """
    return state.repetition_key() if state.draw_at_reversible_plies > 0 else state.key()


@inline
def state_key(
    state: State, position: Bitboard, depth: int, ply: int, ctx: SearchContext, memory: SelectiveContext
) -> Bitboard:
    """The key of a state in the table; `position` is its `position_key`.

    But in full mode it says nothing of the positions before the state, so that all ways to a state and all depths share
    their moves and scores. Scores that rest on a draw by repetition may then be wrong elsewhere; they are never solved.
    """
    if memory.is_full:
        return table_key(state, depth, ply, ctx) & ctx.key_mask
    if state.draw_at_reversible_plies > 0:
        reversible = state.reversible_plies()
        if reversible + depth >= state.draw_at_reversible_plies:
            return hash_combine(position, reversible) & ctx.key_mask
    return position & ctx.key_mask


@inline
def load_entry(child: State, ctx: SearchContext, table: Table) -> Bitboard:
    """Load a child's bucket of the table, which is read after other work. Returns the child's `position_key`."""
    position = position_key(child)
    prefetch(table, bucket_of(ctx.buckets, position & ctx.key_mask))
    return position


@inline
def known_entry(key: Bitboard, excluded: int, ctx: SearchContext, table: Table) -> Bitboard:
    """The table's entry; 0 if there is none, or if a move is excluded."""
    return look_up(table, ctx.buckets, key) if excluded == NO_MOVE else Bitboard(0)


@inline
def decides(entry: Bitboard, depth: int, alpha: int, beta: int, ply: int, ctx: SearchContext) -> bool:
    """Whether an entry's score decides the window."""
    if not entry or (ctx.age - age_in(entry)) % AGES > ctx.valid_ages:
        return False
    if not is_solved(entry) and (depth_in(entry) < depth or ctx.selectivities[age_in(entry)] > ctx.selectivity):
        return False
    score = from_entry(score_in(entry), ply, ctx.base, ctx.step)
    bound = bound_in(entry)
    return bound == EXACT or (score >= beta if bound == LOWER else score <= alpha)


@inline
def refined(static: int, sign: int, entry: Bitboard, ply: int, ctx: SearchContext) -> int:
    """The static score of the side to move, or an entry's score if it bounds the state's score more tightly."""
    if not entry or static == -LIMIT or (ctx.age - age_in(entry)) % AGES > ctx.valid_ages:
        return static
    score = sign * from_entry(score_in(entry), ply, ctx.base, ctx.step)
    lower = bound_in(entry) == (LOWER if sign > 0 else UPPER)
    if abs(score) < WIN and (bound_in(entry) == EXACT or lower == (score > static)):
        return score
    return static


@inline
def note_known(entry: Bitboard, ply: int, ctx: SearchContext) -> int:
    """The score of an entry that decides the window."""
    if not is_solved(entry):
        ctx.horizon_nodes += 1
    return from_entry(score_in(entry), ply, ctx.base, ctx.step)


def save_searched(
    score: int, move: int, side: int, depth: int, ply: int, alpha: int, beta: int, before: int, excluded: int,
    key: Bitboard, ctx: SearchContext, table: Table,
) -> None:  # fmt: skip
    """Save the score and best move of a node, unless some of its moves were excluded.

    `before` is the count of horizon nodes before the node was searched: if it has not changed, the score is solved. It
    never is in quiescence search, whose scores are of depth 0.
    """
    if excluded == NO_MOVE and (ply > 0 or ctx.excluded_count == 0):
        save_entry(score, move, side, depth, ply, alpha, beta, ctx.horizon_nodes == before, key, ctx, table)
