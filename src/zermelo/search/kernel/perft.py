"""Perft: the number of lines of a given length, the standard test of a move generator."""

from __future__ import annotations

from zermelo.core.game import CHANCE, State
from zermelo.search.context import SearchContext, count_node


def perft(state: State, depth: int, bulk: bool, ctx: SearchContext) -> int:
    """The number of lines of `depth` moves from a state; games that end earlier count as the game declares.

    With `bulk` the last moves are only counted (`count_moves`); without it they are made too.
    """
    count_node(ctx)
    if ctx.stopped:
        return 0
    if depth == 0:
        return 1
    if not state.perft_ignores_game_over and state.is_over():
        return 1 if state.perft_counts_finished_games else 0
    count = 0
    if state.has_chance and state.to_move() == CHANCE:
        for move, _ in state.outcomes():
            count += perft(state.play(move), depth - 1, bulk, ctx)
        return count
    if bulk and depth == 1:
        return state.count_moves()
    for move in state.moves():
        child = state.play(move)
        if depth == 1:
            count += _one(child)
        else:
            count += perft(child, depth - 1, bulk, ctx)
    return count


def _one(state: State) -> int:
    """1. The compiler cannot remove the move that led to the state, because the state is read."""
    side = state.to_move()
    return 1 if side * side <= 1 else 0


def run_perft(state: State, depth: int, bulk: bool, ctx: SearchContext) -> int:
    """Entry point of compiled code: `perft` from a state."""
    return perft(state, depth, bulk, ctx)
