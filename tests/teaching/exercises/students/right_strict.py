"""Alpha-beta with strict cutoffs, written with classes."""

INFINITE = float("inf")


class Searcher:
    def __init__(self, game):
        self.game = game

    def search(self, state, depth, alpha, beta):
        game = self.game
        if game.is_over(state) or depth == 0:
            return game.evaluate(state)  # the utility if the game is over
        is_max = game.to_move(state) == game.MAX
        best = -INFINITE if is_max else INFINITE
        for move in game.moves(state):
            value = self.search(game.play(state, move), depth - 1, alpha, beta)
            best = max(best, value) if is_max else min(best, value)
            if is_max:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha > beta:
                break
        return best


def alphabeta(game, state, depth):
    return Searcher(game).search(state, depth, -INFINITE, INFINITE)
