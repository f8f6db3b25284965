"""Maximizes at every node."""


def minimax(game, state, depth):
    if game.is_over(state):
        return game.utility(state)
    if depth == 0:
        return game.evaluate(state)
    return max(minimax(game, game.play(state, move), depth - 1) for move in game.moves(state))
