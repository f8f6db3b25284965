"""Minimax as maxValue and minValue with a decision at the root; players have to alternate."""


def maxValue(state, game, depth):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state)
    return max(minValue(game.play(state, move), game, depth - 1) for move in game.moves(state))


def minValue(state, game, depth):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state)
    return min(maxValue(game.play(state, move), game, depth - 1) for move in game.moves(state))
