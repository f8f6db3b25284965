"""Positions set up by hand: `setup_pieces` and `set_up` of the package's games; `check_game` tests the rest."""

import dataclasses
import random

import pytest

import zermelo
from zermelo import registry
from zermelo.core.game import MAX, MIN
from zermelo.core.picture import Piece
from zermelo.errors import PositionError

BLACK = Piece(0, 0, "disc", "black")


def test_chess_keeps_the_castling_rights_that_fit():
    start = zermelo.load("chess").start()
    pieces = tuple(piece for piece in start.picture().pieces if (piece.column, piece.row) not in ((0, 0), (7, 7)))
    assert str(start.set_up(pieces, MIN)) == "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 b Qk - 0 1"
    without_a_king = tuple(piece for piece in pieces if piece.looks != ("king", "white", ""))
    assert str(start.set_up(without_a_king, MAX)).split()[2] == "k"


def test_go_forgets_ko_last_move_and_passes():
    state = zermelo.load("go").parse("7x7").play(0)
    assert str(state.set_up((BLACK,), MAX)) == "X------/-------/-------/-------/-------/-------/------- X"


@pytest.mark.parametrize(
    ("game", "pieces", "message"),
    [
        ("chess", (), "white has no kings; expected 1"),
        ("checkers", (BLACK,), "column 1 of row 1 from the top is a light square"),
        ("connect4", (Piece(2, 0, "disc", "yellow"),), "column 3 has X in row 6 from the bottom above an empty square"),
        ("tictactoe", (Piece(0, 0, "nought"),), "0 X and 1 O; expected as many X as O"),
        ("go", (BLACK, Piece(1, 0, "disc", "white"), Piece(0, 1, "disc", "white")), "X on A9 has no liberty"),
    ],
)
def test_impossible_positions_are_refused_by_parse(game, pieces, message):
    cls = zermelo.load(game)
    with pytest.raises(PositionError) as caught:
        cls.parse(str(cls.start().set_up(pieces, MAX)))
    assert message in str(caught.value)


def test_any_pieces_are_a_position_or_refused():
    rng = random.Random(1)
    known = [name for name in registry.names() if zermelo.load(name).setup_pieces()]
    assert {"chess", "checkers", "othello", "go", "connect4", "tictactoe"} <= set(known)
    for name in known:
        cls = zermelo.load(name)
        start, sorts = cls.start(), cls.setup_pieces()
        board = start.picture()
        squares = [(column, row) for column in range(board.columns) for row in range(board.rows)]
        for _ in range(25):
            chosen = rng.sample(squares, rng.choice((1, 3, len(squares) // 2, len(squares))))
            pieces = tuple(dataclasses.replace(rng.choice(sorts), column=x, row=y) for x, y in chosen)
            try:
                found = cls.parse(str(start.set_up(pieces, rng.choice((MAX, MIN)))))
            except PositionError:
                continue
            assert set(found.picture().pieces) == set(pieces)


def test_chess_positions_of_random_games_are_set_up_with_their_rights():
    rng = random.Random(2)
    seen = set()
    for _ in range(12):
        state = zermelo.load("chess").start()
        for _ in range(60):
            names = tuple(option.name for option in state.setup_options() if option.is_on)
            seen.update(names)
            bare = zermelo.load("chess").start().set_up(state.picture().pieces, state.turn)
            assert bare.with_setup_options(names).replace(halfmove_clock=state.halfmove_clock) == state
            moves = state.legal_moves()
            if not moves:
                break
            # Pawns first: en passant squares are rare.
            pawns = [move for move in moves if move & 63 in state.pawns]
            state = state.play(rng.choice(pawns if pawns and rng.random() < 0.7 else moves))
    assert {"White can castle O-O", "Black can castle O-O-O"} < seen
    assert any(name.startswith("En passant") for name in seen)
