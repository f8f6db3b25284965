"""Move ordering of the selective search: histories with rewards and penalties.

From best to worst: the table's move; tactical moves by what they capture, or by the game's `move_score`, and among
equals by the history of the move alone, since the other histories lie outside the processor's cache; killer and
counter moves; quiet moves by the sum of their histories; tactical moves that lose material. The moves lie on
`ctx.stack` as in `zermelo.search.ordering`. Those that have been searched or left out come
first, in the order of the search.

References
----------
- J. Schaeffer, "The History Heuristic and Alpha-Beta Search Enhancements in Practice", IEEE PAMI 11, 1989.
- J. Uiterwijk, "The Countermove Heuristic", ICCA Journal 15, 1992.
"""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State
from zermelo.core.hints import inline
from zermelo.search.context import HISTORY_SIZE, OVERFLOW, STACK_SIZE, SearchContext, stop_with
from zermelo.search.ordering import (
    KILLER,
    MIN_MOVE_SCORE_DEPTH,
    MOVE_SCORE,
    TABLE_MOVE,
    history_offset,
    is_busy,
    is_excluded,
    is_shared,
    killer_score,
    swap,
)
from zermelo.search.selective import CONTINUATIONS, Selective, SelectiveContext
from zermelo.search.table import NO_MOVE, Table

# Histories stay between -MAX_HISTORY and MAX_HISTORY: each change moves a score by a fraction of the rest.
MAX_HISTORY = 1 << 14
MAX_BONUS = 1 << 11
# Subtracted from the scores of moves that lose material, and of moves that another thread is searching: each is larger
# than twice the scores before it.
LOSING = 1 << 59
DEFERRED = 1 << 61
LAST = -(1 << 62)


def push_moves(state: State, ply: int, first: int, end: int, ctx: SearchContext, memory: SelectiveContext) -> int:
    """Push the moves that are not between `first` and `end` of the stack; quiet ones have a score of 0 at first.

    Returns the new end of the stack.
    """
    offset = history_offset(state)
    known = end
    for move in state.moves():
        score = tactical_score(state, move)
        if score != 0:
            if is_between(move, first, known, ctx):
                continue
            score = score * MOVE_SCORE + memory.history[offset + move % HISTORY_SIZE]
        if move == memory.excluded[ply] or (ply == 0 and is_excluded(move, ctx)):
            continue
        if end + 2 > STACK_SIZE:
            stop_with(OVERFLOW, ctx)
            break
        ctx.stack[end] = move
        ctx.stack[end + 1] = score
        end += 2
    return end


def push_tactical_moves(state: State, ply: int, top: int, ctx: SearchContext, memory: SelectiveContext) -> int:
    """Push the moves that may be tactical with their scores. Returns the end of the stack."""
    end = top
    offset = history_offset(state)
    for move in state.tactical_moves():
        if move == memory.excluded[ply] or (ply == 0 and is_excluded(move, ctx)):
            continue
        if end + 2 > STACK_SIZE:
            stop_with(OVERFLOW, ctx)
            break
        ctx.stack[end] = move
        ctx.stack[end + 1] = tactical_score(state, move) * MOVE_SCORE + memory.history[offset + move % HISTORY_SIZE]
        end += 2
    return end


def raise_score(move: int, first: int, end: int, ctx: SearchContext) -> None:
    """Raise the score of the table's move above the others on a part of the stack."""
    for slot in range(first, end, 2):
        if ctx.stack[slot] == move:
            ctx.stack[slot + 1] += TABLE_MOVE


def is_between(move: int, first: int, end: int, ctx: SearchContext) -> bool:
    """Whether a move lies on a part of the stack."""
    for slot in range(first, end, 2):
        if ctx.stack[slot] == move:
            return True
    return False


def best_of(first: int, end: int, ctx: SearchContext) -> int:
    """Swap the best of the moves on a part of the stack to its beginning. Returns the move."""
    best = first
    most = ctx.stack[first + 1]
    for slot in range(first + 2, end, 2):
        score = ctx.stack[slot + 1]
        best = slot if score > most else best
        most = max(most, score)
    move = ctx.stack[best]
    ctx.stack[best] = ctx.stack[first]
    ctx.stack[best + 1] = ctx.stack[first + 1]
    ctx.stack[first] = move
    ctx.stack[first + 1] = most
    return move


def ordered_moves(
    state: State, table_move: int, depth: int, ply: int, top: int, ctx: SearchContext, memory: SelectiveContext
) -> Iterator[tuple[int, int]]:
    """The moves to be searched, the best first, each with the end of the stack.

    Most nodes are left after a few moves, so all is done as late as possible: quiet moves are made after the tactical
    ones have been searched, unless one is the table's move, and scored last. Whether a tactical move loses material is
    asked when its turn comes. Once `memory.leaves_out_quiet` is set, the quiet moves that are left are skipped.

    Where `memory.may_defer` is 1, the caller may set it to 2: the move comes again after the others.
    """
    memory.leaves_out_quiet[ply] = memory.may_defer[ply] = memory.keeps_material[ply] = 0
    first = end = middle = top
    has_all = not state.has_tactical_generator or (table_move != NO_MOVE and is_quiet(state, table_move))
    if has_all:
        end = push_moves(state, ply, top, top, ctx, memory)
    else:
        end = middle = push_tactical_moves(state, ply, top, ctx, memory)
    if table_move != NO_MOVE:
        for slot in range(top, end, 2):
            if ctx.stack[slot] == table_move:
                swap(top, slot, ctx)
                yield table_move, end
                first = top + 2
                break
    if has_all:
        middle = first
        for slot in range(first, end, 2):
            if ctx.stack[slot + 1] != 0:
                swap(slot, middle, ctx)
                middle += 2
    while first < middle:
        move = best_of(first, middle, ctx)
        if is_losing(state, move, ctx.stack[first + 1]):
            ctx.stack[first + 1] -= LOSING
        else:
            memory.may_defer[ply] = 1 if first > top else 0
            memory.keeps_material[ply] = 1
            yield move, end
            if memory.may_defer[ply] != 2:
                first += 2
                continue
            ctx.stack[first + 1] -= DEFERRED
        middle -= 2
        swap(first, middle, ctx)
    memory.keeps_material[ply] = 0
    if not has_all:
        end = push_moves(state, ply, top, end, ctx, memory)
    offset = history_offset(state)
    counter = memory.counter_moves[offset + memory.moves[ply] % HISTORY_SIZE]
    for slot in range(first, end, 2):
        score = ctx.stack[slot + 1]
        if score == 0:
            ctx.stack[slot + 1] = quiet_score(state, ctx.stack[slot], counter, depth, ply, offset, ctx, memory)
        elif score > -LOSING // 2:  # a tactical move that `tactical_moves` leaves out
            ctx.stack[slot + 1] -= LOSING
    while first < end:
        if memory.leaves_out_quiet[ply] != 0:
            for slot in range(first, end, 2):
                if ctx.stack[slot + 1] > -LOSING // 2:
                    ctx.stack[slot + 1] = LAST
            memory.leaves_out_quiet[ply] = 0
        move = best_of(first, end, ctx)
        score = ctx.stack[first + 1]
        if score == LAST:
            break
        memory.may_defer[ply] = 1 if first > top and score > -DEFERRED // 2 else 0
        yield move, end
        if memory.may_defer[ply] == 2:
            ctx.stack[first + 1] -= DEFERRED
        else:
            first += 2


@inline
def is_deferred(
    move: int, key: Bitboard, depth: int, ply: int, ctx: SearchContext, memory: SelectiveContext, table: Table
) -> bool:
    """Whether the move is deferred, because another thread is searching it, as in `best_first`."""
    if memory.may_defer[ply] == 1 and is_shared(depth, ctx) and is_busy(move, key, ctx, table):
        memory.may_defer[ply] = 2
        return True
    return False


@inline
def is_losing(state: State, move: int, score: int) -> bool:
    """Whether a tactical move loses material."""
    return score < 0 or (state.has_exchange and not state.exchange(move, 0))


@inline
def tactical_score(state: State, move: int) -> int:
    """The ordering score of a tactical move; 0 for a quiet one."""
    if state.has_capture_value:
        return state.capture_value(move)
    if state.has_move_score and state.cheap_move_scores:
        return state.move_score(move)
    return 1 if state.has_tactical_moves and state.is_tactical(move) else 0


@inline
def is_quiet(state: State, move: int) -> bool:
    """Whether a move is neither tactical nor scored by the game."""
    return tactical_score(state, move) == 0


@inline
def quiet_score(
    state: State, move: int, counter: int, depth: int, ply: int, offset: int, ctx: SearchContext,
    memory: SelectiveContext,
) -> int:  # fmt: skip
    """The ordering score of a quiet move."""
    score = history_score(move, ply, offset, memory)
    if state.has_move_score and not state.cheap_move_scores and depth >= MIN_MOVE_SCORE_DEPTH:
        return score + state.move_score(move) * MOVE_SCORE
    if move == counter:
        score += KILLER // 4
    return score + killer_score(move, ply, ctx)


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


def change_history(
    parameters: Selective, move: int, bonus: int, ply: int, offset: int, memory: SelectiveContext
) -> None:
    """Reward or penalize a move in all of its histories."""
    index = offset + move % HISTORY_SIZE
    memory.history[index] += bonus - memory.history[index] * abs(bonus) // MAX_HISTORY
    if not parameters.continuation_history:
        return
    index = continuation(memory.moves[ply], move)
    memory.continuations[index] += bonus - memory.continuations[index] * abs(bonus) // MAX_HISTORY
    if ply > 0:
        index = continuation(memory.moves[ply - 1] + HISTORY_SIZE, move)
        memory.continuations[index] += bonus - memory.continuations[index] * abs(bonus) // MAX_HISTORY


def record_success(
    state: State, parameters: Selective, move: int, quiet: bool, depth: int, ply: int, top: int, ctx: SearchContext,
    memory: SelectiveContext,
) -> None:  # fmt: skip
    """After a beta cutoff reward the move, and penalize the moves before it, also those that were left out.

    Tactical moves are penalized only if the cutoff is by a tactical move: they are searched before quiet ones anyway.
    """
    offset = history_offset(state)
    bonus = min(16 * depth * depth + 32 * depth, MAX_BONUS)
    if quiet and parameters.killer_moves:
        if move != ctx.killers[2 * ply]:
            ctx.killers[2 * ply + 1] = ctx.killers[2 * ply]
            ctx.killers[2 * ply] = move
        memory.counter_moves[offset + memory.moves[ply] % HISTORY_SIZE] = move
    if quiet or parameters.capture_history:
        change_history(parameters, move, bonus, ply, offset, memory)
    slot = top
    while ctx.stack[slot] != move:
        if (not quiet and parameters.capture_history) or is_quiet(state, ctx.stack[slot]):
            change_history(parameters, ctx.stack[slot], -bonus, ply, offset, memory)
        slot += 2
