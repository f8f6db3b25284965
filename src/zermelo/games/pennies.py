"""Pennies (Grundy's game): split a pile into two unequal piles; a player who cannot move loses.

The game itself holds up to 64 pennies; `grundy_values` and `winning` work for piles of any size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import pairwise
from operator import xor

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN, State, game
from zermelo.core.picture import Grid, Path, Piece
from zermelo.errors import PositionError

MAX_PENNIES = 64  # one bit each
BASE = 100  # a move is 100 * pile + smaller part: 703 splits 7 into 4 and 3


def start_of(ends: Bitboard, size: int) -> int:
    """Return the start of the first pile with at least `size` pennies; the end of the row if there is none."""
    start = 0
    for end in ends:
        if end - start + 1 >= size:
            break
        start = end + 1
    return start


def remove_pile(ends: Bitboard, size: int) -> Bitboard:
    """Return the row without a pile of `size` pennies; the pennies after it move down."""
    before = (Bitboard(1) << start_of(ends, size)) - 1
    return ends & before | ends >> size & ~before


def insert_pile(ends: Bitboard, size: int) -> Bitboard:
    """Return the row with another pile of `size` pennies, inserted in order."""
    start = start_of(ends, size)
    before = (Bitboard(1) << start) - 1
    return ends & before | Bitboard(1) << start + size - 1 | (ends & ~before) << size


@game
class Pennies(State):
    """Grundy's game: split any pile into two unequal piles; a player who cannot move loses. Up to 64 pennies.

    Notes
    -----
    The pennies form one row, pile by pile, the smallest pile first, so equal piles are equal states. `ends` has a bit
    for the last penny of each pile: the piles 4, 2 and 1 are the bits 0, 2 and 6.

        o|o o|o o o o|
        0 1 2 3 4 5 6
    """

    ends: Bitboard = Bitboard(1 << 6)
    turn: int = MAX

    largest_move = BASE * MAX_PENNIES + (MAX_PENNIES - 1) // 2

    def to_move(self) -> int:
        return self.turn

    def moves(self) -> Iterator[int]:
        """Yield each pile size with each possible smaller part, smallest first."""
        start = 0
        last = 0
        for end in self.ends:
            size = end - start + 1
            if size != last:
                for part in range(1, (size + 1) // 2):
                    yield BASE * size + part
            last = size
            start = end + 1

    def play(self, move: int) -> Pennies:
        size = move // BASE
        part = move % BASE
        rest = remove_pile(self.ends, size)
        return Pennies(insert_pile(insert_pile(rest, size - part), part), -self.turn)

    def is_over(self) -> bool:
        """Return whether the largest pile, the last in the row, has at most two pennies."""
        end = self.ends.last()
        return end - (self.ends ^ Bitboard(1) << end).last() <= 2

    def utility(self) -> int:
        return -self.turn

    # ---- text ----

    def piles(self) -> list[int]:
        """Return the sizes of the piles, largest first."""
        return sorted((end - before for before, end in pairwise((-1, *self.ends))), reverse=True)

    @classmethod
    def of(cls, piles: Iterable[int], turn: int = MAX) -> Pennies:
        """Return the position with given piles. Raises `PositionError` for an empty pile or more than 64 pennies."""
        ends = Bitboard(0)
        left = MAX_PENNIES
        for size in piles:
            if size < 1:
                raise PositionError(f"Pennies position: a pile of {size} pennies; expected at least 1")
            left -= size
            if left < 0:
                raise PositionError(
                    f"Pennies position: more than {MAX_PENNIES} pennies; "
                    "use zermelo.games.pennies.winning(piles) for larger piles"
                )
            ends = insert_pile(ends, size)
        return cls(ends, turn)

    @classmethod
    def parse(cls, text: str) -> Pennies:
        """Parse piles joined by `-` or `+`, and optionally the side to move: `7`, `5-1-1`, `6+1 min`.

        MAX is to move by default. Raises `PositionError` with the word that is wrong.
        """
        words = text.split()
        if not words or len(words) > 2:
            raise PositionError(f"Pennies position: {len(words)} words; expected piles like 5-1-1, then max or min")
        sides = {"max": MAX, "min": MIN}
        side = words[1].lower() if len(words) == 2 else "max"
        if side not in sides:
            raise PositionError(f"Pennies position: {words[1][:40]!r} is not a side; expected max or min")
        sizes = words[0].replace("+", "-").split("-")
        for size in sizes:
            if not (size.isascii() and size.isdigit()):
                raise PositionError(f"Pennies position: {size[:40]!r} is not a pile; expected piles like 7 or 5-1-1")
        # Long numbers are cut: four digits are already too many pennies.
        return cls.of((int(size.lstrip("0")[:4] or "0") for size in sizes), sides[side])

    def __str__(self) -> str:
        return "-".join(map(str, self.piles())) + (" max" if self.turn == MAX else " min")

    def board(self) -> str:
        return "\n".join(f"{size:2d}  {'● ' * size}".rstrip() for size in self.piles())

    def picture(self) -> Grid:
        piles = list(self.piles())
        pieces = [Piece(column, row, "disc", "copper") for row, size in enumerate(piles) for column in range(size)]
        return Grid(max(piles), len(piles), "bare", tuple(pieces), row_labels=tuple(map(str, piles)))

    def move_path(self, move: int) -> Path:
        """Return the last penny of the larger part, in the first pile of that size."""
        size, part = divmod(move, BASE)
        return ((size - part - 1, self.piles().index(size)),)

    def move_name(self, move: int) -> str:
        """Return the split, for example `7=4+3`."""
        size, part = divmod(move, BASE)
        return f"{size}={size - part}+{part}"


def grundy_values(largest: int) -> list[int]:
    """Return the Grundy values of single piles of 0, 1, ..., `largest` pennies (OEIS A002188).

    The value of a pile is the minimum excludant of the values of its splits; the value of a split is the exclusive or
    of the values of its parts. The time is quadratic: 10,000 pennies take a fraction of a second.

    References
    ----------
    P. M. Grundy, "Mathematics and Games", Eureka 2 (1939).
    """
    import numpy as np

    values = np.zeros(largest + 1, np.int64)
    taken = np.zeros((1 << largest.bit_length()) + 1, bool)  # the values of the splits
    for size in range(3, largest + 1):
        smaller = values[1 : (size + 1) // 2]
        larger = values[size - 1 : size // 2 : -1]
        taken[:] = False
        taken[smaller ^ larger] = True
        values[size] = taken.argmin()  # the minimum excludant
    return [int(value) for value in values]


def winning(piles: Iterable[int]) -> bool:
    """Return whether the side to move wins: the exclusive or of the Grundy values of the piles is not 0.

    Piles may have any size.

    Examples
    --------
    >>> winning([7]), winning([5, 2]), winning([1000])
    (False, True, True)
    """
    sizes = list(piles)
    values = grundy_values(max(sizes, default=0))
    return reduce(xor, (values[size] for size in sizes), 0) != 0
