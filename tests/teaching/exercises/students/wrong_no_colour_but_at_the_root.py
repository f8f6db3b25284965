"""Negamax with colour at the root only; a player who moves twice is respected."""


def alphabeta(game, state, depth):
    sign = -1 if game.to_move(state) == game.MIN else 1
    return sign * search(game, state, depth, -100000, 100000)


def search(game, state, depth, alpha, beta):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state)
    player = game.to_move(state)
    for move in game.moves(state):
        child = game.play(state, move)
        over = game.is_over(child)
        if not over and game.to_move(child) == player:
            value = search(game, child, depth - 1, alpha, beta)
        else:
            value = -search(game, child, depth - 1, -beta, -alpha)
        alpha = max(alpha, value)
        if alpha >= beta:
            break
    return alpha
