"""What a selective search notes of the states and moves on its path."""

from __future__ import annotations

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.hints import inline
from zermelo.core.history import has_repetition_rule
from zermelo.search.context import ROOT, SearchContext, count_node
from zermelo.search.kernel.leaves import leaf_score
from zermelo.search.kernel.pruning import proven_score, score_ceiling
from zermelo.search.kernel.variation import clear_line
from zermelo.search.policy import Policy
from zermelo.search.scores import LIMIT, finished_score
from zermelo.search.selective import SelectiveContext


@inline
def note_child(child: State, move: int, ply: int, memory: SelectiveContext) -> bool:
    """Note the move that leads to a child. Returns whether the child's side to move is in check."""
    memory.moves[ply + 1] = move
    in_check = child.has_in_check and child.in_check()
    memory.in_check[ply + 1] = 1 if in_check else 0
    return in_check


@inline
def is_repeated(state: State, ply: int, ctx: SearchContext) -> bool:
    """Whether the position occurred on the path from the root: then both sides can repeat it until it is a draw."""
    here = ROOT + ply
    if ctx.path_counts[here] > 1:
        for back in range(state.shortest_cycle, min(state.reversible_plies(), ply) + 1):
            if ctx.path_keys[here - back] == ctx.path_keys[here]:
                return True
    return False


@inline
def score_by_rule(
    state: State,
    evaluation: Evaluation,
    policy: Policy,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
    ctx: SearchContext,
    memory: SelectiveContext,
) -> tuple[bool, int]:
    """Whether a state above the horizon is a draw by rule or decided by bounds on all scores, and its score."""
    is_drawn, score = leaf_score(state, evaluation, policy, depth, ply, ctx)
    if has_repetition_rule(state) and not memory.is_full and ply > 0:
        if is_drawn:
            ctx.horizon_nodes += 1  # the table's keys do not say what was repeated
        elif not state.has_forbidden_repetition and is_repeated(state, ply, ctx):
            ctx.horizon_nodes += 1
            return True, 0
    if is_drawn:
        return True, score
    ceiling = score_ceiling(state, policy, depth, ply, ctx)
    return proven_score(state, policy, depth, alpha, beta, ply, ceiling, ctx)


@inline
def finished(child: State, policy: Policy, ply: int, ctx: SearchContext) -> int:
    """The score of a child that is a finished game."""
    count_node(ctx)
    clear_line(policy, ply + 1, ctx)
    return finished_score(child.utility(), ply + 1, ctx.base, ctx.unit, ctx.step)


@inline
def note_static(static: int, sign: int, ply: int, memory: SelectiveContext) -> bool:
    """Note the static score of the side to move; -LIMIT in check. Returns whether it rose since its last move."""
    memory.static_scores[ply] = LIMIT if static == -LIMIT else sign * static
    if static == -LIMIT or ply < 2:
        return False
    before = memory.static_scores[ply - 2]
    return before == LIMIT or static > sign * before
