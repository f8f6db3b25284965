"""Pennies (Grundy's game): contract, the tree of the lecture, theory, notation."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from operator import xor

import pytest

from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.pennies import MAX_PENNIES, Pennies, grundy_values, winning
from zermelo.testing import check_game


@pytest.mark.slow
@pytest.mark.quick
@pytest.mark.parametrize("text", ["7", "20", "9-5-3 min", "64", "40-23 max"])
def test_contract(text: str) -> None:
    report = check_game(Pennies.parse(text), games=30)
    assert report.unfinished == 0


# ---- the lecture's game of seven pennies --------------------------------------------------------------------------
# Lewicki, Case Western Reserve University, EECS 391, lecture 6: "A game tree for pennies", "B can always force a win".
# What splits into what, in the order of the drawing, and who wins: the side to move there, or the other.

TREE = {
    "7": (["6-1", "5-2", "4-3"], "loss"),
    "6-1": (["5-1-1", "4-2-1"], "win"),
    "5-2": (["4-2-1", "3-2-2"], "win"),
    "4-3": (["4-2-1", "3-3-1"], "win"),
    "5-1-1": (["4-1-1-1", "3-2-1-1"], "win"),
    "4-2-1": (["3-2-1-1"], "loss"),
    "4-1-1-1": (["3-1-1-1-1"], "loss"),
    "3-3-1": (["3-2-1-1"], "loss"),
    "3-2-2": (["2-2-2-1"], "win"),
    "3-2-1-1": (["2-2-1-1-1"], "win"),
    "3-1-1-1-1": (["2-1-1-1-1-1"], "win"),
    "2-2-2-1": ([], "loss"),
    "2-2-1-1-1": ([], "loss"),
    "2-1-1-1-1-1": ([], "loss"),
}


@cache
def minimax(state: Pennies) -> int:
    """The value by the rules alone."""
    if state.is_over():
        return state.utility()
    values = [minimax(state.play(move)) for move in state.moves()]
    return max(values) if state.to_move() == MAX else min(values)


@pytest.mark.parametrize("piles", TREE)
@pytest.mark.parametrize("side", ["max", "min"])
def test_tree_of_the_lecture(piles: str, side: str) -> None:
    state = Pennies.parse(f"{piles} {side}")
    splits, value = TREE[piles]
    other = "min" if side == "max" else "max"
    assert [str(state.play(move)) for move in state.legal_moves()] == [f"{split} {other}" for split in splits]
    assert state.is_over() == (not splits)
    assert minimax(state) * state.to_move() == (1 if value == "win" else -1)


@pytest.mark.long
def test_seven_pennies_are_a_loss(search) -> None:
    assert search(Pennies()).value == -1
    assert not winning([7])


def test_moves_are_ordered_and_unique() -> None:
    state = Pennies.parse("7-7-4-2-1")
    assert state.legal_moves() == [401, 701, 702, 703]
    assert [state.move_name(move) for move in state.legal_moves()] == ["4=3+1", "7=6+1", "7=5+2", "7=4+3"]


# ---- the theory -----------------------------------------------------------------------------------------------

# OEIS A002188: Sprague-Grundy values for Grundy's game, all terms of its page.
A002188 = [
    0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0, 4, 3, 0, 4, 3, 0, 4, 1, 2, 3, 1, 2, 4,
    1, 2, 4, 1, 2, 4, 1, 5, 4, 1, 5, 4, 1, 5, 4, 1, 0, 2, 1, 0, 2, 1, 5, 2, 1, 3, 2, 1, 3, 2, 4, 3, 2, 4,
    3, 2, 4, 3, 2, 4, 3, 2, 4, 3, 2, 4, 5, 2, 4, 5, 2, 4, 3, 7, 4, 3, 7, 4, 3, 7, 4, 3, 5, 2, 3, 5, 2, 3, 5, 2, 3,
]  # fmt: skip


def test_grundy_values_equal_published_ones() -> None:
    assert grundy_values(len(A002188) - 1) == A002188
    # Achim Flammenkamp's table of the rare ("sparse") values.
    rare = {87: 7, 146: 6, 158: 11, 167: 11, 181: 12, 190: 12, 193: 12, 196: 10, 231: 10}
    values = grundy_values(231)
    assert {size: values[size] for size in rare} == rare


def test_grundy_values_to_10000_equal_an_independent_recurrence() -> None:
    values = [0]
    for size in range(1, 10_001):
        splits = set(map(xor, values[1 : (size + 1) // 2], reversed(values[size // 2 + 1 : size])))
        values.append(next(value for value in range(size) if value not in splits))
    assert grundy_values(10_000) == values


def partitions(total: int, largest: int) -> Iterator[list[int]]:
    """All sets of piles with a given total, none above `largest`."""
    if total == 0:
        yield []
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield [first, *rest]


@pytest.mark.long
def test_minimax_agrees_with_theory_up_to_20_pennies() -> None:
    for total in range(1, 21):
        for piles in partitions(total, total):
            state = Pennies.of(piles)
            assert state.piles() == piles
            assert (minimax(state) == 1) == winning(piles), piles


@pytest.mark.long
def test_compiled_search_agrees_with_theory(search) -> None:
    for size in range(1, 16):
        state = Pennies.of([size], MIN)
        assert search(state).value == (-1 if winning([size]) else 1)


def test_winning_for_large_piles() -> None:
    assert winning([1_000])
    assert winning([1_000, 999]) == (grundy_values(1_000)[1_000] != grundy_values(999)[999])
    assert not winning([1_000, 1_000])
    assert not winning([])


# ---- texts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("7", "7 max"),
        ("6+3", "6-3 max"),
        ("1-5-1 min", "5-1-1 min"),
        (" 07  MIN ", "7 min"),
        ("64", "64 max"),
        ("-".join("1" * 64), "-".join("1" * 64) + " max"),
        ("60-4 max", "60-4 max"),
    ],
)
def test_parse_position(text: str, written: str) -> None:
    assert str(Pennies.parse(text)) == written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 words; expected piles like 5-1-1, then max or min"),
        ("7 max now", "3 words; expected piles"),
        ("7 black", "'black' is not a side; expected max or min"),
        ("5--2", "'' is not a pile; expected piles like 7 or 5-1-1"),
        ("5-x", "'x' is not a pile; expected piles like 7 or 5-1-1"),
        ("5-²", "'²' is not a pile; expected piles like 7 or 5-1-1"),
        ("5-0", "a pile of 0 pennies; expected at least 1"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Pennies.parse(text)


@pytest.mark.parametrize("text", ["65", "60-5", "9" * 60_000, "-".join("1" * 60_000)])
def test_error_message_for_too_many_pennies(text: str) -> None:
    with pytest.raises(PositionError) as caught:
        Pennies.parse(text)
    assert str(caught.value) == (
        f"Pennies position: more than {MAX_PENNIES} pennies; use zermelo.games.pennies.winning(piles) for larger piles"
    )


def test_move_names() -> None:
    assert str(Pennies().after("7=5+2 5=3+2")) == "3-2-2 max"
    with pytest.raises(IllegalMove, match=r"'7=7\+0' is not a legal move here; legal: 7=6\+1 7=5\+2 7=4\+3"):
        Pennies().after("7=7+0")


def test_board() -> None:
    assert Pennies.parse("12-3-1").board().split("\n") == ["12  ● ● ● ● ● ● ● ● ● ● ● ●", " 3  ● ● ●", " 1  ●"]
