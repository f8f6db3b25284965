"""The errors by which shallow searches predict deep ones."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from zermelo import LimitError, ZermeloError, learn, load
from zermelo.learn.position_file import load_positions
from zermelo.learn.probcut import _fitted, search_errors


@pytest.mark.long
def test_errors_of_searches(tmp_path: Path) -> None:
    connect4 = load("connect4")
    path = tmp_path / "games.positions"
    learn.generate_positions("connect4", path, games=12, depths=(1,), random_plies=(2, 8), mix=0.3, seed=1)
    positions, evaluation = load_positions(path, connect4), connect4.evaluations["lines"]
    coefficients, rows = search_errors(evaluation, connect4, positions, depth=6, count=60, seed=2)
    assert [(each.stage, each.depth, each.shallow) for each in rows] == [(0, 3, 1), (0, 4, 2), (0, 5, 3), (0, 6, 2)]
    assert len(coefficients) == 4
    assert all(each.error > 0 and 0.5 < each.fitted / each.error < 2 for each in rows)
    assert search_errors(evaluation, connect4, positions, depth=6, count=60, seed=2)[1] == rows
    with pytest.raises(LimitError, match="depth must be at least 4"):
        search_errors(evaluation, connect4, positions, depth=3)
    with pytest.raises(ZermeloError, match="unsolved positions are too few"):
        search_errors(evaluation, connect4, positions, depth=4, count=5)


def test_the_formula_is_found_again() -> None:
    wanted = (0.5, 0.1, 0.08, -0.15)
    cells = [(stage, depth, shallow) for stage in range(4) for depth, shallow in ((3, 1), (4, 2), (6, 2), (8, 4))]
    rows = [(s, d, k, 100, math.exp(wanted[0] + wanted[1] * s + wanted[2] * d + wanted[3] * k)) for s, d, k in cells]
    coefficients, _ = _fitted(rows)
    assert coefficients == pytest.approx(wanted, abs=1e-3)
