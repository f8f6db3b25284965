"""Othello: contract and published counts."""

from __future__ import annotations

import pytest

from zermelo.games.othello import Othello
from zermelo.testing import check_game

# Aart Bik's counts: a pass is a move, a game that ended earlier is one line.
PERFT = [1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284, 212_258_800, 1_939_886_636]


@pytest.mark.long
def test_contract() -> None:
    report = check_game(Othello, games=40)
    assert report.unfinished == 0


@pytest.mark.parametrize("depth", range(10))
def test_perft(perft, depth: int) -> None:
    assert perft(Othello(), depth) == PERFT[depth]


@pytest.mark.nightly
@pytest.mark.parametrize("depth", range(10, len(PERFT)))
def test_perft_deep(perft, depth: int) -> None:
    assert perft(Othello(), depth) == PERFT[depth]
