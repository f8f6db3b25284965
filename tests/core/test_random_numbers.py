"""Random numbers: squares by their index, indices in range, and one generator behind all functions."""

import random

import pytest

from zermelo import Bitboard
from zermelo.core.random_numbers import below, item, nth_square, random_below, random_word, scrambled


@pytest.mark.quick
@pytest.mark.parametrize("kind", [Bitboard, Bitboard[90], Bitboard[380]])
def test_the_squares_of_a_set_by_their_index(kind):
    source = random.Random(1)
    size = getattr(kind, "size", 64)
    for count in (1, 2, 17, size // 2, size):
        squares = sorted(source.sample(range(size), count))
        board = kind(sum(1 << square for square in squares))
        assert [nth_square(board, index) for index in range(count)] == squares
        assert {item(Bitboard(word), board) for word in range(50)} <= set(squares)


@pytest.mark.quick
def test_indices_are_in_range_and_come_from_one_generator():
    for count in (1, 2, 6, 2**31 - 1):
        assert random_below(count, 0) == 0
        assert random_below(count, 2**62 - 1) == count - 1
    words = [random_word(7, draw) for draw in range(1000)]
    assert len(set(words)) == 1000
    assert {random_below(6, word) for word in words} == set(range(6))
    assert below(Bitboard(99), 1000) == random_below(1000, int(scrambled(Bitboard(99)) >> 2))
