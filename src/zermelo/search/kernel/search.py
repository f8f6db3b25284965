"""Alpha-beta search of any game: plain Python, compiled by `zermelo.compiled`.

One self-recursive function is minimax, alpha-beta and the engine; a `Policy` switches its parts on and off. Let V be
the exact minimax value of a state at this depth and evaluation (including quiescence search, if the policy has it).
The function returns a fail-soft score s, from MAX's side:

    alpha < s < beta    =>   s == V
    s <= alpha          =>   V <= s
    s >= beta           =>   V >= s

This holds for every move order, table content and number of threads. If `ctx.stopped` is set, s means nothing.

All recursion is in this one function, because Numba cannot cache functions that call each other in a circle. Its parts
are helpers that do not recurse, and a generator for chance nodes. docs/searching.md explains the numbered steps.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import CHANCE, MIN, State
from zermelo.core.hints import unlikely
from zermelo.core.pointer import as_pointer
from zermelo.search.accumulation import enter_node, extend_path, start_path
from zermelo.search.context import NO_MOVES, UNLIMITED_DEPTH, SearchContext, count_node, stop_with
from zermelo.search.kernel.chance import chance_windows, push_outcomes, take_probe
from zermelo.search.kernel.leaves import leaf_score, static_score
from zermelo.search.kernel.partition import enter_partition, joint_relevance
from zermelo.search.kernel.probing import begin_node, known_score, save_score
from zermelo.search.kernel.pruning import child_search, proven_score, score_ceiling, uses_candidates
from zermelo.search.kernel.variation import record_best
from zermelo.search.ordering import is_shared, mark_busy, mark_free, record_cutoff, score_moves
from zermelo.search.policy import Policy
from zermelo.search.scores import LIMIT, finished_score
from zermelo.search.table import NO_MOVE, Table


def search(
    state: State, evaluation: Evaluation, policy: Policy, depth: int, alpha: int, beta: int, ply: int, top: int,
    ctx: SearchContext, table: Table,
) -> int:  # fmt: skip
    """The score of a state at `depth` in the window (alpha, beta), `ply` from the root; `top` of the stack is free."""
    # 1. Count the node; stop where a limit is reached.
    count_node(ctx)
    if ctx.stopped:
        return 0
    begin_node(state, policy, depth, ply, ctx, table)
    is_probe = state.has_chance and policy.star2 and take_probe(ctx)
    # 2. Terminal node: the utility.
    in_partition = enter_partition(state, policy, depth, ctx)
    if state.is_over():
        return finished_score(state.utility(), ply, ctx.base, ctx.unit, ctx.step)
    # 2a, 3. Draw by rule, or horizon.
    is_leaf, score = leaf_score(state, evaluation, policy, depth, ply, ctx)
    if is_leaf:
        return score
    remaining = depth if depth == UNLIMITED_DEPTH else depth - 1
    # 4. Negamax: (low, high) is the window of the side to move; at a chance node it is MAX's.
    side = state.to_move()
    sign = -1 if side == MIN else 1
    low, high = (-beta, -alpha) if side == MIN else (alpha, beta)
    # 5, 5a, 6. Mate distance pruning, and the game's bounds and endgame solver.
    ceiling = score_ceiling(state, policy, depth, ply, ctx)
    is_proven, score = proven_score(state, policy, depth, alpha, beta, ply, ceiling, ctx)
    if unlikely(is_proven):
        return score
    # 7, 7a. Transposition table; at a frontier node, the gains of the moves.
    key, is_known, score, table_move = known_score(state, evaluation, policy, depth, alpha, beta, ply, ctx, table)
    if unlikely(is_known):
        return score
    enter_node(state, evaluation, ply, ctx)
    before, relevance = (ctx.nodes, ctx.horizon_nodes), Bitboard(0)
    # 7b. Chance node: the mean of the outcomes, with Star1 and Star2 cutoffs.
    if state.has_chance and side == CHANCE:
        end = push_outcomes(state, policy, top, ctx)
        for child, move, lower, upper in chance_windows(state, policy, remaining, alpha, beta, top, end, ctx):
            extend_path(state, evaluation, move, ply, ctx)
            ctx.child_score = search(child, evaluation, policy, remaining, lower, upper, ply + 1, end, ctx, table)
        save_score(state, policy, ctx.mean, NO_MOVE, side, depth, ply, alpha, beta, before, key, ctx, table)
        return ctx.mean
    # 8. Search the moves. In quiescence the side to move may stand pat, unless it is in check.
    can_stand_pat = depth <= 0 and not (state.has_in_check and state.in_check())
    best = sign * static_score(state, evaluation, ply, ctx) if can_stand_pat else -LIMIT
    if best >= high:
        return sign * best
    low = max(low, best) if policy.deep_cutoffs else best
    candidates_only = uses_candidates(state, policy, depth, ctx) and ply > 0
    count = score_moves(state, evaluation, policy, table_move, depth, ply, top, can_stand_pat, candidates_only, ctx)
    is_marked = policy.transposition_table and not in_partition and is_shared(depth, ctx)
    best_move, searched, is_partial = NO_MOVE, 0, False
    for move in policy.move_order(state, can_stand_pat, depth, key, count, top, ctx, table):
        if is_probe and searched > 0:
            is_partial = True
            break
        child = state.play(move)
        if is_marked:
            mark_busy(move, key, ctx, table)
        extend_path(state, evaluation, move, ply, ctx)
        # 8a. Principal variation search: a null window for all moves but the first.
        upper = low + 1 if policy.null_window_search and searched > 0 and high - low > 1 else high
        while True:
            image, child_alpha, child_beta = child_search(child, evaluation, policy, depth, side, low, upper)
            score = sign * search(
                image, evaluation, policy, remaining, child_alpha, child_beta, ply + 1, top + 2 * count, ctx, table
            )
            # 8b. A null-window search that fails high inside the window is repeated with the whole window.
            if ctx.stopped or upper >= high or score < upper:
                break
            upper = high
        if ctx.stopped:
            return 0
        if is_marked:
            mark_free(move, key, ctx, table)
        searched += 1
        if in_partition:
            relevance = joint_relevance(state, move, relevance, score >= high, ctx)
        # 8c. A better move raises low.
        if score > best:
            best, best_move = score, move
            record_best(policy, move, sign, score, low, high, ply, ctx)
            low = max(low, score)
            # 8d. Beta cutoff.
            if policy.alpha_beta and score >= high:
                record_cutoff(state, policy, move, depth, ply, ctx)
                break
            # 8e. No other move can be better.
            if best >= ceiling:
                break
    if searched == 0 and not can_stand_pat:
        return stop_with(NO_MOVES, ctx)
    # 9. Save the score.
    ctx.partial = is_partial
    if in_partition:
        ctx.relevance = int(relevance)
    save_score(state, policy, sign * best, best_move, side, depth, ply, alpha, beta, before, key, ctx, table)
    return sign * best


def run_search(
    state: State, evaluation: Evaluation, policy: Policy, depth: int, alpha: int, beta: int, ply: int, top: int,
    ctx: SearchContext, table: Table,
) -> int:  # fmt: skip
    """Entry point of compiled code: `search` from the root, with `ply` and `top` 0.

    They are parameters because a recursive function may not be called with literals (numba#6061).
    """
    ctx.chance_depth = 0
    ctx.probing = False
    ctx.partial = False
    start_path(state, evaluation, ply, ctx)
    return search(state, evaluation, policy, depth, alpha, beta, ply, top, ctx, as_pointer(table))
