"""Marks and accuracy by the thresholds of lichess and GNU Backgammon, and expected results."""

from __future__ import annotations

import math

import pytest

import zermelo
from zermelo import Score
from zermelo.core.evaluation import Nothing
from zermelo.review import marks
from zermelo.review.expected_result import expected_result, scale_of

CHESS, OTHELLO, BACKGAMMON = (zermelo.load(name) for name in ("chess", "othello", "backgammon"))


@pytest.mark.parametrize(
    ("loss", "mark"),
    [(0.0, ""), (0.049, ""), (0.05, "inaccuracy"), (0.1, "mistake"), (0.15, "blunder"), (1, "blunder")],
)
def test_marks_of_chess_are_those_of_lichess(loss: float, mark: str) -> None:
    assert marks.mark_of(CHESS, loss) == mark


@pytest.mark.parametrize(
    ("points", "mark"), [(0.039, ""), (0.04, "inaccuracy"), (0.08, "mistake"), (0.16, "blunder"), (0.9, "blunder")]
)
def test_marks_of_backgammon_are_those_of_gnu_backgammon(points: float, mark: str) -> None:
    evaluation = BACKGAMMON.evaluations["phases"]
    level, worse = (expected_result(Score(expected=each), BACKGAMMON.start(), evaluation) for each in (0.0, -points))
    assert marks.mark_of(BACKGAMMON, level - worse) == mark


@pytest.mark.parametrize(("discs", "mark"), [(0, ""), (1, ""), (2, "inaccuracy"), (4, "mistake"), (8, "blunder")])
def test_discs_lost_in_a_won_game_count(discs: int, mark: str) -> None:
    assert marks.mark_of(OTHELLO, 0.0, discs) == mark


def test_utilities_do_not_count_where_all_wins_are_equal() -> None:
    assert marks.mark_of(CHESS, 0.0, 0) == ""


def test_accuracy_of_a_move_is_the_formula_of_lichess() -> None:
    assert marks.move_accuracy(0.0) == pytest.approx(100, abs=0.01)
    for percent in (1, 5, 10, 30, 60):
        expected = 103.1668 * math.exp(-0.04354 * percent) - 3.1669
        assert marks.move_accuracy(percent / 100) == pytest.approx(expected)
    assert marks.move_accuracy(1.0) == 0
    assert marks.accuracy([]) is None
    assert marks.accuracy([0.0, 1.0]) == pytest.approx(50, abs=0.01)


def test_the_curve_of_chess_is_that_of_lichess() -> None:
    evaluation = CHESS.evaluations["positional"]
    for centipawns in (-800, -34, 0, 100, 350):
        winning_chances = 50 + 50 * (2 / (1 + math.exp(-0.00368208 * centipawns)) - 1)
        found = expected_result(Score(estimate=centipawns), CHESS.start(), evaluation)
        assert 100 * found == pytest.approx(winning_chances, abs=0.01)


@pytest.mark.parametrize(
    ("score", "result"),
    [
        (Score(value=1, plies=9), 1.0),
        (Score(value=0), 0.5),
        (Score(value=-1, plies=2), 0.0),
        (Score(estimate=999_999), 1.0),
        (Score(estimate=-1_002_000), 0.0),
        (Score(estimate=0), 0.5),
    ],
)
def test_proven_scores_are_results(score: Score, result: float) -> None:
    assert expected_result(score, CHESS.start(), CHESS.evaluations["positional"]) == result


def test_playouts_of_go_count_wins() -> None:
    go = zermelo.load("go").start()
    assert expected_result(Score(expected=0.5, estimate=0), go, Nothing()) == 0.75


def test_an_unknown_evaluation_is_scaled_by_its_scores_in_random_games() -> None:
    game = zermelo.load("tictactoe")
    scale = scale_of(game, game.evaluations["lines"])
    assert 0.5 < scale < 5
    assert scale == scale_of(game, game.evaluations["lines"])
