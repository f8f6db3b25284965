"""`Evaluation.endgame_order`: exact searches ordered by an evaluation find the same values in fewer nodes."""

from __future__ import annotations

import pytest

import zermelo
from zermelo import Engine

pytestmark = pytest.mark.long

OTHELLO = zermelo.load("othello")
# FFO #21 and #25, 15 and 19 empty squares.
POSITIONS = (
    "OOOOOOOOXOOXXX--XXOOXOO-XOXOOO--XOOOOX--XOOXOO--XOOOOO--XXXX---- O",
    "----X------XXXO--OOOXXXXXOOOOXXO-XXOOXXOOOXOXXXXOOOXX---X-XXXX-- O",
)


@pytest.mark.parametrize("text", POSITIONS)
def test_values_are_the_same(text: str) -> None:
    state = OTHELLO.parse(text)
    with Engine("16M") as plain, Engine("16M") as ordered:
        first = plain.analyse(state, exact=True, evaluation="mobility")
        second = ordered.analyse(state, exact=True, evaluation="patterns")
    assert second.score.is_proven
    assert second.score.value == first.score.value
