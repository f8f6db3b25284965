"""`zermelo explain`: an evaluation of a position, term by term."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Game, Moves, Position
from zermelo.core.evaluation import Term, resolve_evaluation
from zermelo.core.explanation import explain as explanation
from zermelo.core.game import MAX, MIN, State
from zermelo.core.network import Network
from zermelo.core.weight_file import chosen_evaluation


def explain(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    evaluation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Evaluation of the game, or a weight file for one. Default: the game's first that is a weighted sum.",
        ),
    ] = None,
    all_terms: Annotated[bool, typer.Option("--all", help="Also list terms that are 0 for both sides.")] = False,
    as_json: arguments.Json = False,
) -> None:
    """Show an evaluation of a position, term by term.

    Prints each term's counts, weight and contribution. Nothing is searched. By default it is the game's first
    evaluation that is a weighted sum.
    """
    cls = arguments.load(game)
    state = arguments.position(cls, position, moves)
    chosen = chosen_evaluation(cls, evaluation)
    with arguments.blaming(cls):
        found = explanation(state, chosen, game)
        over = state.is_over()
    if as_json:
        players = {"max": state.player_name(MAX), "min": state.player_name(MIN)}
        head = {"game": game, "position": str(state), "players": players, "over": over}
        print_json({**head, **found.as_dict()})
        return
    out = screen.console()
    out.block(state.board())
    out.print()
    if over:
        out.print(f"  {formatting.ended(state)}; evaluations apply to unfinished games")
        return
    used = resolve_evaluation(state, chosen or found.evaluation)
    if isinstance(used, Network) and (board := used.contribution_board(state)):
        out.print("  what each piece adds: the score less the score without it")
        out.block(board)
        out.print()
    terms, score = found.terms, found.score
    shown = [term for term in terms if all_terms or term.max or term.min or term.max is None]
    if shown:
        _print_terms(out, state, shown, score, found.phases)
        out.print()
    points = f"{_signed(score)} {used.unit_name}"
    rows = [("score", f"{points} by {found.evaluation} ({formatting.standing(state, score)})")]
    if found.mixture and found.phases:
        rows.insert(0, ("weights", _mixed(*found.mixture, *found.phases)))
    if len(shown) < len(terms):
        left_out = formatting.plural(len(terms) - len(shown), "term")
        rows.append(
            (
                "left out",
                f"{left_out} that {'is' if left_out[:2] == '1 ' else 'are'} 0 for both sides; --all lists them",
            )
        )
    screen.facts(out, rows, bold="score")


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
