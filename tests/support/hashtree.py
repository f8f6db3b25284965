"""Games drawn from a seed: random trees with ties, repeated turns, chance, transpositions and noisy moves.

Everything about a state follows from its key, a hash of the path that led to it, so one class, compiled once,
holds as many different trees as there are seeds.
"""

from zermelo import CHANCE, MAX, MIN, Bitboard, State, evaluation, game
from zermelo.core.game import hash_combine


@evaluation
class Guess:
    """A number between -9 and 9 that has nothing to do with the state's value."""

    def score(self, state):
        return int(state.key_bits >> 40 & 1023) % 19 - 9


@game
class HashTree(State):
    """A random game: `height` plies at most, one to four moves a state, utilities -3 to 3 (many ties).

    Bits of a state's key decide: who moves (MAX, MIN or CHANCE whatever came before), how many moves there are,
    whether the game ends early, and its utility. `width` bits of the key are kept from ply to ply: with few,
    different paths meet again (transpositions).
    """

    key_bits: Bitboard = Bitboard(1)
    ply: int = 0
    height: int = 5
    width: Bitboard = Bitboard(0xFFFFFFFFFFFF)
    chances: int = 0  # of 16 states, so many are chance's

    max_utility = 3
    evaluations = {"guess": Guess()}

    def to_move(self):
        if int(self.key_bits >> 8 & 15) < self.chances:
            return CHANCE
        return MAX if 3 in self.key_bits else MIN

    def moves(self):
        for move in range(1 + int(self.key_bits >> 16 & 3)):
            yield move * 5

    def outcomes(self):
        for move in range(1 + int(self.key_bits >> 16 & 3)):
            yield move * 5, 1 + move

    def play(self, move):
        return HashTree(
            hash_combine(self.key_bits, move + self.ply * 64) & self.width,
            self.ply + 1,
            self.height,
            self.width,
            self.chances,
        )

    def is_over(self):
        return self.ply >= self.height or (self.ply > 1 and int(self.key_bits >> 24 & 7) == 0)

    def utility(self):
        return int(self.key_bits >> 32 & 1023) % 7 - 3


@game
class NoisyTree(State):
    """The same kind of tree without chance, whose moves are noisy by a hash too."""

    key_bits: Bitboard = Bitboard(1)
    ply: int = 0
    height: int = 7

    max_utility = 3
    evaluations = {"guess": Guess()}

    def to_move(self):
        return MAX if 3 in self.key_bits else MIN

    def moves(self):
        for move in range(1 + int(self.key_bits >> 16 & 3)):
            yield move

    def play(self, move):
        return NoisyTree(hash_combine(self.key_bits, move + 1) & 0xFFFFFFFFFFFF, self.ply + 1, self.height)

    def is_over(self):
        return self.ply >= self.height

    def utility(self):
        return int(self.key_bits >> 32 & 1023) % 7 - 3

    def in_check(self):
        return int(self.key_bits >> 44 & 3) == 0

    def is_tactical(self, move):
        return int(hash_combine(self.key_bits, move) & 1) == 1


@game
class WonTree(State):
    """A random game of wins, draws and losses, so that nearer wins rank above later ones."""

    key_bits: Bitboard = Bitboard(1)
    ply: int = 0
    height: int = 6

    evaluations = {"guess": Guess()}

    def to_move(self):
        return MAX if self.ply % 2 == 0 else MIN

    def moves(self):
        for move in range(2 + int(self.key_bits >> 16 & 1)):
            yield move

    def play(self, move):
        return WonTree(hash_combine(self.key_bits, move + self.ply * 64) & 0xFFFFFFF, self.ply + 1, self.height)

    def is_over(self):
        return self.ply >= self.height or (self.ply > 1 and int(self.key_bits >> 24 & 3) == 0)

    def utility(self):
        return int(self.key_bits >> 12 & 1023) % 3 - 1


def tree(seed, height=5, width=48, chances=0):
    """The random tree of a seed."""
    start = hash_combine(Bitboard(0x5EED), seed) | 1 << 60
    return HashTree(start, 0, height, Bitboard((1 << width) - 1), chances)
