"""Minimax named alpha-beta."""


def alphabeta(game, state, depth, alpha=None, beta=None):
    if game.is_over(state):
        return game.utility(state)
    if depth == 0:
        return game.evaluate(state)
    values = [alphabeta(game, game.play(state, move), depth - 1) for move in game.moves(state)]
    return max(values) if game.to_move(state) == game.MAX else min(values)
