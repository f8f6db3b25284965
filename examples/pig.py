"""Pig, with a die: roll as often as you like. A 1 loses the points of the turn, holding scores them."""

from zermelo import CHANCE, MAX, evaluation, game

GOAL, HOLD, ROLL = 30, 0, 1


@evaluation
class Lead:
    """Points of MAX minus those of MIN, including those of the turn. A lead of GOAL points counts as a win."""

    unit = GOAL
    largest_score = 2 * GOAL

    def score(self, state):
        return state.first - state.second + state.turn * state.pot


@game
class Pig:
    """Pig with one die, to 30 points. `pot` holds the points of this turn; `rolling`: the die is in the air."""

    first: int = 0
    second: int = 0
    pot: int = 0
    turn: int = MAX
    rolling: bool = False

    evaluations = {"lead": Lead()}

    def to_move(self):
        return CHANCE if self.rolling else self.turn

    def moves(self):
        if self.pot:
            yield HOLD
        yield ROLL

    def outcomes(self):
        for pips in range(1, 7):
            yield pips, 1

    def play(self, move):
        if move == ROLL and not self.rolling:
            return self.replace(rolling=True)
        if self.rolling and move > 1:
            return self.replace(pot=self.pot + move, rolling=False)
        scored = 0 if self.rolling else self.pot
        first, second = (scored, 0) if self.turn == MAX else (0, scored)
        return Pig(self.first + first, self.second + second, 0, -self.turn)

    def is_over(self):
        return max(self.first, self.second) >= GOAL

    def utility(self):
        return 1 if self.first >= GOAL else -1

    def move_name(self, move):
        return str(move) if self.rolling else ("hold", "roll")[move]
