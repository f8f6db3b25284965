"""Negamax that returns the evaluation for MAX at the leaves, without the colour of the side to move."""

from math import inf


def negamax(game, state, depth, alpha, beta):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state)
    value = -inf
    for move in game.moves(state):
        value = max(value, -negamax(game, game.play(state, move), depth - 1, -beta, -alpha))
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return value


def alphabeta(game, state, depth):
    return negamax(game, state, depth, -inf, inf)
