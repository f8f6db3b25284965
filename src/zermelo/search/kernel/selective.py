"""Selective alpha-beta search of any game: `search.py` with moves left out, reduced and extended.

The score is an estimate of the minimax value, not a bound on it. `ctx.horizon_nodes` also counts what was given up, so
that it is unchanged exactly where the score is that of the game. In full mode (`memory.is_full`) nothing is given up,
and a score is proven as in an exact search.

Each function calls only itself and functions before it (see `search.py`). They are called with unfinished states, and
with `memory.in_check` of their ply set. docs/searching.md names the sources of the steps.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import MIN, State
from zermelo.core.pointer import as_pointer
from zermelo.search.accumulation import enter_node, extend_path, start_path
from zermelo.search.context import NO_MOVES, SearchContext, count_node, stop_with
from zermelo.search.kernel.forward_pruning import (
    exchange_fails,
    extension,
    is_futile,
    is_left_out,
    may_prune,
    may_prune_moves,
    null_window_tests,
    own_depth,
    reduced_depth,
    reverse_futility,
)
from zermelo.search.kernel.leaves import leaf_score, static_score
from zermelo.search.kernel.pruning import child_window
from zermelo.search.kernel.selective_correction import corrected, learn_correction
from zermelo.search.kernel.selective_ordering import (
    best_of,
    history_score,
    is_deferred,
    is_quiet,
    ordered_moves,
    push_moves,
    push_tactical_moves,
    raise_score,
    record_success,
)
from zermelo.search.kernel.selective_path import finished, note_child, note_static, score_by_rule
from zermelo.search.kernel.selective_probing import (
    decides,
    known_entry,
    load_entry,
    note_known,
    position_key,
    refined,
    save_searched,
    state_key,
)
from zermelo.search.kernel.variation import clear_line, record_best
from zermelo.search.ordering import begin_move, end_move, history_offset
from zermelo.search.policy import Policy
from zermelo.search.scores import LIMIT
from zermelo.search.selective import Selective, SelectiveContext
from zermelo.search.table import NO_MOVE, Table, move_in


def quiescence(
    state: State, evaluation: Evaluation, policy: Policy, parameters: Selective, depth: int, alpha: int, beta: int,
    ply: int, top: int, key: Bitboard, ctx: SearchContext, memory: SelectiveContext, table: Table,
) -> int:  # fmt: skip
    """The score of a state by tactical moves only, in check by all moves; `depth` is 0 at the horizon, and falls."""
    count_node(ctx)
    if ctx.stopped:
        return 0
    clear_line(policy, ply, ctx)
    if not memory.is_full:
        ctx.horizon_nodes += 1  # also of a draw by repetition: see `state_key`
    is_leaf, score = leaf_score(state, evaluation, policy, depth, ply, ctx)
    if is_leaf:
        return score
    remaining = depth - 1
    side = state.to_move()
    sign = -1 if side == MIN else 1
    low, high = (-beta, -alpha) if side == MIN else (alpha, beta)
    in_check, is_pv = memory.in_check[ply] != 0, high - low > 1
    # Transposition table.
    key = state_key(state, key, 0, ply, ctx, memory)
    entry = known_entry(key, NO_MOVE, ctx, table) if not memory.is_full else Bitboard(0)
    if not is_pv and decides(entry, 0, alpha, beta, ply, ctx):
        return note_known(entry, ply, ctx)
    # Stand pat.
    static = 0 if in_check else corrected(state, sign * static_score(state, evaluation, ply, ctx), parameters, memory)
    best = -LIMIT if in_check else refined(static, sign, entry, ply, ctx)
    if best >= high:
        return sign * best
    low, best_move = max(low, best), NO_MOVE
    enter_node(state, evaluation, ply, ctx)
    if in_check:
        end = push_moves(state, ply, top, top, ctx, memory)
    else:
        end = push_tactical_moves(state, ply, top, ctx, memory)
    if entry:
        raise_score(move_in(entry), top, end, ctx)
    for slot in range(top, end, 2):
        move = best_of(slot, end, ctx)
        if not in_check:
            needed = 0 if memory.is_full else low - static - parameters.delta_margin
            if (needed > 0 and exchange_fails(state, move, needed)) or not state.is_tactical(move):
                continue
        child = state.play(move)
        child_key = load_entry(child, ctx, table)
        extend_path(state, evaluation, move, ply, ctx)
        if child.is_over():
            score = sign * finished(child, policy, ply, ctx)
        else:
            note_child(child, move, ply, memory)
            child_alpha, child_beta = child_window(policy, side, low, high)
            score = sign * quiescence(
                child, evaluation, policy, parameters, remaining, child_alpha, child_beta, ply + 1, end, child_key,
                ctx, memory, table,
            )  # fmt: skip
        if ctx.stopped:
            return 0
        if score > best:
            best = score
            record_best(policy, move, sign, score, low, high, ply, ctx)
            if score > low:
                low, best_move = score, move
            if score >= high:
                break
    if in_check and end == top:
        return stop_with(NO_MOVES, ctx)
    if not memory.is_full:
        save_searched(sign * best, best_move, side, 0, ply, alpha, beta, -1, NO_MOVE, key, ctx, table)
    return sign * best


def selective_search(
    state: State, evaluation: Evaluation, policy: Policy, parameters: Selective, depth: int, alpha: int, beta: int,
    ply: int, top: int, key: Bitboard, ctx: SearchContext, memory: SelectiveContext, table: Table,
) -> int:  # fmt: skip
    """The score of a state at `depth` in the window (alpha, beta), from MAX's side; `key` is its `position_key`."""
    if depth <= 0:
        return quiescence(state, evaluation, policy, parameters, depth, alpha, beta, ply, top, key, ctx, memory, table)
    count_node(ctx)
    if ctx.stopped:
        return 0
    clear_line(policy, ply, ctx)
    is_known, score = score_by_rule(state, evaluation, policy, depth, alpha, beta, ply, ctx, memory)
    if is_known:
        return score
    side = state.to_move()
    sign = -1 if side == MIN else 1
    low, high = (-beta, -alpha) if side == MIN else (alpha, beta)
    is_pv, before, excluded = high - low > 1, ctx.horizon_nodes, memory.excluded[ply]
    key = state_key(state, key, depth, ply, ctx, memory)
    entry = known_entry(key, excluded, ctx, table)
    table_move = move_in(entry) if entry else NO_MOVE
    if not is_pv and decides(entry, depth, alpha, beta, ply, ctx):
        return note_known(entry, ply, ctx)
    uncorrected = -LIMIT if memory.in_check[ply] != 0 else sign * static_score(state, evaluation, ply, ctx)
    static = corrected(state, uncorrected, parameters, memory)
    improving = note_static(static, sign, ply, memory) and parameters.improving
    static = refined(static, sign, entry, ply, ctx)
    enter_node(state, evaluation, ply, ctx)
    if may_prune(is_pv, high, ply, memory) and reverse_futility(parameters, depth, static, high, improving):
        ctx.horizon_nodes += 1
        return sign * ((static + high) // 2)
    # Null move, ProbCut, singular extension: searches with a null window before that of the moves.
    for tested, at, remaining, bound in null_window_tests(
        state, parameters, entry, depth, low, high, static, ply, ctx, memory
    ):
        extend_path(tested, evaluation, NO_MOVE, ply, ctx)
        child_alpha, child_beta = child_window(policy, side, bound - 1, bound)
        memory.score = sign * selective_search(
            tested, evaluation, policy, parameters, remaining, child_alpha, child_beta, at, top,
            position_key(tested), ctx, memory, table,
        )  # fmt: skip
    if ctx.stopped or memory.is_cut:
        return sign * memory.score
    # Search the moves; without a move of the table a ply less deep (internal iterative reduction).
    clear_line(policy, ply, ctx)
    depth = own_depth(state, parameters, depth, table_move, excluded, ply, memory)
    best, best_move, searched, extended = -LIMIT, table_move, 0, memory.extended
    for move, end in ordered_moves(state, table_move, depth, ply, top, ctx, memory):
        if is_deferred(move, key, depth, ply, ctx, memory, table):
            continue
        quiet = is_quiet(state, move)
        may_leave_out = may_prune_moves(is_pv, high, best, ply, memory)
        if may_leave_out and is_left_out(state, parameters, move, quiet, depth, searched, improving, ply, memory):
            ctx.horizon_nodes += 1
            continue
        searched += 1
        child = state.play(move)
        child_key = load_entry(child, ctx, table)
        extend_path(state, evaluation, move, ply, ctx)
        if child.is_over():
            score = sign * finished(child, policy, ply, ctx)
        else:
            gives_check = note_child(child, move, ply, memory)
            if may_leave_out and quiet and not gives_check and is_futile(parameters, depth, searched, static, low):
                ctx.horizon_nodes += 1
                continue
            remaining = depth - 1 + extension(parameters, gives_check, move == extended, ply, memory)
            history = history_score(move, ply, history_offset(state), memory) if quiet else 0
            reduced = reduced_depth(
                parameters, depth, remaining, searched, quiet, is_pv, gives_check, improving, history, memory
            )
            upper = low + 1 if searched > 1 else high
            begin_move(move, key, depth, ctx, table)
            # A move that is better than expected is searched again: to the whole depth, then in the whole window.
            while True:
                child_alpha, child_beta = child_window(policy, side, low, upper)
                score = sign * selective_search(
                    child, evaluation, policy, parameters, reduced, child_alpha, child_beta, ply + 1, end,
                    child_key, ctx, memory, table,
                )  # fmt: skip
                if ctx.stopped or score <= low or (reduced == remaining and upper == high):
                    break
                reduced, upper = remaining, high if reduced == remaining else upper
            end_move(move, key, depth, ctx, table)
        if ctx.stopped:
            return 0
        if score > best:
            best = score
            record_best(policy, move, sign, score, low, high, ply, ctx)
            if score > low:
                low, best_move = score, move
            if score >= high:
                record_success(state, parameters, move, quiet, depth, ply, top, ctx, memory)
                break
    if searched == 0:
        return stop_with(NO_MOVES, ctx) if excluded == NO_MOVE else sign * low
    learn_correction(state, uncorrected, best, best_move, excluded, depth, alpha, beta, ply, parameters, ctx, memory)
    save_searched(sign * best, best_move, side, depth, ply, alpha, beta, before, excluded, key, ctx, table)
    return sign * best


def run_selective_search(
    state: State, evaluation: Evaluation, policy: Policy, parameters: Selective, depth: int, alpha: int, beta: int,
    ply: int, top: int, ctx: SearchContext, memory: SelectiveContext, table: Table,
) -> int:  # fmt: skip
    """Entry point of compiled code: `selective_search` from the root, with `ply` and `top` 0."""
    ctx.partial = False
    memory.passing_ply = 0
    memory.root_depth = depth
    memory.in_check[ply] = 1 if state.has_in_check and state.in_check() else 0
    start_path(state, evaluation, ply, ctx)
    return selective_search(
        state, evaluation, policy, parameters, depth, alpha, beta, ply, top, position_key(state), ctx, memory,
        as_pointer(table),
    )  # fmt: skip
