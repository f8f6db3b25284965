"""Tic-tac-toe in lecture 000: open lines as evaluation, the "stupid" utility, and a perfect evaluation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from zermelo.core.evaluation import Evaluation, Nothing, evaluation
from zermelo.core.game import MAX, State
from zermelo.games.tictactoe import OpenLines, TicTacToe, lines_without
from zermelo.search.textbook import Result, alphabeta, minimax
from zermelo.teaching.lectures.cases import Case
from zermelo.teaching.lectures.checks import Check, claimed, compared, misprinted
from zermelo.teaching.lectures.positions import backwards, children

#: The eight symmetries of the board, as permutations of the squares.
_SYMMETRIES = tuple(
    tuple(3 * y + x for y, x in places)
    for across in ((0, 1, 2), (2, 1, 0))
    for down in ((0, 1, 2), (2, 1, 0))
    for places in ([(y, x) for y in down for x in across], [(y, x) for x in across for y in down])
)


def lines(state: Any) -> list[int]:
    """The numbers of lines open for X and for O."""
    return [lines_without(board) for board in (state.noughts, state.crosses)]


def open_lines(case: Case) -> Iterator[Check]:
    """Check E(s) for all first moves and replies, and its minimax values. Squares are numbered 1 to 9."""
    data = case.data
    start: State = TicTacToe.start()
    after = {move + 1: start.play(move) for move in start.moves()}
    answers = {f"{first},{move + 1}": state.play(move) for first, state in after.items() for move in state.moves()}
    one_ply = {str(first): lines(state) for first, state in after.items()}
    two_ply = {pair: lines(state) for pair, state in answers.items()}
    yield compared("open lines after one move", data["one_ply"], one_ply)
    yield compared("open lines after two moves", data["two_ply"], two_ply)
    one = minimax(start, 1, "lines")
    two = minimax(start, 2, "lines")
    yield compared("value and best square, 1 ply", [data["one_ply_value"], data["one_ply_best"]], _result(one))
    yield compared("value and best square, 2 plies", [data["two_ply_value"], data["two_ply_best"]], _result(two))
    backed_up = {str(first): minimax(state, 1, "lines").value for first, state in after.items()}
    yield compared("backed up, 2 plies", data["two_ply_backed_up"], backed_up)

    printed = data["printed"]
    scores = {pair: x - o for pair, (x, o) in two_ply.items()}
    of = {first: [score for pair, score in scores.items() if pair[0] == str(first)] for first in (1, 2, 5)}
    one_scores = {square: x - o for square, (x, o) in one_ply.items()}
    yield compared("slide 61, all nine moves", printed["one_ply"], one_scores)
    yield compared("slide 62, replies to a corner", printed["corner"], of[1])
    yield compared("slide 62, replies to the centre", printed["centre"], of[5])
    yield misprinted("slide 62, replies to an edge", printed["edge"], of[2])
    yield misprinted("slide 62, value of the start", printed["two_ply_root"], two.value)


def _result(result: Result) -> list[int]:
    assert result.best is not None
    return [result.value, result.best + 1]


# ---- the "stupid" utility, and the perfect one --------------------------------------------------------------------


@cache
def solved() -> Mapping[State, int]:
    """The exact value of every reachable position, computed backwards."""
    values: dict[State, int] = {}
    start: State = TicTacToe.start()
    for state in backwards(start):
        below = [values[child] for child in children(state)]
        values[state] = (max if state.to_move() == MAX else min)(below) if below else state.utility()
    return values


@evaluation
class Perfect(Evaluation):
    """The exact value of every position."""

    def score(self, state):  # type: ignore[no-untyped-def]
        return solved()[state]


@cache
def positions() -> tuple[State, ...]:
    """The unfinished positions, one from each class of symmetric ones."""
    found: dict[tuple[str, ...], State] = {}
    for state in solved():
        if not state.is_over():
            text = str(state).replace("/", "")
            found.setdefault(min(tuple(text[square] for square in squares) for squares in _SYMMETRIES), state)
    return tuple(found.values())


def mistakes(judge: Evaluation, depth: int) -> int:
    """Number of positions in which the move chosen at this depth loses value."""
    values, count = solved(), 0
    for state in positions():
        best = minimax(state, depth, judge).best
        assert best is not None
        count += values[state.play(best)] != values[state]
    return count


def stupid_utility(case: Case) -> Iterator[Check]:
    """Check at which depth a search with only win and loss finds the centre as the reply to a corner."""
    corner: State = TicTacToe.start().after("a1")
    replies = {corner.move_name(move): corner.play(move) for move in corner.moves()}

    def values_at(depth: int) -> dict[str, int]:
        return {name: alphabeta(state, depth - 1, "nothing", rank_wins=False).value for name, state in replies.items()}

    draws = dict.fromkeys(replies, 0)
    yield compared(
        "X in the corner, values of the replies at 1 to 5 plies", [draws] * 5, [values_at(d) for d in range(1, 6)]
    )
    exact = {name: solved()[state] for name, state in replies.items()}
    yield compared("at 6 plies: only the centre draws", exact, values_at(6))
    yield compared("at 8 plies, the whole tree", exact, values_at(8))
    wrong = mistakes(Nothing(), 1)
    yield claimed(
        "only works if the complete tree can be evaluated",
        "wrong moves otherwise",
        f"wrong at 1 ply in {wrong} of {len(positions())} positions",
        wrong > 0,
        f"right; open lines at 1 ply are wrong in {mistakes(OpenLines(), 1)}",
    )
    start = alphabeta(TicTacToe.start())
    yield compared("the whole game, with only win and loss", 0, start.value)


def perfect_evaluation(case: Case) -> Iterator[Check]:
    """Check that with exact values as evaluation a search of one ply always chooses a best move."""
    wrong = mistakes(Perfect(), 1)
    yield claimed(
        "with a perfect evaluation one level is enough",
        "no wrong move at 1 ply",
        f"wrong in {wrong} of {len(positions())} positions",
        wrong == 0,
        "right",
    )
    yield compared("positions, and unfinished ones", [5478, 4520], _counts())


def _counts() -> list[int]:
    return [len(solved()), sum(not state.is_over() for state in solved())]
