"""`zermelo show`: a position drawn, for the terminal or as a picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo.cli import arguments as given
from zermelo.cli import encoding, screen
from zermelo.cli import formatting as words
from zermelo.cli.arguments import Game, Moves, Position
from zermelo.core.history import PositionHistory

if TYPE_CHECKING:
    from zermelo.core.game import State
    from zermelo.drawing.drawing import Drawing


def show(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A picture: .svg .png .pdf .tex .txt; -: shown here."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="KIND", help="svg, png, pdf, tikz or text, whatever FILE is called."),
    ] = None,
    dpi: Annotated[int, typer.Option(metavar="N", help="Pixels of a PNG to the inch.")] = 144,
    theme: Annotated[str, typer.Option(metavar="light|auto", help="SVG on white, or as the screen is set.")] = "light",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, nothing else on standard output.")] = False,
) -> None:
    """Draw a position: its board, who is to move and what can be played; or a picture of it.

    Where moves are given, the picture marks the squares that the last one has changed.
    """
    from zermelo.drawing.drawing import BOARDS, Drawing, form_of, form_of_file
    from zermelo.teaching.diagrams.options import Options

    if output is not None and str(output) == "-":
        output = None
    kind = form_of(form, BOARDS) if form else "text" if output is None else form_of_file(output, BOARDS)
    cls = given.load(game)
    *earlier, state = given.game_so_far(cls, position, moves)
    with given.blaming(cls):
        drawing = Drawing(state, Options(dpi=dpi, theme=theme), before=earlier[-1] if earlier else None)
        if output is not None:
            from zermelo._util.atomic_files import write

            content = drawing.written(kind)
            write(output, content if isinstance(content, bytes) or content.endswith("\n") else content + "\n")
        if as_json:
            print(json.dumps(described(game, state) | ({"file": str(output), "format": kind} if output else {})))
        elif output is None and kind == "text":
            _print(state, PositionHistory([*earlier, state]).occurrences[-1])
        elif output is None:
            _send(drawing, kind)


def described(game: str, state: State) -> dict[str, Any]:
    """What is shown of a position, as plain data."""
    over = state.is_over()
    return {
        "game": game,
        "position": str(state),
        "board": state.board(),
        "to_move": None if over else words.side(state),
        "moves": [state.move_name(move) for move in state.legal_moves()],
        "over": over,
        "utility": state.utility() if over else None,
    }


def _print(state: State, times: int) -> None:
    out = screen.console()
    out.print(state.board())
    out.print()
    if state.is_over():
        screen.facts(out, [("position", str(state)), ("result", words.ended(state))])
        return
    names = [state.move_name(move) for move in state.legal_moves()]
    moves = f"{words.count(len(names))}: {' '.join(names)}"
    claims = words.claims(state, times)
    rows = [("position", str(state)), ("to move", words.side(state)), ("moves", moves)]
    screen.facts(out, [*rows, ("draw", claims)] if claims else rows)


def _send(drawing: Drawing, kind: str) -> None:
    """A picture on standard output, in bytes only where it is no terminal."""
    from zermelo.errors import TreeError

    if kind in ("png", "pdf") and sys.stdout.isatty():
        raise TreeError(f"show: a {kind.upper()} is not for the terminal; write it with -o FILE.{kind}")
    content = drawing.written(kind)
    if isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    else:
        encoding.print_as_file(content.rstrip("\n"))
