"""`Lanes` in compiled code gives what it gives in plain Python."""

from __future__ import annotations

import random

import numpy as np

from zermelo import Bitboard
from zermelo.compiled import native
from zermelo.core.lanes import Lanes, lanes_at, spread

SHIFTS = Lanes(0, 1, 63, 32)
PICKED = (Lanes(~0, 0, 0, 0), Lanes(0, ~0, 0, 0), Lanes(0, 0, ~0, 0), Lanes(0, 0, 0, ~0))
TABLE = np.random.default_rng(1).integers(0, 1 << 63, (64, 4), np.uint64)


def computed(a: Bitboard, b: Bitboard, c: Bitboard, square: int, number: int) -> Lanes:
    one = Lanes(a, b, c, number)
    other = Lanes(number, c, a, 0)
    if number == 0:
        return one & other
    if number == 1:
        return one | other
    if number == 2:
        return one + other
    if number == 3:
        return one - other
    if number == 4:
        return one << SHIFTS
    if number == 5:
        return one >> SHIFTS
    if number == 6:
        return ~one
    if number == 7:
        return -one
    if number == 8:
        return (one & other).nonempty()
    if number == 9:
        return spread(a) & lanes_at(TABLE, square)
    one |= other
    one -= spread(b)
    one <<= SHIFTS
    one += other
    one &= spread(c)
    one >>= SHIFTS
    return one


def word_of(a: Bitboard, b: Bitboard, c: Bitboard, square: int, number: int, lane: int) -> Bitboard:
    found = computed(a, b, c, square, number)
    if lane == 0:
        return (found & PICKED[0]).union()
    if lane == 1:
        return (found & PICKED[1]).union()
    if lane == 2:
        return (found & PICKED[2]).union()
    return (found & PICKED[3]).union()


def test_compiled_lanes_equal_interpreted_ones() -> None:
    compiled = native(word_of, Bitboard(0), Bitboard(0), Bitboard(0), 0, 0, 0)
    source = random.Random(1)
    for trial in range(2_000):
        a, b, c = (Bitboard(source.getrandbits(64) & (source.getrandbits(64) | -(trial % 2))) for _ in range(3))
        if trial % 5 == 0:
            a = Bitboard(0)
        square = source.randrange(64)
        for number in range(11):
            for lane in range(4):
                arguments = (a, b, c, square, number, lane)
                assert compiled(*arguments) == word_of(*arguments), arguments
