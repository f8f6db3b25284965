"""Alpha-beta as max_value and min_value, which call each other (Russell and Norvig); players have to alternate."""

from math import inf


def max_value(game, state, depth, alpha, beta):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state), None
    value, best = -inf, None
    for move in game.moves(state):
        below, _ = min_value(game, game.play(state, move), depth - 1, alpha, beta)
        if below > value:
            value, best = below, move
            alpha = max(alpha, value)
        if value >= beta:
            break
    return value, best


def min_value(game, state, depth, alpha, beta):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state), None
    value, best = inf, None
    for move in game.moves(state):
        below, _ = max_value(game, game.play(state, move), depth - 1, alpha, beta)
        if below < value:
            value, best = below, move
            beta = min(beta, value)
        if value <= alpha:
            break
    return value, best
