"""Expectiminimax that ignores the probabilities."""


def expectiminimax(game, state, depth):
    if game.is_over(state):
        return game.utility(state)
    if depth == 0:
        return game.evaluate(state)
    values = [expectiminimax(game, game.play(state, move), depth - 1) for move in game.moves(state)]
    if game.to_move(state) == game.CHANCE:
        return sum(values) / len(values)
    return (max if game.to_move(state) == game.MAX else min)(values)
