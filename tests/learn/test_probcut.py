"""The errors by which shallow searches predict deep ones."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from zermelo import Evaluation, LimitError, State, ZermeloError, learn, load
from zermelo.learn import probcut
from zermelo.learn.position_file import COLUMNS, Positions, load_positions, words_of_state
from zermelo.learn.probcut import _fitted, search_errors
from zermelo.search.position_search import Found

TICTACTOE = load("tictactoe")


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


def test_the_formula_is_found_again() -> None:
    wanted = (0.5, 0.1, 0.08, -0.15)
    cells = [(stage, depth, shallow) for stage in range(4) for depth, shallow in ((3, 1), (4, 2), (6, 2), (8, 4))]
    rows = [(s, d, k, 100, math.exp(wanted[0] + wanted[1] * s + wanted[2] * d + wanted[3] * k)) for s, d, k in cells]
    coefficients, _ = _fitted(rows)
    assert coefficients == pytest.approx(wanted, abs=1e-3)


class _Scores:
    """Stands for searches: the score of a depth is that of the position plus noise that grows with the depth."""

    found: dict[int, Found]

    def __init__(self, state: State, evaluation: Evaluation) -> None:
        self.random = random.Random(7)

    def clear(self) -> None:
        pass

    def search(self, state: State, depth: int) -> Found:
        return self.found.get(depth) or Found(round(self.random.gauss(0, 100 * depth)), False, 0)


def _positions(count: int) -> Positions:
    """The start position of tic-tac-toe, many times."""
    states = np.tile(np.array(words_of_state(TICTACTOE.start()), np.int64), (count, 1))
    return Positions(states=states, **{name: np.zeros(count, kind) for name, kind in COLUMNS.items()})


@pytest.mark.quick
def test_positions_of_known_results_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of wins that are not proven, whose score of 999,999 is not an estimate."""
    monkeypatch.setattr(probcut, "PositionSearch", _Scores)
    lines, positions, told = TICTACTOE.evaluations["lines"], _positions(40), list[tuple[int, int]]()
    _Scores.found = {}
    _, rows = search_errors(lines, TICTACTOE, positions, depth=6, on_progress=lambda *each: told.append(each))
    assert [each.positions for each in rows] == [40] * 4
    assert all(100 < each.error < 2000 for each in rows)
    assert told == [(done, 40) for done in range(41)]
    for known in (Found(1, True, 0), Found(999_999, False, 0, True)):
        _Scores.found = {6: known}
        with pytest.raises(ZermeloError, match=r"^0 unsolved positions are too few: a stage needs 30 with scores"):
            search_errors(lines, TICTACTOE, positions, depth=6)
    with pytest.raises(ZermeloError, match=r"^0 unsolved positions are too few"):
        search_errors(lines, TICTACTOE, replace(positions, exact=positions.exact + 1), depth=6)


@pytest.mark.quick
def test_depths_out_of_range_are_refused() -> None:
    """Four coefficients need four pairs of a stage and a depth from 3 on."""
    patterns, othello = load("othello").evaluations["patterns"], load("othello")
    for cls, evaluation, depth, least in (
        (TICTACTOE, TICTACTOE.evaluations["lines"], 5, 6),
        (TICTACTOE, TICTACTOE.evaluations["lines"], 61, 6),
        (othello, patterns, 3, 4),
        (othello, patterns, 61, 4),
    ):
        with pytest.raises(LimitError, match=rf"depth must be from {least} to 60 \(got {depth}\)"):
            search_errors(evaluation, cls, _positions(1), depth=depth)
    with pytest.raises(LimitError, match=r"count must be at least 1 \(got 0\)"):
        search_errors(patterns, othello, _positions(1), count=0)
