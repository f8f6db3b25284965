"""Does not pass the window down."""

from math import inf


def alphabeta(game, state, depth, alpha=-inf, beta=inf):
    if game.is_over(state):
        return game.utility(state), None
    if depth == 0:
        return game.evaluate(state), None
    best = None
    if game.to_move(state) == game.MAX:
        value = -inf
        for move in game.moves(state):
            below, _ = alphabeta(game, game.play(state, move), depth - 1)
            if below > value:
                value, best = below, move
            if value >= beta:
                return value, best
            alpha = max(alpha, value)
    else:
        value = inf
        for move in game.moves(state):
            below, _ = alphabeta(game, game.play(state, move), depth - 1)
            if below < value:
                value, best = below, move
            if value <= alpha:
                return value, best
            beta = min(beta, value)
    return value, best
