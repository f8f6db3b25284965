"""A die with seven sides, whose means are seldom whole numbers of sixths."""

from zermelo import CHANCE, State, evaluation, game


@evaluation
class Large:
    """So many points to a utility of 1 that no entry of a table could hold a score."""

    unit = 1_000_000

    def score(self, state):
        return 0


@game
class Sevens(State):
    """Three rolls of 0 to 6, the sum of which MAX gets; one in seven times the first roll counts twice."""

    rolls: int = 0
    total: int = 0

    max_utility = 24
    evaluations = {}

    def to_move(self):
        return CHANCE

    def moves(self):
        for side in range(7):
            yield side

    def outcomes(self):
        for side in range(7):
            yield side, 1

    def play(self, side):
        return Sevens(self.rolls + 1, self.total + side * (2 if self.total == 6 else 1))

    def is_over(self):
        return self.rolls == 3

    def utility(self):
        return self.total
