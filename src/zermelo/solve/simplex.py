"""Linear programs in whole numbers: the simplex method without any rounding.

Every row of the tableau is an equation in integers and may be multiplied as one likes, so a pivot needs no fractions: a
row is freed of the new variable by whole multiples, and then divided by what all its numbers have in common. The column
is the first that improves (R. G. Bland, 1977), so that it always ends. For a few hundred rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from zermelo.errors import LimitError


def maximise(
    objective: Sequence[int], rows: Sequence[Sequence[int]], right: Sequence[int]
) -> tuple[Fraction, list[Fraction]]:
    """The largest value of objective · x, and the x, where x >= 0 and each row · x <= its right side.

    The right sides must not be negative, so that x = 0 is allowed. Raises `LimitError` where there is no largest value.
    """
    assert min(right, default=0) >= 0
    width, tall = len(objective), len(rows)
    # Each row: its numbers, those of the slacks, that of the objective's value, the right side. The last row says that
    # the value less objective · x is 0.
    table = [
        [*row, *(int(place == other) for other in range(tall)), 0, side]
        for place, (row, side) in enumerate(zip(rows, right, strict=True))
    ]
    table.append([*(-number for number in objective), *[0] * tall, 1, 0])
    basis = list(range(width, width + tall))
    while True:
        column = next((place for place, number in enumerate(table[-1][:-2]) if number < 0), None)
        if column is None:
            break
        leaving = _leaving(table, basis, column)
        if leaving is None:
            raise LimitError("a linear program has no largest value: some variable can grow without end")
        row = table[leaving]
        pivot = row[column]
        for place, other in enumerate(table):
            factor = other[column]
            if factor and place != leaving:
                mixed = [pivot * a - factor * b for a, b in zip(other, row, strict=True)]
                common = gcd(*mixed)
                table[place] = [number // common for number in mixed] if common > 1 else mixed
        basis[leaving] = column
    solution = [Fraction(0)] * width
    for row, variable in zip(table, basis, strict=False):
        if variable < width:
            solution[variable] = Fraction(row[-1], row[variable])
    return Fraction(table[-1][-1], table[-1][-2]), solution


def _leaving(table: list[list[int]], basis: list[int], column: int) -> int | None:
    """The row whose variable becomes 0 first; of several the one of the first variable."""
    best: int | None = None
    for place, variable in enumerate(basis):
        row = table[place]
        if row[column] > 0:
            if best is None:
                best = place
                continue
            ahead = row[-1] * table[best][column] - table[best][-1] * row[column]
            if ahead < 0 or (ahead == 0 and variable < basis[best]):
                best = place
    return best
