"""States and evaluations in compiled code: constructed, read and returned as in interpreted code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from zermelo import MAX, MIN, Bitboard, Weights, evaluation, game, registry
from zermelo.compiled import native
from zermelo.errors import GameError


def helper(heap, least=1):
    return heap * 2 + least


@game
class All:
    squares: Bitboard
    heap: int = 5
    flag: bool = False
    row: tuple[int, int, int] = (1, -2, 3)
    boards: tuple[Bitboard, Bitboard] = (1 << 63, 1)
    flags: tuple[bool, bool] = (True, False)

    SIZE = 7
    EDGE = Bitboard(0x8000_0000_0000_0001)
    ROUND = True

    def to_move(self):
        return MAX if self.heap % 2 else MIN

    def moves(self):
        for square in self.squares:
            yield square
        if self.flag:
            yield self.own(1)

    def play(self, move):
        return All(self.squares ^ (Bitboard(1) << move), row=(move, self.row[0], self.heap), heap=self.heap + 1)

    def is_over(self):
        return self.heap > 9

    def utility(self):
        return self.row[2] - self.row[0]

    def own(self, n):
        return helper(self.heap) + n * self.SIZE


@evaluation
class Weighed:
    weights: Weights
    table: Weights
    bonus: int = 3
    where: Bitboard = Bitboard(5)

    def score(self, state):
        total = self.bonus + self.table[1, 2] + len(self.weights) + self.where.count()
        for square in state.squares:
            total += self.weights[square & 3]
        return total


def typed(value: Any) -> Any:
    if type(value) is tuple:
        return [typed(item) for item in value]
    return (type(value), [typed(item) for item in value] if isinstance(value, All) else value)


READ: list[Callable[[All], Any]] = [
    lambda s: (s.squares, s.heap, s.flag, s.row, s.boards, s.flags),
    lambda s: (s.SIZE, s.EDGE, s.ROUND, s.max_utility, s.has_move_score),
    lambda s: (s.to_move(), s.is_over(), s.utility(), s.own(3), s.own(n=4)),
    lambda s: (s.row[0] + s.row[2], s.row[-1], s.boards[1] | s.boards[0], len(s.row), s.flags[0] and s.flags[1]),
    lambda s: s,
    lambda s: s.play(3),
    lambda s: s.play(3).play(5).play(3),
    lambda s: s.key(),
    lambda s: All(Bitboard(3)),
    lambda s: All(3, 4),
    lambda s: All(-1, heap=s.heap - 10),
    lambda s: All(flag=s.heap > 2, squares=s.squares, row=s.row),
    lambda s: All(s.squares, s.squares.count(), not s.flag, (s.heap, 2, -3), (s.squares, s.boards[0]), (s.flag, True)),
    lambda s: All(0, row=s.row, boards=(1, 2)),
    lambda s: (s.move_score(3), s.is_tactical(3), s.is_endgame(), s.solve_endgame(-1, 1)),
]


def total_of(state):
    total = 0
    for number in state.row:
        total = total * 10 + number
    for board in state.boards:
        total += board.count()
    for flag in state.flags:
        total += 1 if flag else 5
    for place, number in enumerate(state.row):
        total += place * number
    for move in state.moves():
        total = total * 3 + move
    for place in range(3):
        total += state.row[place]
    return total


@pytest.mark.parametrize("read", [*READ, total_of])
def test_compiled_as_interpreted(read: Callable[[All], Any]) -> None:
    states = (
        All(0x8000_0000_0000_0021),
        All(2**64 - 1, -5, True, (0, 2**63 - 1, -(2**62)), (0, 2**64 - 1), (False, True)),
    )
    for state in states:
        if read is total_of and state.squares.count() > 8:
            continue  # beyond 64 bits
        with np.errstate(all="ignore"):
            assert typed(native(read, state)(state)) == typed(read(state))


def test_fields_of_an_evaluation() -> None:
    def score(weighed, state):
        return weighed.score(state), weighed.weights[2], weighed.table.shape[1], weighed.where

    value = Weighed([1, 20, 300, -4000], [[1, 2, 3], [4, 5, 6]])
    state = All(0b1011_0110)
    assert native(score, value, state)(value, state) == tuple(score(value, state))


def test_weights_of_different_dimensions_are_different_types() -> None:
    def first(weighed):
        return weighed.weights.ndim

    assert [native(first, w)(w) for w in (Weighed([1], [[1]]), Weighed([[1]], [[1]]))] == [1, 2]


REFUSED: list[tuple[Callable[[All], Any], str]] = [
    (lambda s: All(s.squares, 1.5), "All(...): heap must be an int, not float"),
    (lambda s: All(s.squares, s.heap / 2), "All(...): heap must be an int, not float"),
    (lambda s: All(s.squares, s.squares), "All(...): heap must be an int, not Bitboard"),
    (lambda s: All(2.0), "All(...): squares must be a Bitboard, not float"),
    (lambda s: All(s.squares, 1, 1), "All(...): flag must be a bool, not int"),
    (lambda s: All(s.squares, row=(1, 2)), "All(...): row must be a tuple of 3 ints, not "),
    (lambda s: All(s.squares, row=(1, 2.0, 3)), "All(...): row must be a tuple of 3 ints, not "),
    (lambda s: All(s.squares, row=5), "All(...): row must be a tuple of 3 ints, not int"),
    (lambda s: All(s.squares, boards=(True, s.squares)), "All(...): boards must be a tuple of 2 Bitboards, not "),
    (lambda s: All(), "All(squares, heap, flag, row, boards, flags): missing a required argument: 'squares'"),
    (lambda s: All(s.squares, pile=3), "All(squares, heap, flag, row, boards, flags): got an unexpected keyword"),
    (lambda s: All(s.squares, 1, True, s.row, s.boards, s.flags, 7), "too many positional arguments"),
    (lambda s: s.pile, "All has no attribute 'pile'"),
]


@pytest.mark.parametrize(("wrong", "message"), REFUSED)
def test_wrong_arguments_are_refused_as_in_interpreted_code(wrong: Callable[[All], Any], message: str) -> None:
    state = All(3)
    if message != REFUSED[8][1]:  # a truth value passes for a word where nothing is compiled
        with pytest.raises((GameError, TypeError, AttributeError)):
            wrong(state)
    with pytest.raises(GameError) as caught:
        native(wrong, state)(state)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_class_whose_file_is_read_again(tmp_path: Any) -> None:
    """Values are returned as the class that is in use now, although the code of both is the same."""
    source = """
from zermelo import game

@game
class G:
    n: int = 1
    def to_move(self): return 1
    def moves(self): yield 1
    def play(self, move): return G(self.n + move)
    def is_over(self): return False
    def utility(self): return 0
"""
    file = tmp_path / "again.py"

    def played(state):
        return state.play(2)

    for comment in ("", "# the same\n"):
        file.write_text(comment + source)
        cls: Any = registry.load(str(file))
        assert native(played, cls())(cls()) == cls(3)
