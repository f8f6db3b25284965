"""Changed copies of tuples, lists, enumerations and constants of the class, interpreted and compiled alike."""

from __future__ import annotations

from enum import IntEnum

import pytest

import zermelo
from zermelo import MAX, Bitboard, GameError, as_list, game, replaced
from zermelo.compiled import native
from zermelo.testing import check_game


class Stone(IntEnum):
    EMPTY = 0
    BLACK = 1
    WHITE = 2


class Side(IntEnum):
    MAX = 1
    MIN = -1


@game
class Cells:
    """Fill six cells in turn. Every way to change a state, and every kind of constant, is in these rules."""

    cells: tuple[int, int, int, int, int, int] = (0, 0, 0, 0, 0, 0)
    boards: tuple[Bitboard, Bitboard] = (0, 0)
    turn: int = Side.MAX

    EMPTY = 0
    SIZES = ((2, 3), (4, 6))
    FIRST = Stone.BLACK
    evaluations = {"nothing": zermelo.Nothing()}

    def to_move(self):
        return Side.MAX if self.turn == Side.MAX else Side.MIN

    def moves(self):
        return [index for index in range(Cells.SIZES[1][1]) if self.cells[index] == Stone.EMPTY]

    def play(self, move):
        stone = self.FIRST if self.turn == Side.MAX else Stone.WHITE
        board = self.boards[stone - 1] | Bitboard(1) << move
        if move % 3 == 0:
            cells = list(self.cells)
            cells[move] = stone
            return self.replace(cells=cells, boards=replaced(self.boards, stone - 1, board), turn=-self.turn)
        if move % 3 == 1:
            changed = as_list(self.cells)
            fill(changed, move, stone)
            boards = as_list(self.boards)
            boards[stone - 3] = board
            return Cells(changed, turn=-self.turn, boards=boards)
        return self.replace(
            turn=-self.turn, boards=replaced(self.boards, stone - 1, board), cells=replaced(self.cells, move, stone)
        )

    def is_over(self):
        empty = 0
        for cell in as_list(self.cells):
            empty += cell == Cells.EMPTY
        return empty == 0

    def utility(self):
        row = as_list(as_list(self.cells))
        return 1 if row[0] + row[len(row) - 1] == row[-2] + Stone.BLACK else 0


def fill(cells, index, stone):
    cells[index] += stone


@pytest.mark.long
def test_compiled_rules_agree_with_interpreted_ones() -> None:
    check_game(Cells)


def test_replace_checks_what_it_is_given() -> None:
    state = Cells()
    assert state.replace() == state
    assert state.replace(turn=Side.MIN) == Cells(turn=-1)
    assert type(state.replace(turn=Side.MIN).turn) is int
    assert state.replace(cells=[1, 0, 0, 0, 0, 0]).cells == (1, 0, 0, 0, 0, 0)
    with pytest.raises(GameError, match=r"Cells.cells must be a tuple of 6 ints, not \[1\]"):
        state.replace(cells=[1])
    with pytest.raises(GameError, match=r"Cells.turn must be an int, not 'x'"):
        state.replace(turn="x")
    with pytest.raises(TypeError, match="unexpected keyword argument 'heap'"):
        state.replace(heap=3)


def test_replace_keeps_the_class_and_a_method_of_that_name() -> None:
    @game
    class Larger(Cells):
        extra: int = 7

    assert Larger().replace(turn=-1) == Larger(turn=-1, extra=7)

    @game
    class Own(Cells):
        def replace(self, index):
            return index + 1

    assert Own().replace(3) == 4


def test_replaced_refuses_an_index_outside() -> None:
    assert replaced((1, 2, 3), -1, 9) == (1, 2, 9)
    with pytest.raises(IndexError):
        replaced((1, 2, 3), 3, 9)


def change(items, index, value):
    return replaced(items, index, value)


def reverse(items):
    row = as_list(items)
    for index in range(len(row) // 2):
        low = row[index]
        row[index] = row[-1 - index]
        row[-1 - index] = low
    return Row(row)


def later(items):
    """The list outlives the steps of a generator, and a helper returns one."""
    total = 0
    for item in steps(items):
        total = total * 10 + item
    return total + doubled(items)[2]


def steps(items):
    row = as_list(items)
    for index in range(3):
        row[2] += index
        yield row[index]


def doubled(items):
    row = as_list(items)
    for index in range(3):
        row[index] *= 2
    return row


@game
class Row(Cells):
    turn: int = MAX
    row: tuple[int, int, int] = (0, 0, 0)

    def play(self, move):
        return self


def reversed_row(state):
    return state.replace(row=doubled(state.row), turn=later(state.row))


def too_long(state):
    return state.replace(row=[1, 2])


def test_compiled_as_interpreted() -> None:
    for index in range(-3, 3):
        assert native(change, (1, 2, 3), index, 9)((1, 2, 3), index, 9) == change((1, 2, 3), index, 9)
    for index in (-4, 3):
        with pytest.raises(IndexError):
            native(change, (1, 2, 3), index, 9)((1, 2, 3), index, 9)
    state = Row(row=(3, 5, 7))
    assert native(reversed_row, state)(state) == reversed_row(state)
    with pytest.raises(ValueError, match="the list does not have 3 items"):
        native(too_long, state)(state)


def second_name(state):
    best = as_list(state.row)
    for index in range(3):
        trial = as_list(state.row)
        trial[index] = 9
        if index == 1:
            best = trial
    return state.replace(row=best)


def wrong_length(state):
    return state.replace(row=as_list(state.cells))


def wrong_name(state):
    return state.replace(heap=3)


def unnamed(state):
    return state.replace(3)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (second_name, r"'best' is a second name of the list 'trial', write best = as_list\(trial\)"),
        (wrong_length, r"row must be a tuple of 3 ints, not as_list\(int x 6\)"),
        (wrong_name, "Row has no field heap"),
        (unnamed, "takes fields by name only"),
    ],
)
def test_error_message(function, message) -> None:
    with pytest.raises(GameError, match=message):
        native(function, Row())
