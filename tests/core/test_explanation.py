"""Evaluations term by term, and the squares of the pieces that a term counts."""

from __future__ import annotations

import pytest

import zermelo
from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.explanation import counted_squares, explain
from zermelo.errors import GameError, UnknownGame


def squares(game: str, position: str, evaluation: str | None = None) -> dict[str, set[str]]:
    """The squares of each term by their names."""
    state = zermelo.load(game).parse(position)
    picture = state.picture()
    found = counted_squares(state, resolve_evaluation(state, evaluation))
    return {
        name: {picture.column_labels[column] + picture.row_labels[row] for column, row in places}
        for name, places in found.items()
    }


def test_the_terms_of_a_score() -> None:
    state = zermelo.load("chess").parse("4k3/8/8/8/8/8/PP6/4K3 w - - 0 1")
    found = explain(state, "material")
    assert (found.evaluation, found.score, found.mixture) == ("material", 2, None)
    assert {term.name: (term.max, term.min) for term in found.terms}["pawns"] == (2, 0)
    tapered = explain(state)
    assert tapered.evaluation == "positional"
    assert tapered.mixture == (0, 24)
    assert tapered.phases is not None
    assert sum(term.points for term in tapered.terms) == tapered.score
    assert tapered.as_dict()["score"] == tapered.score


def test_the_squares_that_terms_count() -> None:
    found = squares("chess", "4k3/5p2/8/8/8/P7/P3P3/4K2R w K - 0 1")
    assert found["doubled pawns"] == {"a2", "a3"}
    assert found["pawns"] == {"a2", "a3", "e2", "f7"}
    assert found["isolated pawns"] == {"a2", "a3", "e2", "f7"}
    assert found["rooks"] == {"h1"}
    assert squares("chess", "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", "material") == {"queens": {"a1"}}
    corner = squares("othello", "X" + "-" * 26 + "OX------XO" + "-" * 27 + " X", "mobility")
    assert corner["corners"] == {"a1"}


def test_without_a_name_the_first_sum_of_terms_is_explained() -> None:
    othello = zermelo.load("othello")
    assert next(iter(othello.evaluations)) == "patterns"
    assert explain(othello.start()).evaluation == "mobility"
    with pytest.raises(GameError, match="'patterns' is not a weighted sum of terms; mobility, diff, wdiff are"):
        explain(othello.start(), "patterns")


def test_games_without_squares_and_evaluations_without_terms() -> None:
    tictactoe = zermelo.load("tictactoe").start()
    assert counted_squares(tictactoe, resolve_evaluation(tictactoe, None)) == {}
    kuhn = zermelo.load("kuhn").start()
    assert counted_squares(kuhn, resolve_evaluation(kuhn, None)) == {}
    with pytest.raises(UnknownGame, match="has no evaluation 'best'"):
        explain(tictactoe, "best")
    with pytest.raises(
        GameError, match="property's evaluation 'income' is not a weighted sum of terms; none of the game is"
    ):
        explain(zermelo.load("property").start(), game="property")
    assert explain(zermelo.load("tictactoe").start().after("a1 a2 b1 b2 c1")).score == 1
