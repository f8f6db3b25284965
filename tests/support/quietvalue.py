"""Quiescence without any window: the oracle for the kernel's, on random trees and in the games that have noisy moves."""

from zermelo.search.scores import finished_score, ranked


def quiet_value(state, depth, score, ply=0):
    """Minimax to a depth, then on along noisy moves, where the mover may also stand by what `score` says."""
    if state.is_over():
        return finished_score(state.utility(), ply, *ranked(state))
    better = max if state.to_move() == 1 else min
    moves = [move for move in state.moves() if depth > 0 or state.noisy(move)]
    values = [quiet_value(state.play(move), depth - 1, score, ply + 1) for move in moves]
    if depth <= 0:
        values.append(score(state))
    return better(values)
