"""Tic-tac-toe in lecture 000: open lines as an evaluation, the "stupid" utility, a perfect evaluation."""

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

#: The squares of a position turned and mirrored in all eight ways.
_TURNED = tuple(
    tuple(3 * y + x for y, x in places)
    for across in ((0, 1, 2), (2, 1, 0))
    for down in ((0, 1, 2), (2, 1, 0))
    for places in ([(y, x) for y in down for x in across], [(y, x) for x in across for y in down])
)


def lines(state: Any) -> list[int]:
    """The lines still open for crosses, and those for noughts."""
    return [lines_without(board) for board in (state.noughts, state.crosses)]  # type: ignore[no-untyped-call]


def open_lines(case: Case) -> Iterator[Check]:
    """E(s) for all first moves and all answers, and what minimax makes of it; squares are numbered 1 to 9."""
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
    yield compared("value and best square, 1 ply", [data["one_ply_value"], data["one_ply_best"]], _told(one))
    yield compared("value and best square, 2 plies", [data["two_ply_value"], data["two_ply_best"]], _told(two))
    backed_up = {str(first): minimax(state, 1, "lines").value for first, state in after.items()}
    yield compared("backed up, 2 plies", data["two_ply_backed_up"], backed_up)

    printed = data["printed"]
    scores = {pair: x - o for pair, (x, o) in two_ply.items()}
    of = {first: [score for pair, score in scores.items() if pair[0] == str(first)] for first in (1, 2, 5)}
    one_scores = {square: x - o for square, (x, o) in one_ply.items()}
    yield compared("slide 61, all nine moves", printed["one_ply"], one_scores)
    yield compared("slide 62, answers to a corner", printed["corner"], of[1])
    yield compared("slide 62, answers to the centre", printed["centre"], of[5])
    yield misprinted("slide 62, answers to an edge", printed["edge"], of[2])
    yield misprinted("slide 62, value of the start", printed["two_ply_root"], two.value)


def _told(result: Result) -> list[int]:
    assert result.best is not None
    return [result.value, result.best + 1]


# ---- the "stupid" utility, and the perfect one --------------------------------------------------------------------


@cache
def solved() -> Mapping[State, int]:
    """The value of every position that can come about, worked out from the last moves back."""
    values: dict[State, int] = {}
    start: State = TicTacToe.start()
    for state in backwards(start):
        below = [values[child] for child in children(state)]
        values[state] = (max if state.to_move() == MAX else min)(below) if below else state.utility()
    return values


@evaluation
class Perfect(Evaluation):
    """The true value of every position."""

    def score(self, state):  # type: ignore[no-untyped-def]
        return solved()[state]


@cache
def positions() -> tuple[State, ...]:
    """The positions in which there is something to decide, one of each that are turned or mirrored alike."""
    kept: dict[tuple[str, ...], State] = {}
    for state in solved():
        if not state.is_over():
            text = str(state).replace("/", "")
            kept.setdefault(min(tuple(text[square] for square in squares) for squares in _TURNED), state)
    return tuple(kept.values())


def mistakes(judge: Evaluation, depth: int) -> int:
    """In how many positions the move chosen at a depth gives away value."""
    values, count = solved(), 0
    for state in positions():
        best = minimax(state, depth, judge).best
        assert best is not None
        count += values[state.play(best)] != values[state]
    return count


def stupid_utility(case: Case) -> Iterator[Check]:
    """Win, loss, else nothing: how deep it has to look before it sees that a corner must be answered in the centre."""
    corner: State = TicTacToe.start().after("a1")
    replies = {corner.move_name(move): corner.play(move) for move in corner.moves()}

    def seen(depth: int) -> dict[str, int]:
        return {name: alphabeta(state, depth - 1).value for name, state in replies.items()}

    nothing = dict.fromkeys(replies, 0)
    yield compared(
        "crosses in the corner, the answers at 1 to 5 plies: all alike", [nothing] * 5, [seen(d) for d in range(1, 6)]
    )
    truth = {name: solved()[state] for name, state in replies.items()}
    yield compared("at 6 plies: only the centre holds", truth, seen(6))
    yield compared("at 8 plies, the whole tree", truth, seen(8))
    wrong = mistakes(Nothing(), 1)
    yield claimed(
        "only works if the complete tree can be evaluated",
        "wrong moves without it",
        f"one ply ahead wrong in {wrong} of {len(positions())} positions",
        wrong > 0,
        f"right; open lines at one ply are wrong in {mistakes(OpenLines(), 1)}",
    )
    start = alphabeta(TicTacToe.start())
    yield compared("the whole game, with nothing but win and loss", 0, start.value)


def perfect_evaluation(case: Case) -> Iterator[Check]:
    """With the true values as evaluation, one ply chooses a best move everywhere."""
    wrong = mistakes(Perfect(), 1)
    yield claimed(
        "with a perfect evaluation one level is enough",
        "no wrong move at 1 ply",
        f"wrong in {wrong} of {len(positions())} positions",
        wrong == 0,
        "right",
    )
    yield compared("positions, and those with something to decide", [5478, 4520], _counts())


def _counts() -> list[int]:
    return [len(solved()), sum(not state.is_over() for state in solved())]
