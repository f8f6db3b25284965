"""Tic-tac-toe: contract, known counts, the evaluation of the lectures, notation."""

from __future__ import annotations

import pytest

from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.tictactoe import OpenLines, TicTacToe
from zermelo.search.policy import Minimax
from zermelo.testing import check_game


@pytest.mark.quick
def test_contract() -> None:
    report = check_game(TicTacToe)
    assert (report.games, report.longest, report.unfinished) == (100, 9, 0)


def test_draw_with_549946_minimax_and_18297_alpha_beta_nodes(search) -> None:
    assert search(TicTacToe(), policy=Minimax()) == (0, 549_946)
    assert search(TicTacToe()) == (0, 18_297)


def test_255168_games(perft) -> None:
    # 255,168 games in all: those of 5, 6, 7 and 8 moves end early, those of 9 fill the board.
    lines = [perft(TicTacToe(), depth) for depth in range(10)]
    assert lines == [1, 9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872]


def test_5478_positions_with_unique_keys() -> None:
    seen, new = {TicTacToe()}, [TicTacToe()]
    while new:
        new = [state.play(move) for state in new for move in state.legal_moves()]
        new = [state for state in dict.fromkeys(new) if state not in seen]
        seen.update(new)
    assert len(seen) == 5_478
    assert len({state.key() for state in seen}) == 5_478


# ---- the lectures' evaluation ---------------------------------------------------------------------------------
# Jarrar, Birzeit University, chapter 6 (games), slides 60 to 62, squares 1 to 9 row by row: E(s) = lines open for X
# minus lines open for O. The values are the definition's own. The slides err in one place: with X on the edge they
# print -1 for every answer, where two are 0 and the centre is -2 ("X on edge 2" below).

ONE_PLY = {1: 3, 2: 2, 3: 3, 4: 2, 5: 4, 6: 2, 7: 3, 8: 2, 9: 3}
TWO_PLY = {
    1: {2: 1, 3: 0, 4: 1, 5: -1, 6: 1, 7: 0, 8: 1, 9: 0},
    2: {1: -1, 3: -1, 4: 0, 5: -2, 6: 0, 7: -1, 8: 0, 9: -1},
    5: {1: 1, 2: 2, 3: 1, 4: 2, 6: 2, 7: 1, 8: 2, 9: 1},
}
BACKED_UP = {1: -1, 2: -2, 3: -1, 4: -2, 5: 1, 6: -2, 7: -1, 8: -2, 9: -1}


@pytest.mark.parametrize("cross", ONE_PLY)
def test_open_lines_after_one_ply(cross: int) -> None:
    assert OpenLines().score(TicTacToe().play(cross - 1)) == ONE_PLY[cross]


@pytest.mark.parametrize("cross", TWO_PLY)
def test_open_lines_after_two_plies(cross: int) -> None:
    after = TicTacToe().play(cross - 1)
    assert {nought + 1: OpenLines().score(after.play(nought)) for nought in after.legal_moves()} == TWO_PLY[cross]


def test_two_ply_search_of_the_lectures_prefers_the_centre() -> None:
    backed_up = {}
    for cross in range(9):
        after = TicTacToe().play(cross)
        backed_up[cross + 1] = min(OpenLines().score(after.play(nought)) for nought in after.legal_moves())
    assert backed_up == BACKED_UP
    assert max(backed_up, key=lambda cross: backed_up[cross]) == 5


# ---- texts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written", "side"),
    [
        ("---------", "---/---/---", MAX),
        ("X-O/-X-/---", "X-O/-X-/---", MIN),
        (" x.o .x. ..o ", "X-O/-X-/--O", MAX),
        ("XO------- X", "XO-/---/---", MAX),
        ("X-------- o", "X--/---/---", MIN),
        ("XXXOO----", "XXX/OO-/---", MIN),
        ("XOXXOOOXX", "XOX/XOO/OXX", MIN),
    ],
)
def test_parse_position(text: str, written: str, side: int) -> None:
    state = TicTacToe.parse(text)
    assert str(state) == written
    assert state.to_move() == side


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X-Q------", r"character 3 \('Q'\) is not a square; expected X, O, - or \."),
        ("", "has 0 squares; expected 9"),
        ("--------", "has 8 squares; expected 9"),
        ("----------", r"character 10 \('-'\) is one too many; expected 9 squares and"),
        ("--------- X X", r"character 13 \('X'\) is one too many"),
        ("XX-------", "has 2 X and 0 O; expected as many X as O or one X more"),
        ("O--------", "has 0 X and 1 O; expected as many X as O or one X more"),
        ("--------- O", r"character 11 \('O'\) names O as the side to move; expected X, with 0 X and 0 O"),
        ("XXXOOO---", "X has three in a row, which ends the game, but O has moved after it"),
        ("OOOXX-XX-", "O has three in a row, which ends the game, but X has moved after it"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        TicTacToe.parse(text)


def test_move_names() -> None:
    state = TicTacToe()
    assert " ".join(map(state.move_name, range(9))) == "a1 b1 c1 a2 b2 c2 a3 b3 c3"
    assert state.after("b2 A1 c3") == TicTacToe.parse("O---X---X")
    with pytest.raises(IllegalMove, match="'b2' is not a legal move here; legal: a1 b1"):
        state.after("b2 b2")
    assert state.player_name(MAX) == "crosses"
    assert state.player_name(MIN) == "noughts"


def test_board() -> None:
    assert TicTacToe.parse("X-O/-X-/--O").board().split("\n") == [
        "    a   b   c",
        "  ┌───┬───┬───┐",
        "1 │ X │ 2 │ O │",
        "  ├───┼───┼───┤",
        "2 │ 4 │ X │ 6 │",
        "  ├───┼───┼───┤",
        "3 │ 7 │ 8 │ O │",
        "  └───┴───┴───┘",
    ]


def test_move_score_is_the_number_of_lines_through_the_square() -> None:
    assert [TicTacToe().move_score(square) for square in range(9)] == [3, 2, 3, 2, 4, 2, 3, 2, 3]
