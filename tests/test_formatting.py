"""Scores and losses as text: the unit in which they are shown, compact scores, signs."""

from __future__ import annotations

from dataclasses import replace

import pytest

import zermelo
from zermelo import formatting
from zermelo.search.analysis import Score


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (41, "centipawns", "+0.41"),
        (-1234, "centipawns", "-12.34"),
        (0, "centipawns", "0.00"),
        (3, "pawns", "+3.00"),
        (-4, "discs", "-4"),
        (0, "discs", "0"),
        (32, "thousandths of a point", "+0.032"),
        (-250, "hundredths of a move", "-2.50"),
        (12345, "evaluation units", "+12,345"),
        (-0.0321, "", "-0.032"),
        (0.0001, "", "0.000"),
    ],
)
def test_signed_scores(number: float, unit: str, text: str) -> None:
    assert formatting.signed(number, unit) == text


def test_a_proven_line_does_not_prove_the_others() -> None:
    found = zermelo.analyse(zermelo.load("tictactoe").parse("XX-OO----"), depth=2, lines=2)
    proven, other = found.lines
    assert proven.score.is_proven
    assert found.confidence == 100
    guess = replace(other, score=Score(estimate=1))
    mixed = replace(found, lines=(proven, guess), confidence=None)
    assert mixed.is_selective
    assert (mixed.selectivity, formatting.labelled_score(mixed)) == ("selective", "crosses win in 1 ply, proven")
    assert replace(mixed, lines=(proven, proven)).confidence == 100
    assert replace(mixed, confidence=95).selectivity == "selective, confidence 95 %"
    estimated = replace(mixed, score=guess.score, lines=(guess, proven), confidence=95)
    assert formatting.labelled_score(estimated).endswith("(crosses are ahead), selective, confidence 95 %")
    assert replace(mixed, algorithm="mcts").selectivity == replace(mixed, depth=0).selectivity == ""


def test_losses_name_the_unit_that_is_shown() -> None:
    assert formatting.with_unit(56, "centipawns") == "0.56 pawns"
    assert formatting.with_unit(32, "thousandths of a point") == "0.032 points"
    assert formatting.with_unit(0.043, "points") == "0.043 points"
    assert formatting.with_unit(4, "discs") == "4 discs"


@pytest.mark.parametrize(
    ("game", "score", "text"),
    [
        ("chess", Score(estimate=41, unit="centipawns"), "+0.41"),
        ("chess", Score(1, 5, unit="centipawns"), "+#3"),
        ("chess", Score(-1, 4, unit="centipawns"), "-#2"),
        ("chess", Score(0, unit="centipawns"), "0"),
        ("chess", Score(estimate=999_999, unit="centipawns"), "+#"),
        ("connect4", Score(-1, 4), "-#4"),
        ("othello", Score(38, unit="discs"), "+38"),
        ("othello", Score(estimate=-1_012_000, unit="discs"), "-12"),
        ("backgammon", Score(estimate=32, unit="thousandths of a point", expected=0.0321, number=32), "+0.032"),
    ],
)
def test_compact_scores(game: str, score: Score, text: str) -> None:
    assert formatting.compact_score(zermelo.load(game).start(), score) == text


def test_minus_signs_stand_before_numbers_only() -> None:
    assert formatting.with_minus("-0.41 by pre-trained (-#3)") == "−0.41 by pre-trained (−#3)"
