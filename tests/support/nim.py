"""One-heap Nim: the small game that many tests use, imported or copied as a file."""

from zermelo import MAX, game


@game
class Nim:
    """One heap; take 1, 2 or 3; the player who takes the last one wins."""

    heap: int = 15
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        for take in range(1, min(3, self.heap) + 1):
            yield take

    def play(self, take):
        return Nim(self.heap - take, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn
