"""Random numbers for `State.resample` and `State.playout_move`, the same in plain Python and in compiled code.

    word = Bitboard(random)              # the random number that the method gets
    word = next_word(word)
    index = below(word, 6)               # 0 to 5
    word = next_word(word)
    ...

References
----------
G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014 (SplitMix64).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo.core.bitboard import Bitboard

if TYPE_CHECKING:
    from zermelo.core.game import State

_GAMMA = Bitboard(0x9E3779B97F4A7C15)
_MIX_1 = Bitboard(0xBF58476D1CE4E5B9)
_MIX_2 = Bitboard(0x94D049BB133111EB)


def next_word(word: Bitboard) -> Bitboard:
    """Return the next state of the generator."""
    return word + _GAMMA


def scrambled(word: Bitboard) -> Bitboard:
    """Return the 64 random bits of a state of the generator."""
    word = (word ^ word >> 30) * _MIX_1
    word = (word ^ word >> 27) * _MIX_2
    return word ^ word >> 31


def random_word(seed: int, draws: int) -> int:
    """Return the random number of index `draws` of a seed, uniform in 0 .. 2**62 - 1."""
    return int(scrambled(Bitboard(seed) + Bitboard(draws) * _GAMMA) >> 2)


def random_below(count: int, random: int) -> int:
    """Return a random number of 62 bits as an index in 0 .. count - 1; `count` is below 2**31."""
    return ((random >> 31) * count) >> 31


def below(word: Bitboard, count: int) -> int:
    """Return the random number of a state of the generator, in 0 .. count - 1; `count` is below 2**31."""
    return random_below(count, int(scrambled(word) >> 2))


def random_outcome(state: State, random: int) -> int:
    """Return an outcome of the state's chance event, drawn by its weight with a random number of 62 bits."""
    total = 0
    for _, weight in state.outcomes():
        total += weight
    left = random_below(total, random)
    for move, weight in state.outcomes():
        left -= weight
        if left < 0:
            return move
    return 0


def item(word: Bitboard, squares: Bitboard) -> int:
    """Return a random square of a set, by a state of the generator; the set is not empty."""
    return nth_square(squares, below(word, squares.count()))


def nth_square(squares: Bitboard, index: int) -> int:
    """Return the square of a set that has `index` smaller ones in it, by halving words."""
    base = 0
    while True:
        word = Bitboard(squares)
        count = word.count()
        if index < count:
            break
        index -= count
        squares = squares >> 64
        base += 64
    width = 32
    while width:
        low = (word & ((Bitboard(1) << width) - 1)).count()
        if index >= low:
            index -= low
            word = word >> width
            base += width
        width >>= 1
    return base
