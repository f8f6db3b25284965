"""One die, which its owner may roll again: what it is worth is known by hand."""

from zermelo import CHANCE, MAX, State, game


@game
class Reroll(State):
    """A die is rolled; its owner keeps the pips or rolls again, `again` times at most. MAX wants many pips, MIN few."""

    pips: int = 0  # 0: the die is in the air
    again: int = 1
    owner: int = MAX

    max_utility = 6

    def to_move(self):
        return CHANCE if self.pips == 0 else self.owner

    def moves(self):
        yield 0  # keep
        yield 1  # roll again

    def outcomes(self):
        for pips in range(1, 7):
            yield pips, 1

    def play(self, move):
        if self.pips == 0:
            return Reroll(move, self.again, self.owner)
        return Reroll(self.pips, -1, self.owner) if move == 0 else Reroll(0, self.again - 1, self.owner)

    def is_over(self):
        return self.again < 0 or (self.again == 0 and self.pips > 0)

    def utility(self):
        return self.pips
