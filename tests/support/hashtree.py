"""Games drawn from a seed: random trees with ties, repeated turns, chance, transpositions and noisy moves.

Everything about a state follows from its key, a hash of the path that led to it, so one class, compiled once,
holds as many different trees as there are seeds.
"""

from zermelo import CHANCE, MAX, MIN, Bitboard, State, evaluation, game
from zermelo.core.game import LARGEST_RANK, hash_combine


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


class Branching(State):
    """Who moves, and one to four moves, by bits of the key."""

    __slots__ = ()

    def to_move(self):
        return MAX if 3 in self.key_bits else MIN

    def moves(self):
        for move in range(1 + int(self.key_bits >> 16 & 3)):
            yield move


@game
class NoisyTree(Branching):
    """The same kind of tree without chance, whose moves are noisy by a hash too."""

    key_bits: Bitboard = Bitboard(1)
    ply: int = 0
    height: int = 7

    max_utility = 3
    evaluations = {"guess": Guess()}

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


def one_ply_farther(rank):
    """The same result, one ply later."""
    return rank - 1 if rank > 0 else rank + 1 if rank < 0 else 0


def rank_of(state):
    """The result of a tree without chance that ranks wins by distance, as `ranked_bounds` gives it."""
    if state.is_over():
        return state.utility() * LARGEST_RANK
    side = state.to_move()
    best = -LARGEST_RANK - 1
    for move in state.moves():
        best = max(best, side * one_ply_farther(rank_of(state.play(move))))
    return side * best


@game
class RankedTree(WonTree):
    """A random game that knows its results: `ranked_bounds` and `candidates` are true, and wider by a hash."""

    def play(self, move):
        return self.replace(key_bits=hash_combine(self.key_bits, move + self.ply * 64) & 0xFFFFFFF, ply=self.ply + 1)

    def ranked_bounds(self):
        rank = rank_of(self)
        low = rank - int(self.key_bits >> 2 & 3)
        high = rank + int(self.key_bits >> 4 & 3)
        return max(low, -LARGEST_RANK), min(high, LARGEST_RANK)

    def candidates(self):
        rank = rank_of(self)
        found = False
        for move in self.moves():
            is_best = not found and one_ply_farther(rank_of(self.play(move))) == rank
            found = found or is_best
            if is_best or int(self.key_bits >> (20 + move)) & 1 == 1:
                yield move


def value_of(state):
    """The minimax value of a tree without chance."""
    if state.is_over():
        return state.utility()
    side = state.to_move()
    best = -9
    for move in state.moves():
        best = max(best, side * value_of(state.play(move)))
    return side * best


@game
class OracleTree(Branching):
    """A random tree that knows its values: `bounds` and `candidates` are true, and wider than need be by a hash."""

    key_bits: Bitboard = Bitboard(1)
    ply: int = 0
    height: int = 6

    max_utility = 3
    evaluations = {"guess": Guess()}

    def play(self, move):
        return self.replace(key_bits=hash_combine(self.key_bits, move + 1) & 0xFFFFFFFFFF, ply=self.ply + 1)

    def is_over(self):
        return self.ply >= self.height or (self.ply > 1 and int(self.key_bits >> 24 & 7) == 0)

    def utility(self):
        return int(self.key_bits >> 28 & 1023) % 7 - 3

    def bounds(self):
        value = value_of(self)
        return max(value - int(self.key_bits >> 20 & 3), -3), min(value + int(self.key_bits >> 22 & 3), 3)

    def candidates(self):
        value = value_of(self)
        found = False
        for move in self.moves():
            is_best = not found and value_of(self.play(move)) == value
            found = found or is_best
            if is_best or int(self.key_bits >> (30 + move)) & 1 == 1:
                yield move


FEATURES = 60


def turned(features, bits):
    """The features rotated to the left."""
    return (features << bits | features >> (FEATURES - bits)) & ((Bitboard(1) << FEATURES) - 1)


@game
class FeatureTree(State):
    """A random game whose results rest on few features, as in bridge: the deals are `one` and `two`.

    The nodes of a seed are few, so many paths lead to one node with different features. A move may score a point by
    one feature, another feature decides how many moves there are. Each move inverts some features and rotates them.
    """

    one: Bitboard
    two: Bitboard
    seed: int = 0
    node: int = 0
    ply: int = 0
    height: int = 8
    score: int = 0
    #: Whether `relevance` forgets some features, so that results are used where they do not hold.
    forgetful: bool = False

    max_utility = 8

    def mixed(self, move):
        return hash_combine(hash_combine(Bitboard(0x5EED), self.seed), 64 * self.node + 8 * self.ply + move)

    def to_move(self):
        return MAX if 5 in self.mixed(0) else MIN

    def has_third_move(self):
        mixed = self.mixed(0)
        return int(mixed >> 10 & 3) == 0 and int(mixed >> 20 & 1023) % FEATURES in self.two

    def moves(self):
        yield 1
        yield 2
        if self.has_third_move():
            yield 3

    def play(self, move):
        mixed = self.mixed(move)
        gain = 0
        if int(mixed >> 8 & 3) > 0 and int(mixed >> 20 & 1023) % FEATURES in self.one:
            gain = 1 if 7 in mixed else -1
        return self.replace(
            one=turned(self.one ^ mixed >> 4, 1), two=turned(self.two, 1),
            node=int(mixed >> 40 & 3), ply=self.ply + 1, score=self.score + gain,
        )  # fmt: skip

    def is_over(self):
        return self.ply >= self.height

    def utility(self):
        return self.score

    def bounds(self):
        left = self.height - self.ply
        return self.score - left, self.score + left

    def settled(self):
        return self.score

    def partition_key(self):
        return hash_combine(self.mixed(0), 16 * self.ply + self.height) | 1 << 63

    def features(self):
        return self.one, self.two

    def relevance(self, move, below, searched, is_cutoff):
        mixed, first = self.mixed(move), self.mixed(0)
        mask = turned(Bitboard(below), FEATURES - 1)
        if int(mixed >> 8 & 3) > 0 and not self.forgetful:
            mask |= Bitboard(1) << int(mixed >> 20 & 1023) % FEATURES
        if int(first >> 10 & 3) == 0:
            mask |= Bitboard(1) << int(first >> 20 & 1023) % FEATURES
        return mask if is_cutoff else mask | searched

    def bounds_relevance(self, alpha, beta):
        return Bitboard(0)


def tree(seed, height=5, width=48, chances=0):
    """The random tree of a seed."""
    start = hash_combine(Bitboard(0x5EED), seed) | 1 << 60
    return HashTree(start, 0, height, Bitboard((1 << width) - 1), chances)
