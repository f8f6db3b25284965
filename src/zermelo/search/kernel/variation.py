"""The principal variation in a triangular table: row `ply` of `ctx.lines` is the best line from that ply on."""

from __future__ import annotations

from zermelo.core.hints import inline
from zermelo.search.context import PLIES, SearchContext
from zermelo.search.policy import Policy


@inline
def clear_line(policy: Policy, ply: int, ctx: SearchContext) -> None:
    """Start a node with an empty line."""
    if policy.keeps_line:
        ctx.line_lengths[ply] = 0


@inline
def record_best(
    policy: Policy, move: int, sign: int, score: int, low: int, high: int, ply: int, ctx: SearchContext
) -> None:
    """Record a new best move: at the root with its score; inside the window as the head of the line."""
    if ply == 0:
        ctx.best_move = move
        ctx.best_score = sign * score
    if policy.keeps_line and low < score < high:
        extend_line(move, ply, ctx)


def extend_line(move: int, ply: int, ctx: SearchContext) -> None:
    """The line from `ply` becomes the move and the line of the child."""
    row = ply * PLIES
    child = row + PLIES
    length = ctx.line_lengths[ply + 1]
    ctx.lines[row] = move
    for index in range(length):
        ctx.lines[row + 1 + index] = ctx.lines[child + index]
    ctx.line_lengths[ply] = length + 1
