"""Hex: contract, connections found naively, winning openings of small boards, the swap rule, notation."""

from __future__ import annotations

from random import Random

import pytest

import zermelo
from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.hex import BOARDS, FAR, LEFT, ROW, SWAP, TOP, Board, Hex, at_least_two, two_distance
from zermelo.testing import check_game

SIX = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1))


def board(cells) -> Board:
    return Board(sum(1 << ROW * row + column for row, column in cells))


def naive_is_connected(stones: set[tuple[int, int]], size: int) -> bool:
    """Whether stones connect top and bottom, by depth-first search."""
    open_cells = [cell for cell in stones if cell[0] == 0]
    seen = set(open_cells)
    while open_cells:
        row, column = open_cells.pop()
        if row == size - 1:
            return True
        for down, right in SIX:
            other = (row + down, column + right)
            if other in stones and other not in seen:
                seen.add(other)
                open_cells.append(other)
    return False


@pytest.mark.quick
@pytest.mark.long
@pytest.mark.parametrize("text", ["4x4", "swap 3x3"])
def test_contract(text: str) -> None:
    report = check_game(Hex.parse(text), games=5)
    assert report.longest <= 17


def test_connections_agree_with_depth_first_search() -> None:
    random = Random(1)
    found = 0
    for _ in range(200):
        size = random.randrange(2, 12)
        cells = [(row, column) for row in range(size) for column in range(size)]
        random.shuffle(cells)
        black, white = set(cells[: len(cells) // 2]), set(cells[len(cells) // 2 :])
        state = Hex(board(black), board(white), MIN, size)
        expected = naive_is_connected(black, size)
        mirrored = naive_is_connected({(column, row) for row, column in white}, size)
        assert state.is_over() == expected
        assert state.replace(turn=MAX).is_over() == mirrored
        assert expected != mirrored  # on a full board one side has connected its edges
        found += expected
    assert 50 < found < 150


def test_two_neighbours() -> None:
    random = Random(2)
    for _ in range(20):
        cells = {(row, column) for row in range(11) for column in range(11) if random.random() < 0.2}
        expected = {
            (row, column)
            for row in range(11)
            for column in range(11)
            if sum((row + down, column + right) in cells for down, right in SIX) >= 2
        }
        assert at_least_two(board(cells)) & BOARDS[11] == board(expected)


def distance(state: Hex) -> int:
    size = state.size
    bottom = TOP[size] << ROW * (size - 1)
    return two_distance(state.black, state.white, BOARDS[size], TOP[size], bottom)


def test_two_distance() -> None:
    assert distance(Hex.parse("2x2")) == 2
    assert distance(Hex.parse("11x11")) == 11
    assert distance(Hex.parse("-X-/---/-O-")) == 2
    assert distance(Hex.parse("-X-/-X-/O-O X")) == 1
    assert distance(Hex.parse("-X-/-X-/OO- X")) == FAR  # one way is left, which one move blocks
    assert distance(Hex.parse("--X/--X/OOX O")) == 0
    assert distance(Hex.parse("XX-/OOO/X-- X")) == FAR
    score = Hex.evaluations["two-distance"].score
    state = Hex.parse("----/-X--/----/----")
    assert score(Hex.parse("4x4")) == 50  # the move
    assert score(state) == 50 * 2 - 50  # one move less in both directions, and white moves
    assert LEFT[3] == board([(0, 0), (1, 0), (2, 0)])


# The winning first moves without swap, as searched to the end.
WINNING = {2: "b1 a2", 3: "c1 a2 b2 c2 a3", 4: "d1 c2 b3 a4"}


@pytest.mark.long
@pytest.mark.parametrize("size", [2, 3, 4])
def test_winning_openings(size: int) -> None:
    state = Hex(size=size)
    winning = [
        state.move_name(move)
        for move in state.legal_moves()
        if zermelo.analyse(state.play(move), depth=size * size).score.value == 1
    ]
    assert winning == WINNING[size].split()


@pytest.mark.long
def test_perft() -> None:
    assert zermelo.perft(Hex(), 2) == 121 * 120
    assert zermelo.perft(Hex(swap=True, size=5), 2) == 25 * 25
    assert zermelo.perft(Hex(size=2), 4) == 12  # black has connected its edges in the other 12 games


@pytest.mark.long
def test_swap_takes_over_the_mirrored_stone() -> None:
    state = Hex.parse("swap 4x4").after("c1")
    assert SWAP in state.legal_moves()
    swapped = state.after("swap")
    assert str(swapped) == "swap ----/----/O---/---- X"
    assert swapped.to_move() == MAX
    assert SWAP not in swapped.legal_moves()
    assert SWAP not in swapped.after("a1").legal_moves()
    assert SWAP not in Hex.parse("4x4").after("c1").legal_moves()
    # Every opening is won by one side, so the second player wins with swap.
    first = Hex.parse("swap 3x3")
    assert zermelo.analyse(first, depth=10).score.value == -1
    assert zermelo.analyse(Hex.parse("3x3"), depth=9).score.value == 1


# ---- texts ----------------------------------------------------------------------------------------------------


def test_texts() -> None:
    assert Hex.parse("") == Hex()
    assert Hex.parse("swap start") == Hex(swap=True)
    state = Hex.parse("swap --O/-X-/---")
    assert state == Hex.parse(str(state))
    assert state.to_move() == MAX
    assert Hex.parse("swap --O/-X-/--- O").to_move() == MIN
    assert state.board().split("\n") == ["   a b c", " 1 . . O", "  2 . X .", "   3 . . ."]
    assert Hex().player_name(MIN) == "O (white)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---", "'---' is not a square board of 2 to 11 rows"),
        ("12x12", "'12x12' is not a square board"),
        ("--/-O", "has 0 X and 1 O; expected as many X as O, or one X more$"),
        ("swap O-/-O", "has 0 X and 2 O; expected as many X as O, or one X more, or after swap one O more$"),
        ("-X/-- X", "names X as the side to move; expected O"),
        ("XO/XO X", "X has connected its edges, which ends the game, but O has moved after it"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Hex.parse(text)


def test_error_message_for_invalid_move() -> None:
    with pytest.raises(IllegalMove, match="'swap' is not a legal move here"):
        Hex(size=3).after("swap")
