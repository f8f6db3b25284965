"""Othello on 4 x 4, 6 x 6 and 10 x 10, against rules that follow each line square by square."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import pytest

import zermelo
from zermelo.core.game import MAX, MIN
from zermelo.errors import PositionError, UnknownGame
from zermelo.games.othello import Othello, Othello6, Othello10
from zermelo.games.othello.notation import square_names
from zermelo.games.othello.reversi import Reversi
from zermelo.testing import check_game

EMPTY = "-"
OTHER = {"X": "O", "O": "X"}
DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
STARTS = [(Othello6, "4x4"), (Othello6, "6x6"), (Othello, "8x8"), (Othello10, "10x10")]
# Of this file's own rules; the first five counts of all boards agree, because no line reaches an edge.
PERFT6 = [1, 4, 12, 56, 244, 1_364, 7_604, 47_740]


@cache
def flips(board: str, size: int, place: int, side: str) -> tuple[int, ...]:
    """The squares that a disc on `place` flips."""
    found: list[int] = []
    for x, y in DIRECTIONS:
        line = []
        column, row = place % size + x, place // size + y
        while 0 <= column < size and 0 <= row < size and board[size * row + column] == OTHER[side]:
            line.append(size * row + column)
            column, row = column + x, row + y
        if 0 <= column < size and 0 <= row < size and board[size * row + column] == side:
            found += line
    return tuple(found)


@cache
def replies(board: str, size: int, side: str) -> dict[int, str]:
    """The boards after the moves of a side, by square."""
    after = {}
    for place in range(size * size):
        flipped = flips(board, size, place, side) if board[place] == EMPTY else ()
        if flipped:
            after[place] = "".join(side if at == place or at in flipped else disc for at, disc in enumerate(board))
    return after


def count(board: str, size: int, side: str, depth: int) -> int:
    """The number of move sequences; a pass is a move, and a game that has ended is one."""
    if depth == 0:
        return 1
    moves = replies(board, size, side)
    if moves:
        return sum(count(after, size, OTHER[side], depth - 1) for after in moves.values())
    return count(board, size, OTHER[side], depth - 1) if replies(board, size, OTHER[side]) else 1


@cache
def value(board: str, size: int, side: str) -> int:
    """The result for black with best play."""
    moves = replies(board, size, side)
    if not moves and not replies(board, size, OTHER[side]):
        black, white = board.count("X"), board.count("O")
        return size * size - 2 * white if black > white else 2 * black - size * size if white > black else 0
    found = [value(after, size, OTHER[side]) for after in moves.values()] or [value(board, size, OTHER[side])]
    return max(found) if side == "X" else min(found)


@pytest.mark.quick
@pytest.mark.parametrize(("game", "name"), STARTS)
def test_random_games_follow_the_rules(game: type[Reversi], name: str) -> None:
    for seed in range(3):
        source, state = random.Random(seed), game.parse(name)
        while not state.is_over():
            board, side = str(state).split()
            after = replies(board, state.size, side)
            expected = [square_names(state.size)[place] for place in after]
            assert sorted(map(state.move_name, state.legal_moves())) == sorted(expected or ["pass"])
            move = source.choice(state.legal_moves())
            child = state.play(move)
            if after:
                name_of = state.move_name(move)
                place = square_names(state.size).index(name_of)
                assert str(child) == f"{after[place]} {OTHER[side]}"
            assert game.parse(str(child)) == child
            state = child
        board, side = str(state).split()
        assert state.utility() == value(board, state.size, side)


def test_perft(perft: Callable[..., int]) -> None:
    board, side = str(Othello6()).split()
    for depth, expected in enumerate(PERFT6):
        assert perft(Othello6(), depth) == count(board, 6, side, depth) == expected


@pytest.mark.long
@pytest.mark.parametrize(("game", "name"), STARTS)
def test_perft_of_all_boards(game: type[Reversi], name: str) -> None:
    state = game.parse(name)
    board, side = str(state).split()
    assert zermelo.perft(state, 7) == count(board, state.size, side, 7)


@pytest.mark.long
def test_4x4_is_won_by_the_second_player_by_eight_discs() -> None:
    """11 to 3; two squares stay empty, and count for the winner."""
    start = Othello6.parse("4x4")
    found = zermelo.analyse(start, exact=True)
    assert found.score.value == value(*str(start).split()[:1], 4, "X") == -10
    end = start.after(" ".join(found.line))
    assert end.is_over()
    assert (end.black.count(), end.white.count()) == (3, 11)


@pytest.mark.long
def test_endgames_on_6x6() -> None:
    """Values with the endgame solver and the bounds of stable discs, and without."""
    for seed in range(60):
        source, state = random.Random(seed), Othello6()
        while not state.is_over() and (state.black | state.white).count() < 27 + seed % 3:
            state = state.play(source.choice(state.legal_moves()))
        if not state.is_over():
            board, side = str(state).split()
            expected = value(board, 6, side)
            assert zermelo.analyse(state, exact=True).score.pov(MAX).number == expected
            low, high = state.bounds()
            assert low <= expected <= high


@pytest.mark.long
@pytest.mark.parametrize("game", [Othello6, Othello10])
def test_contract(game: type[Reversi]) -> None:
    assert check_game(game, games=20).unfinished == 0


@pytest.mark.quick
def test_text() -> None:
    assert Othello6.parse("4x4").size == 4
    assert Othello6.parse("c2b2b3").to_move() == MIN
    assert Othello10.parse("e4").to_move() == MIN
    state = Othello10.start()
    assert state.move_name(state.parse_move("g6")) == "g6"
    corner = Othello10.parse("-" * 70 + "X" + "-" * 9 + "O" + "-" * 19 + " X")
    assert [corner.move_name(move) for move in corner.legal_moves()] == ["a10"]
    for text, message in (
        ("5x5", "expected 6x6 or 4x4"),
        ("8x8", "expected 6x6 or 4x4"),
        ("-" * 64 + " X", "64 squares; expected 36 or 16, from a1 to f6 row by row"),
        ("g6", "'g6' at character 1 is not a square"),
        ("c2h8", "'h8' at character 3 is not a square"),
        ("c2c2", "c2 at character 3 is not legal"),
    ):
        with pytest.raises(PositionError, match=message):
            Othello6.parse(text)


@pytest.mark.quick
def test_patterns_are_for_8x8() -> None:
    for game in (Othello6, Othello10):
        with pytest.raises(UnknownGame, match="patterns"):
            zermelo.analyse(game(), depth=1, evaluation="patterns")
