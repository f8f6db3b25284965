"""Errors of a game that appear when it is searched: each names the game and what to do."""

from __future__ import annotations

import re

import pytest

import zermelo
from zermelo import MAX, State, game
from zermelo.core.validation import as_game_error
from zermelo.errors import GameError

pytestmark = pytest.mark.quick


@game
class Endless(State):
    """No game of it ends."""

    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        yield 0

    def play(self, move):
        return Endless(-self.turn)

    def is_over(self):
        return False

    def utility(self):
        return 0


@game
class Recursive(State):
    """Its utility calls itself without end."""

    turn: int = MAX

    to_move, moves, play = Endless.to_move, Endless.moves, Endless.play

    def is_over(self):
        return self.utility() == 1

    def utility(self):
        return self.utility()


@pytest.mark.long
@pytest.mark.slow
def test_a_search_of_a_game_that_never_ends() -> None:
    with pytest.raises(GameError) as caught:
        zermelo.minimax(Endless())
    assert str(caught.value) == (
        "Endless: the search reached Python's recursion limit before the game ended; pass a depth, or check that "
        "is_over() becomes true"
    )


def test_rules_that_call_themselves_without_end() -> None:
    with pytest.raises(GameError, match=r"test_validation\.py:\d+: Recursive\.utility raised RecursionError"):
        zermelo.minimax(Recursive())


def test_a_number_above_64_bits() -> None:
    error = as_game_error(OverflowError("int too big to convert"), Endless())
    assert str(error) == (
        "Endless has a number that does not fit 64 bits, which compiled code needs: int too big to convert"
    )


def rest(heap: tuple[int, ...]) -> int:
    return heap[3]


def test_a_function_of_the_module_is_named_without_the_class() -> None:
    with pytest.raises(IndexError) as caught:
        rest(())
    assert re.fullmatch(
        r".*test_validation\.py:\d+: rest raised IndexError: tuple index out of range",
        str(as_game_error(caught.value, Endless())),
    )
