"""Quiescence without any window: the oracle for the kernel, on random trees and in the games that have noisy moves."""

from zermelo.search.scores import finished_score, ranked


def quiet_value(state, depth, score):
    """Minimax to a depth, then on along noisy moves, where the mover may also stand by what `score` says.

    Where there is something to answer, all moves are followed and none may stand. States that two orders of the same
    moves reach are evaluated once: in chess their lines can be too many otherwise.
    """
    known = {}

    def value_of(state, ply):
        if state.is_over():
            return finished_score(state.utility(), ply, *ranked(state))
        if (state, ply) not in known:
            better = max if state.to_move() == 1 else min
            stands = ply >= depth and not state.in_check()
            moves = [move for move in state.moves() if not stands or state.is_tactical(move)]
            values = [value_of(state.play(move), ply + 1) for move in moves]
            if stands:
                values.append(score(state))
            known[state, ply] = better(values)
        return known[state, ply]

    return value_of(state, 0)
