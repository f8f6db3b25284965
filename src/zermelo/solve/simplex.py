"""Linear programs in whole numbers: the simplex method without any rounding.

The tableau is kept in integers over one common denominator, as J. Edmonds (1967) and E. H. Bareiss (1968) showed for
elimination: a pivot divides by the pivot before it, and the division leaves no rest. The column is the first that
improves (R. G. Bland, 1977), so that it always ends. For a few hundred rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from zermelo.errors import LimitError


def maximise(
    objective: Sequence[int], rows: Sequence[Sequence[int]], right: Sequence[int]
) -> tuple[Fraction, list[Fraction]]:
    """The largest value of objective · x, and the x, where x >= 0 and each row · x <= its right side.

    The right sides must not be negative, so that x = 0 is allowed. Raises `LimitError` where there is no largest value.
    """
    assert min(right, default=0) >= 0
    width = len(objective)
    # Each row: its numbers, those of the slacks, the right side. What stands for the objective comes last.
    table = [
        [*row, *(int(place == other) for other in range(len(rows))), side]
        for place, (row, side) in enumerate(zip(rows, right, strict=True))
    ]
    table.append([*(-number for number in objective), *[0] * (len(rows) + 1)])
    basis = list(range(width, width + len(rows)))
    common = 1  # the denominator of all numbers
    while True:
        last = table[-1]
        column = next((place for place in range(len(last) - 1) if last[place] < 0), None)
        if column is None:
            break
        leaving = _leaving(table, basis, column)
        if leaving is None:
            raise LimitError("a linear program has no largest value: some variable can grow without end")
        row = table[leaving]
        pivot = row[column]
        for place, other in enumerate(table):
            if place != leaving:
                factor = other[column]
                if factor:
                    table[place] = [(a * pivot - b * factor) // common for a, b in zip(other, row, strict=True)]
                elif pivot != common:
                    table[place] = [a * pivot // common for a in other]
        common = pivot
        basis[leaving] = column
    solution = [Fraction(0)] * width
    for place, variable in enumerate(basis):
        if variable < width:
            solution[variable] = Fraction(table[place][-1], common)
    return Fraction(table[-1][-1], common), solution


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
