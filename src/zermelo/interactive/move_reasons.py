"""Explaining a move: its line and score beside those of the best other move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zermelo import formatting
from zermelo.core.evaluation import Evaluation
from zermelo.core.explanation import has_terms, sums_of_terms
from zermelo.core.game import CHANCE, MAX, State
from zermelo.core.network import Network

if TYPE_CHECKING:
    from zermelo.search.analysis import Analysis

#: Moves of a line and terms of an evaluation that are printed.
MAX_MOVES, MAX_TERMS = 8, 4


@dataclass(frozen=True, slots=True)
class Reasons:
    """A move explained: its analysis beside that of the best other move, and the comparison as text."""

    #: The move, and its line.
    chosen: Analysis
    #: The best other move; None if the move is the only legal one.
    other: Analysis | None
    #: Rows of (name, text): the moves with their scores and lines, which is better, and by which terms.
    rows: list[tuple[str, str]]


def reasons(
    state: State,
    move: int,
    legal: list[int],
    search: Callable[[list[int], int | None], Analysis],
    evaluation: Evaluation | None,
) -> Reasons:
    """Explain a move by its line beside that of the best other one.

    Parameters
    ----------
    state : State
        The state before the move.
    move : int
    legal : list of int
        The moves that the side may choose from.
    search : callable
        Analyses the state with these root moves only, to a depth in plies or as deep as its limits permit (None).
    evaluation : Evaluation or None
        The evaluation of the search, for its terms.
    """
    name = state.move_name(move)
    others = [each for each in legal if each != move]
    if not others:
        only = search([move], None)
        return Reasons(only, None, [(name, _described(only)), ("why", f"{name} is the only legal move")])
    other = search(others, None)
    chosen = search([move], other.depth or None)  # scores of different depths cannot be compared
    rows = [(name, _described(chosen)), (other.best or "", _described(other))]
    rows.append(("why", _compared(state, name, chosen, other)))
    if evaluation is not None and (terms := _terms(state, chosen, other, evaluation)):
        rows.append(("by terms", terms))
    return Reasons(chosen, other, rows)


def _described(found: Analysis) -> str:
    return f"{formatting.labelled_score(found)}: {' '.join(found.line[:MAX_MOVES])}"


def _compared(state: State, name: str, chosen: Analysis, other: Analysis) -> str:
    """Which of two moves is better for the side to move, and by how much."""
    ours, theirs = (found.score.pov(state.to_move()) for found in (chosen, other))
    if not ours < theirs and not theirs < ours:
        return f"{name} and {other.best} are equally good"
    better, worse = (name, other.best) if theirs < ours else (other.best, name)
    high, low = (ours, theirs) if theirs < ours else (theirs, ours)
    if high.expected is not None and low.expected is not None:
        difference = f" by {high.expected - low.expected:.3f} on average"
    elif high.estimate is not None and low.estimate is not None:
        difference = f" by {formatting.with_unit(high.estimate - low.estimate, high.unit)}"
    else:
        difference = ""
    return f"{better} is better than {worse}{difference}"


def _end(state: State, moves: Sequence[int]) -> State:
    for move in moves:
        state = state.play(move)
    return state


def _terms(state: State, chosen: Analysis, other: Analysis, evaluation: Evaluation) -> str:
    """The terms in which the ends of both lines differ most, from the view of the side to move.

    They are those of the evaluation, or of the game's first sum of terms. Those of a network, its
    pieces on their squares, are not shown.
    """
    of = ""
    if not has_terms(evaluation) or isinstance(evaluation, Network):
        sums = {name: each for name, each in sums_of_terms(state).items() if not isinstance(each, Network)}
        name, evaluation = next(iter(sums.items()), ("", evaluation))
        if not name:
            return ""
        of = f" (terms of {name}, in {evaluation.unit_name})"
    ends = [_end(state, found.lines[0].moves) for found in (chosen, other)]
    if any(end.is_over() or end.to_move() == CHANCE for end in ends):
        return ""
    first, second = ({term.name: term.points for term in evaluation.terms(end)} for end in ends)
    sign = 1 if state.to_move() == MAX else -1
    gains = {name: sign * float(first.get(name, 0) - second.get(name, 0)) for name in [*first, *second]}
    largest = sorted((name for name in gains if round(gains[name])), key=lambda name: -abs(gains[name]))[:MAX_TERMS]
    if not largest:
        return ""
    listed = ", ".join(f"{name} {round(gains[name]):+,}" for name in largest)
    return f"at the end of {state.move_name(chosen.lines[0].move)}'s line: {listed}{of}"
