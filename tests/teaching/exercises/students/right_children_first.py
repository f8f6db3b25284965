"""Alpha-beta that generates all children first: more states generated, the same ones searched."""


def alphabeta(game, state, depth, alpha=-1e9, beta=1e9):
    if game.is_over(state):
        return game.utility(state)
    if depth == 0:
        return game.evaluate(state)
    children = [game.play(state, move) for move in game.moves(state)]
    if game.to_move(state) == game.MAX:
        for child in children:
            alpha = max(alpha, alphabeta(game, child, depth - 1, alpha, beta))
            if alpha >= beta:
                break
        return alpha
    for child in children:
        beta = min(beta, alphabeta(game, child, depth - 1, alpha, beta))
        if alpha >= beta:
            break
    return beta
