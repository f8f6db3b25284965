"""Move ordering: the earlier a good move is searched, the more is cut off.

The moves of a node lie on `ctx.stack` from `top` on, each followed by its ordering score:

    stack:  ... move score | move score | move score | ...
                top          top + 2      top + 4

They are not sorted: a cutoff comes early if it comes at all, so the best of the rest is picked each time.

From best to worst:

1. the move of the transposition table;
2. the game's `move_score`, or `candidate_score` in searches to the end of the game (under the `Sparing` policy,
   which makes no move to look at it, the evaluation's gain);
3. killer moves, which caused the latest beta cutoffs at the same ply (Akl and Newborn 1977): in games without a
   `move_score`, and where a cheap one is 0;
4. the history heuristic: how often a move caused a cutoff anywhere, weighted by depth * depth (Schaeffer 1983).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import MIN, State
from zermelo.core.hints import inline
from zermelo.search.accumulation import score_after
from zermelo.search.context import HISTORY_SIZE, OVERFLOW, STACK_SIZE, UNLIMITED_DEPTH, SearchContext, stop_with
from zermelo.search.table import BUCKET, ENTRY, MARKS, Table

if TYPE_CHECKING:
    from zermelo.search.policy import Policy

# Weights of the ordering scores. Each is larger than the sum of all below it.
TABLE_MOVE = 1 << 60
MOVE_SCORE = 1 << 26
KILLER = MOVE_SCORE // 2
MAX_HISTORY = KILLER // 2 - 1
# Most games play the move to score it; one ply above the horizon that costs more than it saves.
MIN_MOVE_SCORE_DEPTH = 2


def score_moves(
    state: State, evaluation: Evaluation, policy: Policy, table_move: int, depth: int, ply: int, top: int,
    tactical_only: bool, candidates_only: bool, ctx: SearchContext,
) -> int:  # fmt: skip
    """Push the moves to be searched and their ordering scores on the stack. Returns how many there are.

    Without move ordering nothing is pushed: the moves are searched in the order of the rules.
    """
    if not policy.move_ordering:
        return 0
    count = 0
    history = history_offset(state)
    if state.has_candidates and candidates_only:
        for move in state.candidates():
            if not push_move(state, evaluation, policy, move, table_move, depth, ply, top + 2 * count, history, ctx):
                break
            count += 1
        return count
    if state.has_tactical_generator and tactical_only:
        for move in state.tactical_moves():
            if not state.is_tactical(move):
                continue
            if not push_move(state, evaluation, policy, move, table_move, depth, ply, top + 2 * count, history, ctx):
                break
            count += 1
        return count
    for move in state.moves():
        if ply == 0 and is_excluded(move, ctx):
            continue
        if tactical_only and not state.is_tactical(move):
            continue
        if not push_move(state, evaluation, policy, move, table_move, depth, ply, top + 2 * count, history, ctx):
            break
        count += 1
    return count


@inline
def push_move(
    state: State, evaluation: Evaluation, policy: Policy, move: int, table_move: int, depth: int, ply: int, slot: int,
    history: int, ctx: SearchContext,
) -> bool:  # fmt: skip
    """Write a move and its ordering score on the stack. Returns whether there was room."""
    if slot + 2 > STACK_SIZE:
        stop_with(OVERFLOW, ctx)
        return False
    score = ctx.history[history + move % HISTORY_SIZE]
    if move == table_move:
        score += TABLE_MOVE
    elif depth == UNLIMITED_DEPTH and evaluation.endgame_order(state) > 0:
        after = score_after(state, evaluation, move, state.play(move), ply, ctx) * evaluation.endgame_order(state)
        score += (state.move_score(move) + (-after if state.to_move() == MIN else after)) * MOVE_SCORE
    elif state.has_candidate_score and depth == UNLIMITED_DEPTH:
        score += state.candidate_score(move) * MOVE_SCORE
    elif policy.sparing and evaluation.has_gain:
        score += evaluation.gain(state, move) * MOVE_SCORE
    elif not state.has_move_score or (policy.sparing and not state.cheap_move_scores):
        score += killer_score(move, ply, ctx)
    elif state.cheap_move_scores:
        own_score = state.move_score(move)
        score += own_score * MOVE_SCORE if own_score != 0 else killer_score(move, ply, ctx)
    elif depth >= MIN_MOVE_SCORE_DEPTH:
        score += state.move_score(move) * MOVE_SCORE
    ctx.stack[slot] = move
    ctx.stack[slot + 1] = score
    return True


def is_excluded(move: int, ctx: SearchContext) -> bool:
    """Whether a root move is not searched."""
    for index in range(ctx.excluded_count):
        if ctx.excluded_moves[index] == move:
            return True
    return False


def killer_score(move: int, ply: int, ctx: SearchContext) -> int:
    """The ordering score of a killer move; 0 for other moves."""
    if move == ctx.killers[2 * ply]:
        return KILLER
    return KILLER // 2 if move == ctx.killers[2 * ply + 1] else 0


def history_offset(state: State) -> int:
    """Where the history scores of the side to move begin."""
    return HISTORY_SIZE if state.to_move() < 0 else 0


def pick_best(index: int, count: int, top: int, ctx: SearchContext) -> int:
    """The best of the moves from `index` on, swapped to that place."""
    first = top + 2 * index
    best = first
    for slot in range(first + 2, top + 2 * count, 2):
        if ctx.stack[slot + 1] > ctx.stack[best + 1]:
            best = slot
    swap(first, best, ctx)
    return ctx.stack[first]


def swap(first: int, second: int, ctx: SearchContext) -> None:
    """Swap two moves on the stack, each with its score."""
    move = ctx.stack[first]
    score = ctx.stack[first + 1]
    ctx.stack[first] = ctx.stack[second]
    ctx.stack[first + 1] = ctx.stack[second + 1]
    ctx.stack[second] = move
    ctx.stack[second + 1] = score


def best_first(depth: int, key: Bitboard, count: int, top: int, ctx: SearchContext, table: Table) -> Iterator[int]:
    """The moves on the stack, the best first.

    If several threads search together, a move that another thread is searching is deferred to the end: by then its
    score is probably in the table (ABDADA: Weill 1996; young brothers wait: Feldmann 1993). The first move is never
    deferred.
    """
    end = count
    index = 0
    while index < end:
        move = pick_best(index, end, top, ctx)
        if index > 0 and is_shared(depth, ctx) and is_busy(move, key, ctx, table):
            end -= 1
            swap(top + 2 * index, top + 2 * end, ctx)
        else:
            yield move
            index += 1
    for deferred in range(end, count):
        yield ctx.stack[top + 2 * deferred]


def record_cutoff(state: State, policy: Policy, move: int, depth: int, ply: int, ctx: SearchContext) -> None:
    """Update the killer moves and the history scores after a beta cutoff above the horizon."""
    if policy.move_ordering and depth > 0:
        update_killers_and_history(state, move, depth, ply, ctx)


def update_killers_and_history(state: State, move: int, depth: int, ply: int, ctx: SearchContext) -> None:
    """Make the move the first killer of its ply, and raise its history score by depth * depth."""
    if move != ctx.killers[2 * ply]:
        ctx.killers[2 * ply + 1] = ctx.killers[2 * ply]
        ctx.killers[2 * ply] = move
    index = history_offset(state) + move % HISTORY_SIZE
    ctx.history[index] += depth * depth
    if ctx.history[index] > MAX_HISTORY:
        for each in range(2 * HISTORY_SIZE):
            ctx.history[each] //= 2


# ---- several threads: which moves are being searched. A lost or wrong mark costs time, never a wrong score. ----

_MARK_SHIFT = 64 - (MARKS.bit_length() - 1)
# Below this depth searching a subtree twice is cheaper than marking moves.
MIN_SHARED_DEPTH = 3


def is_shared(depth: int, ctx: SearchContext) -> bool:
    """Whether moves at this depth are marked for the other threads."""
    return ctx.threads > 1 and depth >= MIN_SHARED_DEPTH


def _mark(move: int, key: Bitboard) -> Bitboard:
    return (key ^ (move + 1)) * 0x9E3779B97F4A7C15


def _index(mark: Bitboard, ctx: SearchContext) -> int:
    return ctx.buckets * (BUCKET * ENTRY) + int(mark >> _MARK_SHIFT)


def is_busy(move: int, key: Bitboard, ctx: SearchContext, table: Table) -> bool:
    """Whether another thread is searching this move of the state with this key."""
    mark = _mark(move, key)
    return Bitboard(table[_index(mark, ctx)]) == mark


def mark_busy(move: int, key: Bitboard, ctx: SearchContext, table: Table) -> None:
    """Announce to the other threads that this thread searches the move."""
    mark = _mark(move, key)
    table[_index(mark, ctx)] = mark


def mark_free(move: int, key: Bitboard, ctx: SearchContext, table: Table) -> None:
    """Remove the mark of `mark_busy`, if no other thread has replaced it."""
    mark = _mark(move, key)
    index = _index(mark, ctx)
    if Bitboard(table[index]) == mark:
        table[index] = Bitboard(0)


def begin_move(move: int, key: Bitboard, depth: int, ctx: SearchContext, table: Table) -> None:
    """Mark a move as being searched, at depths where threads share work."""
    if is_shared(depth, ctx):
        mark_busy(move, key, ctx, table)


def end_move(move: int, key: Bitboard, depth: int, ctx: SearchContext, table: Table) -> None:
    """Remove the mark of `begin_move`."""
    if is_shared(depth, ctx):
        mark_free(move, key, ctx, table)
