"""Exact solver for Othello positions with few empty squares, without transposition table and evaluation.

Close to the end the bookkeeping of a general search costs more than it saves. Here the last two squares are played out
by counting flips, and moves are ordered by parity: the side that moves first into a region with an odd number of empty
squares also moves last in it, so squares in odd quadrants come first.

Scores are disc differences for `own`, the side to move, with empty squares counted for the winner. They are fail-soft
within (alpha, beta).

Notes
-----
Parity ordering is known from B. Rose's program Ajax and G. Andersson's `endgame.c`.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.games.othello.flips import QUADRANTS, flipped_discs

# With more empty squares, transpositions and better move ordering outweigh the bookkeeping.
MAX_EMPTY = 7


def final_score(own: Bitboard, other: Bitboard) -> int:
    """Return the result of a finished game for `own`: the disc difference, with empty squares for the winner."""
    difference = own.count() - other.count()
    empty = 64 - own.count() - other.count()
    if difference > 0:
        return difference + empty
    if difference < 0:
        return difference - empty
    return 0


def odd_quadrants(empty: Bitboard) -> Bitboard:
    """Return the squares of the quadrants with an odd number of empty squares."""
    odd = Bitboard(0)
    for quadrant in QUADRANTS:
        if (empty & quadrant).count() % 2 == 1:
            odd |= quadrant
    return odd


def solve_one_empty(own: Bitboard, other: Bitboard, square: int) -> int:
    """Return the result with one empty square."""
    discs = flipped_discs(square, own, other).count()
    difference = own.count() - other.count()
    if discs > 0:
        return difference + 2 * discs + 1
    discs = flipped_discs(square, other, own).count()
    if discs > 0:
        return difference - 2 * discs - 1
    return difference + (1 if difference > 0 else (-1 if difference < 0 else 0))


def solve_two_empty(own: Bitboard, other: Bitboard, first: int, second: int, beta: int) -> int:
    """Return the result with two empty squares, fail-soft from below beta; -65 if `own` has no legal move."""
    best = -65
    discs = flipped_discs(first, own, other)
    if discs:
        best = -solve_one_empty(other ^ discs, own ^ discs | Bitboard(1) << first, second)
        if best >= beta:
            return best
    discs = flipped_discs(second, own, other)
    if discs:
        best = max(best, -solve_one_empty(other ^ discs, own ^ discs | Bitboard(1) << second, first))
    return best


def solve(own: Bitboard, other: Bitboard, alpha: int, beta: int, has_passed: bool) -> tuple[int, int]:
    """Return the result of a position and the number of nodes visited.

    Parameters
    ----------
    own, other : Bitboard
        The discs of the side to move and of the other side.
    alpha, beta : int
        The search window, in discs.
    has_passed : bool
        Whether the other side has just passed.
    """
    empty = ~(own | other)
    left = empty.count()
    if left == 0:
        return final_score(own, other), 1
    if left == 1:
        return solve_one_empty(own, other, empty.first()), 1
    if left == 2:
        best = solve_two_empty(own, other, empty.first(), empty.last(), beta)
        if best == -65:
            best = -solve_two_empty(other, own, empty.first(), empty.last(), -alpha)
        if best == 65:
            best = final_score(own, other)
        return best, 3
    nodes = 1
    best = -65
    odd = empty & odd_quadrants(empty)
    squares = odd if odd else empty
    while squares:
        square = squares.first()
        squares = squares.rest()
        discs = flipped_discs(square, own, other)
        if discs:
            child = own ^ discs | Bitboard(1) << square
            score, more = solve(other ^ discs, child, -beta, -max(alpha, best), False)
            nodes += more
            best = max(best, -score)
            if best >= beta:
                return best, nodes
        if not squares and odd:
            squares = empty & ~odd
            odd = Bitboard(0)
    if best == -65:
        if has_passed:
            return final_score(own, other), nodes
        score, more = solve(other, own, -beta, -alpha, True)
        return -score, nodes + more
    return best, nodes
