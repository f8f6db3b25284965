"""MaxValue and MinValue with a cutoff only beyond the bound; players have to alternate."""

from math import inf


def alpha_beta(game, state, depth):
    if game.to_move(state) == game.MIN:
        return MinValue(game, state, depth, -inf, inf)
    return MaxValue(game, state, depth, -inf, inf)


def MaxValue(game, state, depth, alpha, beta):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state)
    value = -inf
    for move in game.moves(state):
        value = max(value, MinValue(game, game.play(state, move), depth - 1, alpha, beta))
        if value > beta:
            break
        alpha = max(alpha, value)
    return value


def MinValue(game, state, depth, alpha, beta):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state)
    value = inf
    for move in game.moves(state):
        value = min(value, MaxValue(game, game.play(state, move), depth - 1, alpha, beta))
        if value < alpha:
            break
        beta = min(beta, value)
    return value
