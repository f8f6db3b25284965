"""Negamax that returns the root value for the side to move."""


def minimax(game, state, depth, sign=None):
    if sign is None:
        sign = game.to_move(state) or 1
    if game.is_over(state):
        return sign * game.utility(state)
    if depth == 0:
        return sign * game.evaluate(state)
    best = float("-inf")
    mover = game.to_move(state)
    for move in game.moves(state):
        child = game.play(state, move)
        next_sign = game.to_move(child) or mover
        value = minimax(game, child, depth - 1, next_sign)
        best = max(best, value if next_sign == mover else -value)
    return best
