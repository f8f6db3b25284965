"""Negates `maximizing` at each move, as in many online tutorials."""


def search(game, state, depth, alpha, beta, maximizing):
    if game.is_over(state):
        return game.utility(state)
    if depth == 0:
        return game.evaluate(state)
    if maximizing:
        value = -100000
        for move in game.moves(state):
            value = max(value, search(game, game.play(state, move), depth - 1, alpha, beta, False))
            alpha = max(alpha, value)
            if alpha >= beta:
                break
        return value
    value = 100000
    for move in game.moves(state):
        value = min(value, search(game, game.play(state, move), depth - 1, alpha, beta, True))
        beta = min(beta, value)
        if beta <= alpha:
            break
    return value


def alphabeta(game, state, depth):
    return search(game, state, depth, -100000, 100000, game.to_move(state) != game.MIN)
