"""`zermelo explain`: an evaluation of a position, term by term."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any

import typer

from zermelo.cli import arguments, formatting, screen
from zermelo.cli.arguments import EvaluationName, Game, Moves, Position
from zermelo.core.evaluation import Evaluation, Term, checked_score, resolve_evaluation
from zermelo.core.game import MAX, MIN, State
from zermelo.core.validation import validate_root
from zermelo.errors import GameError


def explain(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    evaluation: EvaluationName = None,
    all_terms: Annotated[bool, typer.Option("--all", help="Also list terms that are 0 for both sides.")] = False,
    as_json: arguments.Json = False,
) -> None:
    """Show an evaluation of a position, term by term.

    Prints each term's counts, weight and contribution. Nothing is searched. The evaluation must be a weighted sum.
    """
    cls = arguments.load(game)
    state = arguments.position(cls, position, moves)
    with arguments.blaming(cls):
        validate_root(state)
        known = resolve_evaluation(state, evaluation)
        name = evaluation or next(iter(state.evaluations), "nothing")
        _refuse_without_terms(game, name, state, known)
        over = state.is_over()
        terms = [] if over else known.terms(state)
        score = state.utility() if over else checked_score(known, state)
        mixture = None if over else known.mixture(state)
        phases = known.phase_names if mixture else None
    if as_json:
        print(json.dumps(_described(game, state, name, terms, score, mixture)))
        return
    out = screen.console()
    out.print(state.board())
    out.print()
    if over:
        out.print(f"  {formatting.ended(state)}; evaluations apply to unfinished games")
        return
    shown = [term for term in terms if all_terms or term.max or term.min or term.max is None]
    if shown:
        _print_terms(out, state, shown, score, phases)
        out.print()
    rows = [("score", f"{_signed(score)} by {name} ({formatting.standing(state, score)})")]
    if mixture:
        rows.insert(0, ("weights", _mixed(*mixture, *known.phase_names)))
    if len(shown) < len(terms):
        left_out = formatting.plural(len(terms) - len(shown), "term")
        rows.append(
            (
                "left out",
                f"{left_out} that {'is' if left_out[:2] == '1 ' else 'are'} 0 for both sides; --all lists them",
            )
        )
    screen.facts(out, rows, bold="score")


def _refuse_without_terms(game: str, name: str, state: State, evaluation: Evaluation) -> None:
    """Raises `GameError` for an evaluation that is no sum of terms, naming those of the game that are."""
    if type(evaluation).terms is not Evaluation.terms:
        return
    others = [other for other, each in state.evaluations.items() if type(each).terms is not Evaluation.terms]
    there_are = f"{', '.join(others)} {'is' if len(others) == 1 else 'are'}" if others else "none of the game is"
    raise GameError(f"{game}'s evaluation {name!r} is not a weighted sum of terms; {there_are}")


def _described(
    game: str, state: State, name: str, terms: Sequence[Term], score: int, mixture: tuple[int, int] | None
) -> dict[str, Any]:
    """Terms and score as plain data."""
    return {
        "game": game,
        "position": str(state),
        "evaluation": name,
        "players": {"max": state.player_name(MAX), "min": state.player_name(MIN)},
        "terms": [
            {**term._asdict(), "points": term.points if isinstance(term.points, int) else float(term.points)}
            for term in terms
        ],
        "phase": list(mixture) if mixture else None,
        "score": score,
        "over": state.is_over(),
    }


def _print_terms(out: Any, state: State, terms: Sequence[Term], score: int, phases: tuple[str, str] | None) -> None:
    """The terms in columns, and their sum below them; terms that are level are dim."""
    from rich.text import Text

    heads = ["term", state.player_name(MAX), state.player_name(MIN), "diff"]
    heads += phases or ["weight"]
    heads.append("points")
    whole = all(isinstance(term.points, int) for term in terms)
    rows = [_cells(term, len(heads) - 5, whole) for term in terms]
    total = ["sum", *[""] * (len(heads) - 2), _signed(score)]
    widths = [max(map(len, column)) for column in zip(heads, *rows, total, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *numbers = (cell for cell in cells)
        aligned = [cell.rjust(wide) for cell, wide in zip(numbers, widths[1:], strict=True)]
        return "  " + "  ".join([first.ljust(widths[0]), *aligned]).rstrip()

    out.print(Text(line(heads), "dim"))
    for term, row in zip(terms, rows, strict=True):
        out.print(Text(line(row), "" if term.points else "dim"))
    out.print(Text("  " + "─" * (sum(widths) + 2 * len(widths) - 2), "dim"))
    out.print(Text(line(total), "bold"))


def _cells(term: Term, weights: int, whole: bool) -> list[str]:
    """A term's row."""
    if term.max is None or term.min is None:
        return [term.name, *[""] * (3 + weights), _points(term.points, whole)]
    counts = [str(term.max), str(term.min), _signed(term.max - term.min)]
    return [term.name, *counts, *map(str, term.weights), _points(term.points, whole)]


def _points(points: int | Fraction, whole: bool) -> str:
    """Points with their sign; to hundredths where there are fractions."""
    return _signed(int(points)) if whole else f"{float(points):+.2f}" if points else "0.00"


def _signed(number: int) -> str:
    return f"{number:+d}" if number else "0"


def _mixed(part: int, whole: int, first: str, second: str) -> str:
    """How two weights make one."""
    if part in (0, whole):
        return f"{first if part else second} only"
    return f"({part} x {first} + {whole - part} x {second}) / {whole}"
