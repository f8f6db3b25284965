"""Linear programming in exact integer arithmetic: the simplex method without rounding.

Each row of the tableau is an equation with integer coefficients and may be scaled freely, so pivoting needs no
fractions: the entering variable is eliminated with integer multiples of rows, and each row is then divided by the
greatest common divisor of its entries. Bland's rule prevents cycling. Meant for programs of a few hundred rows.

References
----------
R. G. Bland, "New finite pivoting rules for the simplex method", Mathematics of Operations Research 2 (1977).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd

from zermelo.errors import LimitError


def maximise(
    objective: Sequence[int], rows: Sequence[Sequence[int]], right: Sequence[int]
) -> tuple[Fraction, list[Fraction]]:
    """Maximise objective · x subject to rows · x <= right and x >= 0.

    Parameters
    ----------
    objective : sequence of int, length n
    rows : sequence of m sequences of int, each of length n
    right : sequence of int, length m
        None of them negative, so that x = 0 is feasible.

    Returns
    -------
    value : Fraction
        The largest value of the objective.
    x : list of Fraction, length n
        A solution with that value.

    Raises
    ------
    LimitError
        If the objective is unbounded.
    """
    assert min(right, default=0) >= 0
    width, height = len(objective), len(rows)
    # Columns: the variables, the slack variables, the objective value, the right side. The last row is the equation
    # value - objective · x = 0.
    tableau = [
        [*row, *(int(index == other) for other in range(height)), 0, side]
        for index, (row, side) in enumerate(zip(rows, right, strict=True))
    ]
    tableau.append([*(-coefficient for coefficient in objective), *[0] * height, 1, 0])
    basis = list(range(width, width + height))
    while True:
        column = next((index for index, cost in enumerate(tableau[-1][:-2]) if cost < 0), None)
        if column is None:
            break
        leaving = _leaving_row(tableau, basis, column)
        if leaving is None:
            raise LimitError("the linear program is unbounded")
        row = tableau[leaving]
        pivot = row[column]
        for index, other in enumerate(tableau):
            factor = other[column]
            if factor and index != leaving:
                combined = [pivot * a - factor * b for a, b in zip(other, row, strict=True)]
                divisor = gcd(*combined)
                tableau[index] = [entry // divisor for entry in combined] if divisor > 1 else combined
        basis[leaving] = column
    solution = [Fraction(0)] * width
    for row, variable in zip(tableau, basis, strict=False):
        if variable < width:
            solution[variable] = Fraction(row[-1], row[variable])
    return Fraction(tableau[-1][-1], tableau[-1][-2]), solution


def _leaving_row(tableau: list[list[int]], basis: list[int], column: int) -> int | None:
    """Return the row of the leaving variable (smallest ratio, ties by Bland's rule), or None if there is none."""
    best: int | None = None
    for index, variable in enumerate(basis):
        row = tableau[index]
        if row[column] > 0:
            if best is None:
                best = index
                continue
            difference = row[-1] * tableau[best][column] - tableau[best][-1] * row[column]
            if difference < 0 or (difference == 0 and variable < basis[best]):
                best = index
    return best
