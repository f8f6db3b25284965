"""`zermelo show`: draws a position, in the terminal or as a picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo.cli import arguments, encoding, formatting, screen
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
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write a picture: .svg .png .pdf .tex .txt; - writes to standard output.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="KIND", help="svg, png, pdf, tikz or text. Default: by the extension of FILE."
        ),
    ] = None,
    dpi: Annotated[int, typer.Option(metavar="N", help="Resolution of a PNG, in pixels per inch.")] = 144,
    theme: Annotated[
        str,
        typer.Option(
            metavar="light|auto", help="Colours of an SVG: light, or the reader's light or dark setting (auto)."
        ),
    ] = "light",
    as_json: arguments.Json = False,
) -> None:
    """Draw a position, in the terminal or as a picture.

    With --moves, a picture marks the squares that the last move changed.
    """
    from zermelo.drawing.drawing import BOARD_FORMATS, draw, format_of_path, parse_format

    if output is not None and str(output) == "-":
        output = None
    if form:
        kind = parse_format(form, BOARD_FORMATS)
    else:
        kind = "text" if output is None else format_of_path(output, BOARD_FORMATS)
    cls = arguments.load(game)
    *earlier, state = arguments.game_so_far(cls, position, moves)
    with arguments.blaming(cls):
        drawing = draw(state, before=earlier[-1] if earlier else None, dpi=dpi, theme=theme)
        if output is not None:
            from zermelo._util.atomic_files import write

            content = drawing.render(kind)
            write(output, content if isinstance(content, bytes) or content.endswith("\n") else content + "\n")
        if as_json:
            print(json.dumps(described(game, state) | ({"file": str(output), "format": kind} if output else {})))
        elif output is None and kind == "text":
            _print(state, PositionHistory([*earlier, state]).occurrences[-1])
        elif output is None:
            _send(drawing, kind)


def described(game: str, state: State) -> dict[str, Any]:
    """Position, side to move and legal moves as plain data."""
    over = state.is_over()
    return {
        "game": game,
        "position": str(state),
        "board": state.board(),
        "to_move": None if over else formatting.side(state),
        "moves": [state.move_name(move) for move in state.legal_moves()],
        "over": over,
        "utility": state.utility() if over else None,
    }


def _print(state: State, times: int) -> None:
    out = screen.console()
    out.print(state.board())
    out.print()
    if state.is_over():
        screen.facts(out, [("position", str(state)), ("result", formatting.ended(state))])
        return
    names = [state.move_name(move) for move in state.legal_moves()]
    moves = f"{formatting.count(len(names))}: {' '.join(names)}"
    claims = formatting.claims(state, times)
    rows = [("position", str(state)), ("to move", formatting.side(state)), ("moves", moves)]
    screen.facts(out, [*rows, ("draw", claims)] if claims else rows)


def _send(drawing: Drawing, kind: str) -> None:
    """Write a picture to standard output; bytes only if it is not a terminal."""
    from zermelo.errors import TreeError

    if kind in ("png", "pdf") and sys.stdout.isatty():
        raise TreeError(f"show: cannot print {kind.upper()} to a terminal; use -o FILE.{kind}")
    content = drawing.render(kind)
    if isinstance(content, bytes):
        sys.stdout.buffer.write(content)
    else:
        encoding.print_as_file(content.rstrip("\n"))
