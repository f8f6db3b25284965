"""Alpha-beta as negamax; players need not alternate. Fail-hard."""

INF = 10**9


def negamax(game, state, depth, alpha, beta, sign):
    if depth == 0 or game.is_over(state):
        return sign * game.evaluate(state), None
    best_move = None
    for move in game.moves(state):
        child = game.play(state, move)
        mover = sign if game.is_over(child) else game.to_move(child)
        if mover == sign:
            value = negamax(game, child, depth - 1, alpha, beta, sign)[0]
        else:
            value = -negamax(game, child, depth - 1, -beta, -alpha, -sign)[0]
        if value > alpha:
            alpha, best_move = value, move
        if alpha >= beta:
            return beta, best_move
    return alpha, best_move


def alphabeta(game, state, depth):
    if game.is_over(state):
        return game.utility(state), None
    sign = game.to_move(state)
    value, move = negamax(game, state, depth, -INF, INF, sign)
    return sign * value, move
