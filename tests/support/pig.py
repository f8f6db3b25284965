"""Pig: one die, and the choice to roll on or to hold (Neller and Presser, The UMAP Journal 25, 2004)."""

from zermelo import CHANCE, MAX, MIN, State, evaluation, game

ROLL, HOLD = 0, 7  # moves of a player; chance's moves are the pips 1 to 6


@evaluation
class Lead:
    """How far MAX is ahead, the points of this turn by half, in thousandths of a win."""

    largest_score = 1001
    unit = 1000

    def score(self, state):
        ahead = 2 * (state.first - state.second) + state.gained * state.turn
        return max(-999, min(999, 500 * ahead // state.target))


@game
class Pig(State):
    """Whoever first has `target` points wins. A 1 loses the points of the turn, and the turn.

    `left` turns are to be played, the last one with fewer points loses; 0: without end.
    """

    first: int = 0
    second: int = 0
    gained: int = 0
    turn: int = MAX
    rolling: bool = False
    target: int = 20
    left: int = 0

    evaluations = {"lead": Lead()}

    def to_move(self):
        return CHANCE if self.rolling else self.turn

    def moves(self):
        yield ROLL
        if self.gained > 0:
            yield HOLD

    def outcomes(self):
        for pips in range(1, 7):
            yield pips, 1

    def play(self, move):
        if move == ROLL and not self.rolling:
            return Pig(self.first, self.second, self.gained, self.turn, True, self.target, self.left)
        if move > 1 and move < HOLD:
            return Pig(self.first, self.second, self.gained + move, self.turn, False, self.target, self.left)
        gained = self.gained if move == HOLD else 0
        first = self.first + gained if self.turn == MAX else self.first
        second = self.second + gained if self.turn == MIN else self.second
        # With one turn left, -1 says that there is none.
        left = -1 if self.left == 1 else self.left - 1 if self.left > 0 else 0
        return Pig(first, second, 0, -self.turn, False, self.target, left)

    def is_over(self):
        if self.left < 0:
            return True
        ahead = self.first if self.turn == MAX else self.second
        return ahead + self.gained >= self.target or max(self.first, self.second) >= self.target

    def utility(self):
        first = self.first + self.gained if self.turn == MAX else self.first
        second = self.second + self.gained if self.turn == MIN else self.second
        return 1 if first > second else -1 if second > first else 0

    def move_name(self, move):
        if self.rolling:
            return str(move)
        return "roll" if move == ROLL else "hold"
