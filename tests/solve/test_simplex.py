"""Integer simplex method: textbook programs, and random ones checked against all vertices."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from zermelo.errors import LimitError
from zermelo.solve.simplex import maximise

pytestmark = pytest.mark.quick


def test_textbook_program() -> None:
    """Wyndor Glass (Hillier and Lieberman): 3x + 5y with x <= 4, 2y <= 12, 3x + 2y <= 18."""
    assert maximise([3, 5], [[1, 0], [0, 2], [3, 2]], [4, 12, 18]) == (36, [2, 6])


def test_fractions_are_exact() -> None:
    value, solution = maximise([1, 1], [[3, 1], [1, 3]], [1, 1])
    assert (value, solution) == (Fraction(1, 2), [Fraction(1, 4), Fraction(1, 4)])


def test_program_that_cycles_without_an_anticycling_rule() -> None:
    """Beale (1955): with the largest-coefficient rule the simplex method cycles."""
    value, solution = maximise([75, -15000, 2, -600], [[25, -6000, -4, 900], [50, -9000, -2, 300], [0, 0, 1, 0]],
                               [0, 0, 100])  # fmt: skip
    assert value == 500
    assert solution[2] == 100


def test_zero_and_unbounded_objectives() -> None:
    assert maximise([-1], [[1]], [3]) == (0, [0])
    with pytest.raises(LimitError, match="unbounded"):
        maximise([1, 0], [[-1, 1]], [1])


def test_random_programs_agree_with_all_vertices() -> None:
    """The solution is feasible, and no vertex of the polytope is better."""
    random = Random(1947)
    for _ in range(50):
        width, height = 2 + int(random.random() * 3), 2 + int(random.random() * 3)
        rows = [[int(random.random() * 9) + 1 for _ in range(width)] for _ in range(height)]
        right = [int(random.random() * 20) for _ in range(height)]
        objective = [int(random.random() * 9) for _ in range(width)]
        value, x = maximise(objective, rows, right)
        assert value == sum(c * each for c, each in zip(objective, x, strict=True))
        assert min(x) >= 0
        for row, side in zip(rows, right, strict=True):
            assert sum(a * each for a, each in zip(row, x, strict=True)) <= side
        assert value == max(_vertex_values(objective, rows, right))


def _vertex_values(objective: list[int], rows: list[list[int]], right: list[int]) -> list[Fraction]:
    """The objective at each vertex: every choice of constraints, solved by Gaussian elimination in fractions."""
    width = len(objective)
    constraints = [([Fraction(a) for a in row], Fraction(side)) for row, side in zip(rows, right, strict=True)]
    constraints += [([Fraction(place == other) for other in range(width)], Fraction(0)) for place in range(width)]
    values = []
    for chosen in combinations(constraints, width):
        point = _solve_system([[*row, side] for row, side in chosen])
        if point is None or min(point) < 0:
            continue
        if all(sum(a * x for a, x in zip(row, point, strict=True)) <= side for row, side in constraints[: len(rows)]):
            values.append(sum(c * x for c, x in zip(objective, point, strict=True)))
    return values  # type: ignore[return-value]


def _solve_system(system: list[list[Fraction]]) -> list[Fraction] | None:
    size = len(system)
    for place in range(size):
        pivot = next((row for row in range(place, size) if system[row][place]), None)
        if pivot is None:
            return None
        system[place], system[pivot] = system[pivot], system[place]
        system[place] = [number / system[place][place] for number in system[place]]
        for row in range(size):
            if row != place:
                factor = system[row][place]
                system[row] = [a - factor * b for a, b in zip(system[row], system[place], strict=True)]
    return [row[-1] for row in system]
