"""Move ordering of the selective search: histories with rewards and penalties.

From best to worst: the table's move; tactical moves by the game's `move_score`; killer and counter moves; quiet moves
by the sum of their histories; tactical moves with a negative score. The moves lie on `ctx.stack` as in
`zermelo.search.ordering`.

References
----------
- J. Schaeffer, "The History Heuristic and Alpha-Beta Search Enhancements in Practice", IEEE PAMI 11, 1989.
- J. Uiterwijk, "The Countermove Heuristic", ICCA Journal 15, 1992.
"""

from __future__ import annotations

from zermelo.core.game import State
from zermelo.core.hints import inline
from zermelo.search.context import HISTORY_SIZE, OVERFLOW, STACK_SIZE, SearchContext, stop_with
from zermelo.search.ordering import (
    KILLER,
    MIN_MOVE_SCORE_DEPTH,
    MOVE_SCORE,
    TABLE_MOVE,
    history_offset,
    is_excluded,
    killer_score,
)
from zermelo.search.selective import CONTINUATIONS, SelectiveContext

# Histories stay between -MAX_HISTORY and MAX_HISTORY: each change moves a score by a fraction of the rest.
MAX_HISTORY = 1 << 14
MAX_BONUS = 1 << 11


def push_moves(
    state: State, table_move: int, depth: int, ply: int, top: int, tactical_only: bool, ctx: SearchContext,
    memory: SelectiveContext,
) -> int:  # fmt: skip
    """Push the moves to be searched and their ordering scores on the stack. Returns how many there are."""
    count = 0
    offset = history_offset(state)
    counter = memory.counter_moves[offset + memory.moves[ply] % HISTORY_SIZE]
    for move in state.moves():
        if move == memory.excluded[ply] or (ply == 0 and is_excluded(move, ctx)):
            continue
        if tactical_only and not state.is_tactical(move):
            continue
        slot = top + 2 * count
        if slot + 2 > STACK_SIZE:
            stop_with(OVERFLOW, ctx)
            break
        ctx.stack[slot] = move
        ctx.stack[slot + 1] = ordering_score(state, move, table_move, counter, depth, ply, offset, ctx, memory)
        count += 1
    return count


@inline
def ordering_score(
    state: State, move: int, table_move: int, counter: int, depth: int, ply: int, offset: int, ctx: SearchContext,
    memory: SelectiveContext,
) -> int:  # fmt: skip
    """The ordering score of a move."""
    if move == table_move:
        return TABLE_MOVE
    score = history_score(move, ply, offset, memory)
    if state.has_move_score and (state.cheap_move_scores or depth >= MIN_MOVE_SCORE_DEPTH):
        own_score = state.move_score(move)
        if own_score != 0 or not state.cheap_move_scores:
            return score + own_score * MOVE_SCORE
    if move == counter:
        score += KILLER // 4
    return score + killer_score(move, ply, ctx)


@inline
def is_quiet(state: State, move: int) -> bool:
    """Whether a move is neither tactical nor scored by the game."""
    if state.has_move_score and state.cheap_move_scores:
        return state.move_score(move) == 0
    return not (state.has_tactical_moves and state.is_tactical(move))


@inline
def continuation(before: int, move: int) -> int:
    """The index of a move after another one in the continuation history."""
    return (before * 0x9E3779B1 + move * 0x85EBCA6B >> 15) % CONTINUATIONS


def history_score(move: int, ply: int, offset: int, memory: SelectiveContext) -> int:
    """The sum of a move's histories: anywhere, after the other side's last move, and after the own move before."""
    score = memory.history[offset + move % HISTORY_SIZE]
    score += memory.continuations[continuation(memory.moves[ply], move)]
    if ply > 0:
        score += memory.continuations[continuation(memory.moves[ply - 1] + HISTORY_SIZE, move)]
    return score


def change_history(move: int, bonus: int, ply: int, offset: int, memory: SelectiveContext) -> None:
    """Reward or penalize a move in all of its histories."""
    index = offset + move % HISTORY_SIZE
    memory.history[index] += bonus - memory.history[index] * abs(bonus) // MAX_HISTORY
    index = continuation(memory.moves[ply], move)
    memory.continuations[index] += bonus - memory.continuations[index] * abs(bonus) // MAX_HISTORY
    if ply > 0:
        index = continuation(memory.moves[ply - 1] + HISTORY_SIZE, move)
        memory.continuations[index] += bonus - memory.continuations[index] * abs(bonus) // MAX_HISTORY


def record_success(
    state: State, move: int, quiet: bool, depth: int, ply: int, top: int, ctx: SearchContext, memory: SelectiveContext
) -> None:
    """After a beta cutoff reward the move, and penalize the quiet moves that were searched before it."""
    offset = history_offset(state)
    bonus = min(16 * depth * depth + 32 * depth, MAX_BONUS)
    if quiet:
        if move != ctx.killers[2 * ply]:
            ctx.killers[2 * ply + 1] = ctx.killers[2 * ply]
            ctx.killers[2 * ply] = move
        memory.counter_moves[offset + memory.moves[ply] % HISTORY_SIZE] = move
    change_history(move, bonus, ply, offset, memory)
    slot = top
    while ctx.stack[slot] != move:
        if not quiet or is_quiet(state, ctx.stack[slot]):
            change_history(ctx.stack[slot], -bonus, ply, offset, memory)
        slot += 2
