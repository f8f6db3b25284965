"""Minimax that returns only the value."""


def minimax(game, state, depth):
    if game.is_over(state):
        return game.utility(state)
    if depth == 0:
        return game.evaluate(state)
    values = [minimax(game, game.play(state, move), depth - 1) for move in game.moves(state)]
    return max(values) if game.to_move(state) == game.MAX else min(values)
