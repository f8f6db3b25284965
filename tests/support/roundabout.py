"""Games drawn from a seed whose positions come again: a token walks on a small graph with many circles.

The value of a state depends on how the token came there, and tables that do not know it get it wrong.
"""

from zermelo import MAX, MIN, Bitboard, State, evaluation, game
from zermelo.core.game import hash_combine


@evaluation
class Signpost:
    """A number between -9 and 9 that depends on the position alone."""

    def score(self, state):
        return int(hash_combine(hash_combine(state.seed, state.place), state.turn) >> 40 & 1023) % 19 - 9


@game
class Roundabout(State):
    """Three moves from each of `places` places, the third to the next floor, from which there is no way back.

    On place 0 the game is over; after 6 moves on a floor, or when a position comes up a third time, it is a draw.
    """

    place: int = 1
    turn: int = MAX
    quiet: int = 0
    floor: int = 0
    places: int = 5
    seed: Bitboard = Bitboard(1)

    max_utility = 3
    evaluations = {"signpost": Signpost()}
    draw_at_reversible_plies = 6
    draw_at_repetition = 3
    shortest_cycle = 2

    def to_move(self):
        return self.turn

    def moves(self):
        for move in range(3):
            yield move

    def play(self, move):
        up = move == 2
        to = int(hash_combine(hash_combine(self.seed, self.place * 8 + move), self.floor) >> 20 & 1023) % self.places
        return Roundabout(
            to, -self.turn, 0 if up else self.quiet + 1, self.floor + int(up), self.places, self.seed
        )  # fmt: skip

    def is_over(self):
        return self.place == 0

    def utility(self):
        return int(hash_combine(self.seed, self.floor) >> 32 & 1023) % 7 - 3

    def repetition_key(self):
        return hash_combine(hash_combine(hash_combine(self.seed, self.place), self.turn), self.floor)

    def reversible_plies(self):
        return self.quiet


@game
class Circle(State):
    """Two moves from each of `places` places, and nothing counted: a position that comes again is a draw at once."""

    place: int = 1
    turn: int = MAX
    places: int = 7
    seed: Bitboard = Bitboard(1)

    evaluations = {"signpost": Signpost()}
    draw_at_repetition = 2

    def to_move(self):
        return self.turn

    def moves(self):
        yield 0
        yield 1

    def play(self, move):
        to = int(hash_combine(self.seed, self.place * 8 + move) >> 20 & 1023) % self.places
        return Circle(to, MIN if self.turn == MAX or move == 1 else MAX, self.places, self.seed)

    def is_over(self):
        return self.place == 0

    def utility(self):
        return 1 if self.turn == MAX else -1


@game
class Numbered(State):
    """Two moves from each of `places` places; its positions are small numbers, not hashes."""

    place: int = 1
    turn: int = MAX
    places: int = 7
    seed: Bitboard = Bitboard(1)

    evaluations = {"signpost": Signpost()}
    draw_at_repetition = 2

    def to_move(self):
        return self.turn

    def moves(self):
        yield 0
        yield 1

    def play(self, move):
        to = int(hash_combine(self.seed, self.place * 8 + move) >> 20 & 1023) % self.places
        return Numbered(to, -self.turn, self.places, self.seed)

    def is_over(self):
        return self.place == 0

    def utility(self):
        return 1 if self.turn == MAX else -1

    def repetition_key(self):
        return Bitboard(self.place * 2 + int(self.turn == MAX))
