"""Kalah, with a tuple of pits: a last seed in your store gives another turn; in your own empty pit it captures."""

from zermelo import MAX, as_list, evaluation, game

PITS = 6


@evaluation
class Seeds:
    """Seeds in MAX's store minus those in MIN's."""

    unit_name = "seeds"

    def score(self, state):
        return state.pits[6] - state.pits[13]


@game
class Kalah:
    """Kalah with six pits a side and four seeds in each: pits 0-5 and store 6 are MAX's, 7-12 and 13 MIN's."""

    pits: tuple[(int,) * 14] = (4, 4, 4, 4, 4, 4, 0) * 2
    turn: int = MAX

    max_utility = 48
    evaluations = {"seeds": Seeds()}

    def to_move(self):
        return self.turn

    def moves(self):
        first = 0 if self.turn == MAX else 7
        for pit in range(first, first + PITS):
            if self.pits[pit]:
                yield pit

    def play(self, pit):
        pits = as_list(self.pits)
        own, other = (6, 13) if self.turn == MAX else (13, 6)
        seeds = pits[pit]
        pits[pit] = 0
        while seeds:
            pit = (pit + 1) % 14
            if pit != other:
                pits[pit] += 1
                seeds -= 1
        if own - PITS <= pit < own and pits[pit] == 1 and pits[12 - pit]:
            pits[own] += 1 + pits[12 - pit]
            pits[pit] = pits[12 - pit] = 0
        return Kalah(pits, self.turn if pit == own else -self.turn)

    def is_over(self):
        return sum(self.pits[:6] if self.turn == MAX else self.pits[7:13]) == 0

    def utility(self):
        return sum(self.pits[:7]) - sum(self.pits[7:])

    def board(self):
        return f"{self.pits[13]:2} {self.pits[12:6:-1]}\n   {self.pits[:6]} {self.pits[6]}"
