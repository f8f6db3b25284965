"""Othello: contract and published counts."""

from __future__ import annotations

import random

import pytest

import zermelo
from zermelo.core.bitboard import Bitboard
from zermelo.games.othello import Othello
from zermelo.games.othello.flips import flipped_discs, last_flips
from zermelo.games.othello.stability import stable_discs
from zermelo.testing import check_game

# No squares of 64 lie outside the board.
WALLS = Bitboard(0)
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


def random_game(seed: int) -> list[Othello]:
    """The positions of a random game before its end."""
    source, state, states = random.Random(seed), Othello(), []
    while not state.is_over():
        states.append(state)
        state = state.play(source.choice(list(state.moves())))
    return [*states, state]


def test_flips_on_the_last_square() -> None:
    source = random.Random(1)
    for _ in range(2000):
        square = source.randrange(64)
        own = Bitboard(source.getrandbits(64) | source.getrandbits(64)) & ~(Bitboard(1) << square)
        other = ~own & ~(Bitboard(1) << square)
        assert last_flips(square, own) == flipped_discs(square, own, other).count()
        assert last_flips(square, other) == flipped_discs(square, other, own).count()


def test_stable_discs_are_never_flipped() -> None:
    found = 0
    for seed in range(15):
        black = white = Bitboard(0)
        for state in random_game(seed):
            assert state.black & black == black
            assert state.white & white == white
            black |= stable_discs(state.black, state.white, WALLS)
            white |= stable_discs(state.white, state.black, WALLS)
        found += (black | white).count()
    assert found > 15 * 20  # most discs of a full board


def test_bounds_contain_the_value() -> None:
    """Minimax without bounds, table and endgame solver."""
    for seed in range(40):
        for state in [each for each in random_game(seed) if (each.black | each.white).count() in (58, 59)][:2]:
            if not state.is_over():
                low, high = state.bounds()
                assert low <= zermelo.alphabeta(state).value <= high


def test_stable_edges_bound_the_result() -> None:
    """White's first row is full, so it keeps eight discs; black has no stable disc."""
    state = Othello.parse("OOOOOOOO --XXXX-- ---XX--- -------- -------- -------- -------- -------- X")
    assert state.bounds() == (-64, 64 - 2 * 8)
