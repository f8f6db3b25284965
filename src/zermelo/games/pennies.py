"""Pennies, which is Grundy's game: split a pile into two unequal piles; whoever cannot move loses.

The mathematics of the game has no limit of 64 pennies: see `grundy_values` and `winning`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from itertools import pairwise
from operator import xor

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN, State, game
from zermelo.core.picture import Grid, Piece
from zermelo.errors import PositionError

LARGEST = 64  # pennies in all: one bit each
BASE = 100  # a move is 100 * pile + smaller part: 703 splits 7 into 4 and 3


def start_of(ends, size):
    """Where the first pile of at least `size` pennies starts; where the row ends if there is none."""
    start = 0
    for end in ends:
        if end - start + 1 >= size:
            break
        start = end + 1
    return start


def without(ends, size):
    """The row after a pile of `size` pennies is taken out: what lies beyond moves up."""
    before = (Bitboard(1) << start_of(ends, size)) - 1
    return ends & before | ends >> size & ~before


def with_pile(ends, size):
    """The row with a pile of `size` pennies put in its place: what lies beyond makes room."""
    start = start_of(ends, size)
    before = (Bitboard(1) << start) - 1
    return ends & before | Bitboard(1) << start + size - 1 | (ends & ~before) << size


@game
class Pennies(State):
    """Grundy's game: split any pile into two unequal piles; whoever cannot move loses. Up to 64 pennies.

    All pennies lie in one row, pile by pile, the smallest pile first; `ends` holds the last penny of each
    pile. So the piles 4, 2 and 1 are the bits 0, 2 and 6, and the same piles are always the same row:

        o|o o|o o o o|
        0 1 2 3 4 5 6
    """

    ends: Bitboard = Bitboard(1 << 6)
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        """Each size of pile that can be split with each smaller part of it, the smallest first."""
        start = 0
        last = 0
        for end in self.ends:
            size = end - start + 1
            if size != last:
                for part in range(1, (size + 1) // 2):
                    yield BASE * size + part
            last = size
            start = end + 1

    def play(self, move):
        size = move // BASE
        part = move % BASE
        rest = without(self.ends, size)
        return Pennies(with_pile(with_pile(rest, size - part), part), -self.turn)

    def is_over(self):
        """Whether even the largest pile, the last in the row, has no more than two pennies."""
        end = self.ends.last()
        return end - (self.ends ^ Bitboard(1) << end).last() <= 2

    def utility(self):
        return -self.turn

    # ---- text ----

    def piles(self) -> list[int]:
        """The sizes of the piles, the largest first."""
        return sorted((end - before for before, end in pairwise((-1, *self.ends))), reverse=True)

    @classmethod
    def of(cls, piles: Iterable[int], turn: int = MAX) -> Pennies:
        """The position with these piles. Raises `PositionError` for an empty pile or more than 64 pennies."""
        ends = Bitboard(0)
        left = LARGEST
        for size in piles:
            if size < 1:
                raise PositionError(f"Pennies position: a pile of {size} pennies; expected at least 1")
            left -= size
            if left < 0:
                raise PositionError(
                    f"Pennies position: more than {LARGEST} pennies, the most that the board holds; "
                    "for larger piles ask zermelo.games.pennies.winning(piles)"
                )
            ends = with_pile(ends, size)
        return cls(ends, turn)

    @classmethod
    def parse(cls, text: str) -> Pennies:
        """The piles, joined by `-` or `+`, and who is to move if it is not MAX: `7`, `5-1-1`, `6+1 min`.

        Raises `PositionError` naming the word that is wrong, or the number of pennies if there are too many.
        """
        words = text.split()
        if not words or len(words) > 2:
            raise PositionError(f"Pennies position: {len(words)} words; expected piles like 5-1-1, then max or min")
        sides = {"max": MAX, "min": MIN}
        side = words[1].lower() if len(words) == 2 else "max"
        if side not in sides:
            raise PositionError(f"Pennies position: {words[1][:40]!r} is nobody's turn; expected max or min")
        sizes = words[0].replace("+", "-").split("-")
        for size in sizes:
            if not (size.isascii() and size.isdigit()):
                raise PositionError(f"Pennies position: {size[:40]!r} is no pile; expected piles like 7, 5-1-1 or 6+3")
        # A number of more digits than needed stands for too many, without being read to its end.
        return cls.of((int(size.lstrip("0")[:4] or "0") for size in sizes), sides[side])

    def __str__(self) -> str:
        return "-".join(map(str, self.piles())) + (" max" if self.turn == MAX else " min")

    def board(self) -> str:
        return "\n".join(f"{size:2d}  {'● ' * size}".rstrip() for size in self.piles())

    def picture(self) -> Grid:
        piles = list(self.piles())
        pieces = [Piece(column, row, "disc", "copper") for row, size in enumerate(piles) for column in range(size)]
        return Grid(max(piles), len(piles), "bare", tuple(pieces), row_labels=tuple(map(str, piles)))

    def move_name(self, move: int) -> str:
        """`7=4+3`: a pile of 7 becomes one of 4 and one of 3."""
        size, part = divmod(move, BASE)
        return f"{size}={size - part}+{part}"


def grundy_values(largest: int) -> list[int]:
    """The Grundy values of single piles of 0, 1, .. `largest` pennies (OEIS A002188).

    The value of a pile is the smallest number that is not the value of any split of it; the value of a split
    is the exclusive or of the values of its two parts (P. M. Grundy, Mathematics and games, 1939). `largest`
    may be any size; the time grows with its square, 10,000 pennies take a fraction of a second.
    """
    import numpy as np

    values = np.zeros(largest + 1, np.int64)
    taken = np.zeros((1 << largest.bit_length()) + 1, bool)  # which numbers are the value of a split
    for size in range(3, largest + 1):
        smaller = values[1 : (size + 1) // 2]
        larger = values[size - 1 : size // 2 : -1]
        taken[:] = False
        taken[smaller ^ larger] = True
        values[size] = taken.argmin()  # the first that is not
    return [int(value) for value in values]


def winning(piles: Iterable[int]) -> bool:
    """Whether the side to move wins with these piles of any size: the exclusive or of their values is not 0.

    >>> winning([7]), winning([5, 2]), winning([1000])
    (False, True, True)
    """
    sizes = list(piles)
    values = grundy_values(max(sizes, default=0))
    return reduce(xor, (values[size] for size in sizes), 0) != 0
