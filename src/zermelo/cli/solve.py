"""`zermelo solve`: solves positions to the end of the game."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.terminal import print_json, print_line
from zermelo._util.user_files import read_text
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Game, Moves
from zermelo.core.game import MIN, State
from zermelo.errors import PositionError

if TYPE_CHECKING:
    from zermelo.search.solving import Solver

#: Maximum size of a file of positions, in bytes.
MAX_FILE_BYTES = 10_000_000
Source = Annotated[str, typer.Argument(metavar="[POSITION]", hidden=True)]


def solve(
    game: Game,
    source: Source = "",
    moves: Moves = "",
    each: Annotated[bool, typer.Option("--each", help="Also solve the position after each legal move.")] = False,
    dealer: Annotated[str, typer.Option(metavar="SEAT", help="Bridge: the dealer, N, E, S or W.")] = "N",
    vulnerable: Annotated[
        str,
        typer.Option(metavar="SIDES", help="Bridge: the vulnerable sides: none, ns, ew or both."),
    ] = "none",
    table: arguments.Table = "256M",
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Solve positions to the end of the game.

    Prints the result of best play by both sides; for a file, one line per position. For a bridge deal without
    strain and leader, prints the table of all declarers and strains, and par; with them, the tricks of each card.
    """
    from zermelo.search.solving import Solver

    cls = arguments.load(game)
    is_file = bool(source) and os.path.isfile(source)
    texts = _positions(source) if is_file else [(1, source)]
    with Solver(table) as solver, screen.Progress("solving", quiet) as progress:
        found = []
        for done, (number, text) in enumerate(texts):
            progress.begin(f"solving line {number:,}" if is_file else "solving", done, len(texts))
            try:
                found.append(_solved(cls, game, text, moves, each, dealer, vulnerable, solver))
            except PositionError as error:
                raise PositionError(f"{source}:{number}: {error}" if is_file else str(error)) from None
    if as_json:
        print_json({"game": game, "results": found} if is_file else {"game": game, **found[0]})
        return
    for result in found:
        for line in _lines(result, is_file):
            print_line(line)


def _positions(path: str) -> list[tuple[int, str]]:
    """The positions of a file, one a line, with line numbers; empty lines and lines that begin with # are skipped."""
    lines = [line.strip() for line in read_text(path, MAX_FILE_BYTES).splitlines()]
    texts = [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    if not texts:
        raise PositionError(f"{path}: no positions")
    return texts


def _solved(
    cls: type[State], game: str, text: str, moves: str, each: bool, dealer: str, vulnerable: str, solver: Solver
) -> dict[str, Any]:
    """The result of one position as plain data."""
    nodes, seconds = solver.nodes, solver.seconds
    state = arguments.position(cls, text, moves)
    result: dict[str, Any] = {"position": str(state)}
    with arguments.blaming(cls):
        if game == "bridge":
            from zermelo.cli import solve_bridge

            is_deal = len(text.split()) == 4 and not moves
            result |= (
                solve_bridge.table_and_par(state, dealer, vulnerable, solver)
                if is_deal
                else solve_bridge.tricks(state, solver)
            )
        elif each and not state.is_over():
            values = solver.move_values(state)
            side = -1 if state.to_move() == MIN else 1
            result["value"] = max(values.values(), key=lambda value: side * value)
            result["moves"] = {state.move_name(move): value for move, value in values.items()}
        else:
            result["value"] = solver.value(state)
    return result | {"nodes": solver.nodes - nodes, "seconds": solver.seconds - seconds}


def _lines(result: dict[str, Any], is_short: bool) -> list[str]:
    """A result as text."""
    if "table" in result:
        from zermelo.cli import solve_bridge

        lines = solve_bridge.table_lines(result)
    else:
        names = ("tricks",) if "tricks" in result else ("value",)
        lines = [f"{result['position']}  {name} {result[name]}" for name in names]
        if not is_short:
            lines = [f"{name:9}{result[name]}" for name in names]
            for move, value in result.get("moves", {}).items():
                lines.append(f"  {move:7}{value}")
    return lines if is_short else [*lines, f"nodes    {result['nodes']:,}, {result['seconds']:.2f} s"]
