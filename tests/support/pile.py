"""A game file of somebody: one pile, from which the players take one to three."""

from zermelo import MAX, game


@game
class Pile:
    heap: int = 9
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        for take in range(1, 4):
            if take <= self.heap:
                yield take

    def play(self, move):
        return Pile(self.heap - move, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn
