"""Windows of the children, and scores that are proven without a search: mate distance pruning, endgame solvers."""

from __future__ import annotations

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import MAX, State
from zermelo.core.hints import inline
from zermelo.core.history import has_history_rules
from zermelo.search.accumulation import uses_accumulator
from zermelo.search.context import UNLIMITED_DEPTH, SearchContext
from zermelo.search.kernel.endgame_probing import endgame_interval, in_endgame_table
from zermelo.search.policy import Policy
from zermelo.search.scores import LIMIT, finished_score, ranked_score


@inline
def uses_bounds(policy: Policy, depth: int, ctx: SearchContext) -> bool:
    """Whether `bounds` and `candidates` may decide: in a search of utilities, the same in any number of plies."""
    return policy.bounds and depth == UNLIMITED_DEPTH and ctx.step == 0


@inline
def uses_candidates(state: State, policy: Policy, depth: int, ctx: SearchContext) -> bool:
    """Whether only `candidates` are searched; by distance too, if the game vouches for it by `ranked_bounds`."""
    return uses_bounds(policy, depth, ctx) or (state.has_ranked_bounds and policy.bounds and depth == UNLIMITED_DEPTH)


@inline
def child_window(policy: Policy, side: int, low: int, upper: int) -> tuple[int, int]:
    """The window of a child, from MAX's side, where (low, upper) is that of the side to move."""
    if not policy.alpha_beta:
        return -LIMIT, LIMIT
    if not policy.deep_cutoffs:
        return (low, LIMIT) if side == MAX else (-LIMIT, -low)
    return (low, upper) if side == MAX else (-upper, -low)


@inline
def child_search(
    child: State, evaluation: Evaluation, policy: Policy, depth: int, side: int, low: int, upper: int
) -> tuple[State, int, int]:
    """The state to search for a child of a node at `depth`, which may be its canonical image, and its window.

    The moves of an image are others. So only null windows, which keep no line, are searched like this, and no games
    whose positions are recorded and no evaluations that follow the moves.
    """
    image = child
    if child.has_canonical and not (has_history_rules(child) or uses_accumulator(child, evaluation)):
        if policy.canonical_states and depth == UNLIMITED_DEPTH and upper - low <= 1:
            image = child.canonical()
    alpha, beta = child_window(policy, side, low, upper)
    return image, alpha, beta


@inline
def score_ceiling(state: State, policy: Policy, depth: int, ply: int, ctx: SearchContext) -> int:
    """The largest score of the side to move: that of a win at the next move, or the bound of a game of chance."""
    if policy.mate_distance_pruning:
        if state.has_chance:
            return ctx.bound
        if depth == UNLIMITED_DEPTH or ctx.base > 0:
            return finished_score(state.max_utility, ply + 1, ctx.base, ctx.unit, ctx.step)
    return LIMIT


@inline
def proven_score(
    state: State, policy: Policy, depth: int, alpha: int, beta: int, ply: int, ceiling: int, ctx: SearchContext
) -> tuple[bool, int]:
    """Whether the score is proven without a search, by ceiling, bounds, table or endgame solver, and the score."""
    # 5. Mate distance pruning: a window outside of -ceiling .. ceiling is decided.
    if policy.mate_distance_pruning:
        if alpha >= ceiling:
            return True, ceiling
        if beta <= -ceiling:
            return True, -ceiling
    # 5a. Bounds of the utility; not at the root, where a move is wanted.
    if state.has_bounds and uses_bounds(policy, depth, ctx) and ply > 0:
        least, most = state.bounds()
        low = finished_score(least, ply, ctx.base, ctx.unit, ctx.step)
        high = finished_score(most, ply, ctx.base, ctx.unit, ctx.step)
        if low >= beta or high <= alpha:
            if state.has_partition:  # the relevance is that of the window's end, and may not cover a tighter bound
                ctx.relevance = int(state.bounds_relevance(alpha, beta))
                return True, beta if low >= beta else alpha
            return True, low if low >= beta else high
    if state.has_ranked_bounds and policy.bounds and depth == UNLIMITED_DEPTH and ply > 0:
        least, most = state.ranked_bounds()
        low = ranked_score(least, ply, ctx.base, ctx.unit, ctx.step)
        high = ranked_score(most, ply, ctx.base, ctx.unit, ctx.step)
        if low >= beta or high <= alpha:
            return True, low if low >= beta else high
    # 5b. Endgame table.
    if state.has_index and in_endgame_table(state, ply, ctx):
        low, high = endgame_interval(state, ply, ctx)
        if low == high or low >= beta or high <= alpha:
            return True, low if low == high or low >= beta else high
    # 6. Endgame solver. It returns a utility, for the plain scale (base 0), and no line, so only for null windows.
    if policy.endgame_solver and state.has_endgame_solver and not state.has_chance:
        if depth == UNLIMITED_DEPTH and beta - alpha <= 1 and ctx.base == 0 and state.is_endgame():
            score, nodes = state.solve_endgame(alpha, beta)
            ctx.nodes += nodes
            return True, score
    return False, 0
