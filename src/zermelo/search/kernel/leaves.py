"""Scores without a search: terminal nodes, draws by rule, static evaluation, and the gains of the last moves."""

from __future__ import annotations

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import CHANCE, State
from zermelo.core.hints import inline, unlikely
from zermelo.core.history import has_history_rules
from zermelo.search.accumulation import evaluate
from zermelo.search.context import MAX_PLY, OVERFLOW, SearchContext, stop_with
from zermelo.search.policy import Policy
from zermelo.search.repetition import NO_RULE, record_position, rule_utility
from zermelo.search.scores import LIMIT, WIN, finished_score

# Quiescence search ends at this depth below the horizon, so that it ends in every game.
MAX_QUIESCENCE_PLIES = 32


@inline
def leaf_score(
    state: State, evaluation: Evaluation, policy: Policy, depth: int, ply: int, ctx: SearchContext
) -> tuple[bool, int]:
    """Whether the node is a leaf, and its score."""
    if unlikely(ply >= MAX_PLY):
        return True, stop_with(OVERFLOW, ctx)
    # 2a. A draw by rule, or a forbidden repetition; not at the root, where a move is wanted, and not below the horizon.
    if has_history_rules(state) and depth >= 0:
        rule = record_position(state, depth, ply, ctx)
        if rule != NO_RULE and ply > 0:
            return True, finished_score(rule_utility(state, rule), ply, ctx.base, ctx.unit, ctx.step)
    # 3. Horizon: static evaluation, unless quiescence search goes on.
    if depth <= 0:
        ctx.horizon_nodes += 1
        goes_on = policy.quiescence and state.has_tactical_moves and depth > -MAX_QUIESCENCE_PLIES
        if not goes_on or state.to_move() == CHANCE:
            return True, static_score(state, evaluation, ply, ctx)
    return False, 0


def static_score(state: State, evaluation: Evaluation, ply: int, ctx: SearchContext) -> int:
    """The evaluation's score, strictly between a loss and a win; on the fine scale in games of chance."""
    score = evaluate(state, evaluation, ply, ctx)
    if state.has_chance:
        return max(-ctx.bound, min(score * ctx.grain, ctx.bound))
    return max(1 - WIN, min(score, WIN - 1))


def can_use_gains(state: State, evaluation: Evaluation, policy: Policy) -> bool:
    """Whether the score after a move is the score before it plus the move's gain; a constant of the compiled code."""
    if state.has_chance or has_history_rules(state):
        return False
    return policy.move_gains and evaluation.has_gain and not (policy.quiescence and state.has_tactical_moves)


def best_gain(state: State, evaluation: Evaluation, sign: int, high: int, ply: int, ctx: SearchContext) -> int:
    """The mover's score after the move with the largest gain, or the first one that reaches `high`."""
    score = sign * evaluate(state, evaluation, ply, ctx)
    best = -LIMIT
    for move in state.moves():
        best = max(best, score + evaluation.gain(state, move))
        if best >= high:
            break
    return max(1 - WIN, min(best, WIN - 1))
