"""Static evaluation, by an accumulator that follows the path where the evaluation has one.

`ctx.accumulated_ply` is the last ply of the path whose accumulator is that of its node; those after it are brought up
to date when a score is needed, one move at a time:

    ply           0 (root)   1        2        3 (leaf)
    accumulators  valid      valid    stale    stale          accumulated_ply = 1
    states        stored     stored   stored   an argument
    path_moves               1        2        3
"""

from __future__ import annotations

from zermelo.core.accumulator import (
    accumulator_at,
    can_be_stored,
    clear_accumulator,
    copy_accumulator,
    load_state,
    store_state,
)
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.hints import inline
from zermelo.search.context import SearchContext


@inline
def uses_accumulator(state: State, evaluation: Evaluation) -> bool:
    """Whether scores come from accumulators; a constant of the compiled code."""
    return evaluation.has_accumulator and can_be_stored(state)


@inline
def evaluate(state: State, evaluation: Evaluation, ply: int, ctx: SearchContext) -> int:
    """The evaluation's score of the node at a ply of the path."""
    if not uses_accumulator(state, evaluation):
        return evaluation.score(state)
    update_path(state, evaluation, ply, ctx)
    return evaluation.accumulated_score(state, accumulator_at(ctx, ply, evaluation))


@inline
def update_path(state: State, evaluation: Evaluation, ply: int, ctx: SearchContext) -> None:
    """Bring the accumulators up to date, to that of a state at the end of the path."""
    while ctx.accumulated_ply < ply:
        last = ctx.accumulated_ply
        parent = load_state(ctx, last, state)
        child = state if last + 1 == ply else load_state(ctx, last + 1, state)
        copy_accumulator(ctx, last, evaluation)
        move = ctx.path_moves[last + 1]
        evaluation.update_accumulator(accumulator_at(ctx, last + 1, evaluation), parent, move, child)
        ctx.accumulated_ply = last + 1


@inline
def start_path(state: State, evaluation: Evaluation, ply: int, ctx: SearchContext) -> None:
    """Compute the accumulator of the root from scratch."""
    if uses_accumulator(state, evaluation):
        clear_accumulator(ctx, ply, evaluation)
        evaluation.start_accumulator(state, accumulator_at(ctx, ply, evaluation))
        ctx.accumulated_ply = ply


@inline
def score_after(state: State, evaluation: Evaluation, move: int, child: State, ply: int, ctx: SearchContext) -> int:
    """The evaluation's score of the state after a move from the node at the end of the path, which is stored."""
    if not uses_accumulator(state, evaluation):
        return evaluation.score(child)
    update_path(state, evaluation, ply, ctx)
    copy_accumulator(ctx, ply, evaluation)
    accumulator = accumulator_at(ctx, ply + 1, evaluation)
    evaluation.update_accumulator(accumulator, state, move, child)
    return evaluation.accumulated_score(child, accumulator)


@inline
def enter_node(state: State, evaluation: Evaluation, ply: int, ctx: SearchContext) -> None:
    """Store the state of an interior node before its moves are searched."""
    if uses_accumulator(state, evaluation):
        store_state(ctx, ply, state)


@inline
def extend_path(state: State, evaluation: Evaluation, move: int, ply: int, ctx: SearchContext) -> None:
    """Note the move that is searched from a node; accumulators below the node are stale from now on."""
    if uses_accumulator(state, evaluation):
        ctx.path_moves[ply + 1] = move
        ctx.accumulated_ply = min(ctx.accumulated_ply, ply)
