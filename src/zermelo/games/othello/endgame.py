"""Othello's last squares: the exact result of positions with few empty squares, without table or evaluation.

Close to the end a general search spends its time on bookkeeping. Here there is none: sides are `own` and
`other` from the mover's view, the last two squares are played out by counting, and the order of moves is
parity: whoever moves first into a region with an odd number of empty squares also moves last in it, so squares
in odd quadrants come first (Brian Rose's program Ajax and Andersson's `endgame.c` made this known).

Scores are disc differences for `own`, fail-soft within (alpha, beta), the empty squares going to the winner.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.games.othello.flips import QUADRANTS, turned

# Up to so many empty squares: with more, transpositions and a better order outweigh the bookkeeping.
SMALL = 7


def final_difference(own, other):
    """The result of a finished game for `own`: the difference in discs, empty squares going to the winner."""
    difference = own.count() - other.count()
    empty = 64 - own.count() - other.count()
    if difference > 0:
        return difference + empty
    if difference < 0:
        return difference - empty
    return 0


def odd_regions(empty):
    """The quadrants that hold an odd number of empty squares."""
    odd = Bitboard(0)
    for quadrant in QUADRANTS:
        if (empty & quadrant).count() % 2 == 1:
            odd |= quadrant
    return odd


def with_one_left(own, other, square):
    """The result with one empty square, `own` to move."""
    discs = turned(square, own, other).count()
    difference = own.count() - other.count()
    if discs > 0:
        return difference + 2 * discs + 1
    discs = turned(square, other, own).count()
    if discs > 0:
        return difference - 2 * discs - 1
    return difference + (1 if difference > 0 else (-1 if difference < 0 else 0))


def with_two_left(own, other, first, second, beta):
    """The result with two empty squares, `own` to move and able to: -65 if it is not. Fail-soft from below beta."""
    best = -65
    discs = turned(first, own, other)
    if discs:
        best = -with_one_left(other ^ discs, own ^ discs | Bitboard(1) << first, second)
        if best >= beta:
            return best
    discs = turned(second, own, other)
    if discs:
        best = max(best, -with_one_left(other ^ discs, own ^ discs | Bitboard(1) << second, first))
    return best


def result(own, other, alpha, beta, has_passed):
    """The result with few empty squares, `own` to move, and the number of states visited."""
    empty = ~(own | other)
    left = empty.count()
    if left == 0:
        return final_difference(own, other), 1
    if left == 1:
        return with_one_left(own, other, empty.first()), 1
    if left == 2:
        best = with_two_left(own, other, empty.first(), empty.last(), beta)
        if best == -65:
            best = -with_two_left(other, own, empty.first(), empty.last(), -alpha)
        if best == 65:
            best = final_difference(own, other)
        return best, 3
    nodes = 1
    best = -65
    odd = empty & odd_regions(empty)
    squares = odd if odd else empty
    while squares:
        square = squares.first()
        squares = squares.rest()
        discs = turned(square, own, other)
        if discs:
            child = own ^ discs | Bitboard(1) << square
            score, more = result(other ^ discs, child, -beta, -max(alpha, best), False)
            nodes += more
            best = max(best, -score)
            if best >= beta:
                return best, nodes
        if not squares and odd:
            squares = empty & ~odd
            odd = Bitboard(0)
    if best == -65:
        if has_passed:
            return final_difference(own, other), nodes
        score, more = result(other, own, -beta, -alpha, True)
        return -score, nodes + more
    return best, nodes
