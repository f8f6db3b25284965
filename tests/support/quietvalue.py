"""Quiescence without any window: the oracle for the kernel, on random trees and in the games that have noisy moves."""

from zermelo.search.scores import finished_score, ranked


def quiet_value(state, depth, score, ply=0):
    """Minimax to a depth, then on along noisy moves, where the mover may also stand by what `score` says.

    Where there is something to answer, all moves are followed and none may stand.
    """
    if state.is_over():
        return finished_score(state.utility(), ply, *ranked(state))
    better = max if state.to_move() == 1 else min
    stands = depth <= 0 and not state.in_check()
    moves = [move for move in state.moves() if not stands or state.is_tactical(move)]
    values = [quiet_value(state.play(move), depth - 1, score, ply + 1) for move in moves]
    if stands:
        values.append(score(state))
    return better(values)
