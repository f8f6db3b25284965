"""Quiescence by plain alpha-beta: the oracle for the kernel, on random trees and in the games that have noisy moves."""

import math

from zermelo.search.scores import finished_score, ranked


def quiet_value(state, depth, score, low=-math.inf, high=math.inf, ply=0):
    """Minimax to a depth, then on along noisy moves, where the mover may also stand by what `score` says.

    Where there is something to answer, all moves are followed and none may stand. Moves that cannot matter, between
    `low` and `high`, are left out: some positions of chess have millions of lines of captures.
    """
    if state.is_over():
        return finished_score(state.utility(), ply, *ranked(state))
    is_max = state.to_move() == 1
    stands = depth <= 0 and not state.in_check()
    best = score(state) if stands else -math.inf if is_max else math.inf
    moves = [move for move in state.moves() if not stands or state.is_tactical(move)]
    for move in sorted(moves, key=state.move_score, reverse=True):
        low, high = (max(low, best), high) if is_max else (low, min(high, best))
        if low >= high:
            break
        best = (max if is_max else min)(best, quiet_value(state.play(move), depth - 1, score, low, high, ply + 1))
    return best
