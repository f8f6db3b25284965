"""Exact solver for Othello positions with few empty squares, without transposition table and evaluation.

Close to the end the bookkeeping of a general search costs more than it saves. Here the last square is played out by
counting flips in tables. Moves are ordered by parity: the side that moves first into a region with an odd number of
empty squares also moves last in it, so squares in odd quadrants come first. With more empty squares the moves that
leave few replies come first, and stable discs may decide the window.

Scores are disc differences for `own`, the side to move, with empty squares counted for the winner. They are fail-soft
within (alpha, beta).

Notes
-----
Parity ordering is known from B. Rose's program Ajax and G. Andersson's `endgame.c`.
"""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.games.othello.flips import CORNERS, QUADRANTS, flipped_discs, last_flips, legal_squares
from zermelo.games.othello.stability import highest_score

# With more empty squares, transpositions and better move ordering outweigh the bookkeeping.
MAX_EMPTY = 8
# With fewer, counting the replies of each move costs as much as it saves (FFO #40 to #44: 5, 4 and 3 take equal times).
MIN_SORTED = 4
# The moves of a position are the bytes of a word, the best one the lowest: this bit and the square.
MOVE = 64
assert MAX_EMPTY <= 8


def final_score(own: Bitboard, other: Bitboard, squares: int) -> int:
    """Return the result of a finished game for `own`: the disc difference, with empty squares for the winner."""
    difference = own.count() - other.count()
    empty = squares - own.count() - other.count()
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
    difference = own.count() - other.count()
    discs = last_flips(square, own)
    if discs > 0:
        return difference + 2 * discs + 1
    discs = last_flips(square, other)
    if discs > 0:
        return difference - 2 * discs - 1
    return difference + (1 if difference > 0 else (-1 if difference < 0 else 0))


def solve_two_empty(own: Bitboard, other: Bitboard, first: int, second: int, beta: int) -> tuple[int, int]:
    """Return the result with two empty squares, fail-soft from below beta, and the number of nodes below.

    The result is -65 if `own` has no legal move.
    """
    best = -65
    nodes = 0
    discs = flipped_discs(first, own, other)
    if discs:
        best = -solve_one_empty(other ^ discs, own ^ discs | Bitboard(1) << first, second)
        if best >= beta:
            return best, 1
        nodes = 1
    discs = flipped_discs(second, own, other)
    if discs:
        best = max(best, -solve_one_empty(other ^ discs, own ^ discs | Bitboard(1) << second, first))
        nodes += 1
    return best, nodes


def odd_first(empty: Bitboard) -> Bitboard:
    """Return the empty squares as moves, those of odd quadrants first."""
    odd = odd_quadrants(empty)
    moves = Bitboard(0)
    for square in empty & ~odd:
        moves = moves << 8 | Bitboard(MOVE | square)
    for square in empty & odd:
        moves = moves << 8 | Bitboard(MOVE | square)
    return moves


def fastest_first(own: Bitboard, other: Bitboard, empty: Bitboard) -> Bitboard:
    """Return the legal moves: first those with few replies, corners counting twice, and then those in odd quadrants."""
    odd = odd_quadrants(empty)
    moves = Bitboard(0)
    ranks = Bitboard(0)  # those of the moves, in the same bytes
    for square in empty:
        discs = flipped_discs(square, own, other)
        if discs:
            replies = legal_squares(other ^ discs, own ^ discs | Bitboard(1) << square) & empty
            rank = 2 * (replies.count() + (replies & CORNERS).count()) + (1 if square in odd else 2)
            shift = 0
            while ranks >> shift and int(ranks >> shift & 0xFF) <= rank:
                shift += 8
            better = (Bitboard(1) << shift) - 1
            ranks = ranks & better | Bitboard(rank) << shift | (ranks & ~better) << 8
            moves = moves & better | Bitboard(MOVE | square) << shift | (moves & ~better) << 8
    return moves


def solve(own: Bitboard, other: Bitboard, walls: Bitboard, alpha: int, beta: int, has_passed: bool) -> tuple[int, int]:
    """Return the result of a position and the number of nodes visited.

    Parameters
    ----------
    own, other : Bitboard
        The discs of the side to move and of the other side.
    walls : Bitboard
        The squares outside a smaller board.
    alpha, beta : int
        The search window, in discs.
    has_passed : bool
        Whether the other side has just passed.
    """
    empty = ~(own | other | walls)
    left = empty.count()
    if left == 0:
        return own.count() - other.count(), 1
    if left == 1:
        return solve_one_empty(own, other, empty.first()), 1
    if left == 2:
        best, nodes = solve_two_empty(own, other, empty.first(), empty.last(), beta)
        if best > -65:
            return best, nodes + 1
        best, nodes = solve_two_empty(other, own, empty.first(), empty.last(), -alpha)
        return (-best, nodes + 2) if best > -65 else (final_score(own, other, 64 - walls.count()), 1)
    if left >= MIN_SORTED:
        if own.count() + left - other.count() <= alpha:  # else too few discs of the other side could be stable
            best = highest_score(own, other, walls)
            if best <= alpha:
                return best, 1
        moves = fastest_first(own, other, empty)
    else:
        moves = odd_first(empty)
    nodes = 1
    best = -65
    while moves:
        square = int(moves & (MOVE - 1))
        moves >>= 8
        discs = flipped_discs(square, own, other)
        if discs:
            child = own ^ discs | Bitboard(1) << square
            score, more = solve(other ^ discs, child, walls, -beta, -max(alpha, best), False)
            nodes += more
            best = max(best, -score)
            if best >= beta:
                return best, nodes
    if best > -65:
        return best, nodes
    if has_passed:
        return final_score(own, other, 64 - walls.count()), nodes
    score, more = solve(other, own, walls, -beta, -alpha, True)
    return -score, nodes + more
