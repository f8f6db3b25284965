"""`zermelo show`: draws a position, in the terminal or as a picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, write_data
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Game, Moves, Position
from zermelo.cli.board_marks import marked
from zermelo.core.history import PositionHistory
from zermelo.core.player_view import board_of

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
    view: Annotated[
        str | None,
        typer.Option(metavar="SIDE", help="Draw what a player sees: max, min, or its name. Default: everything."),
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

    With --moves, the squares that the last move changed are marked.
    """
    from zermelo.drawing.drawing import BOARD_FORMATS, draw, format_of_path, parse_format, write_drawing

    if output is not None and str(output) == "-":
        output = None
    if form:
        kind = parse_format(form, BOARD_FORMATS)
    else:
        kind = "text" if output is None else format_of_path(output, BOARD_FORMATS)
    cls = arguments.load(game)
    *earlier, state = arguments.game_so_far(cls, position, moves)
    viewer = None if view is None else arguments.player(state, view, "--view")
    with arguments.blaming(cls):
        drawing = draw(state, before=earlier[-1] if earlier else None, view=viewer, dpi=dpi, theme=theme)
        if output is not None:
            write_drawing(output, drawing.render(kind))
        if as_json:
            print_json(described(game, state, viewer) | ({"file": str(output), "format": kind} if output else {}))
        elif output is None and kind == "text":
            _print(state, earlier, viewer)
        elif output is None:
            _send(drawing, kind)


def described(game: str, state: State, viewer: int | None = None) -> dict[str, Any]:
    """Position, side to move and legal moves as plain data, as far as the viewer sees them."""
    over = state.is_over()
    return {
        "game": game,
        **_position(state, viewer),
        "board": state.board() if viewer is None else board_of(state, viewer),
        "to_move": None if over else formatting.side(state),
        "moves": _moves(state, viewer),
        "over": over,
        "utility": state.utility() if over else None,
    }


def _position(state: State, viewer: int | None) -> dict[str, str]:
    """The position, or what the viewer knows of it."""
    if viewer is None or state.perfect_information:
        return {"position": str(state)}
    return {"view": state.player_name(viewer), "knows": state.information_state(viewer)}


def _moves(state: State, viewer: int | None) -> list[str]:
    """Names of the legal moves; none if another player than the viewer is to move."""
    if viewer is not None and not state.perfect_information and (state.is_over() or state.to_move() != viewer):
        return []
    return [state.move_name(move) for move in state.legal_moves()]


def _print(state: State, earlier: list[State], viewer: int | None) -> None:
    times = PositionHistory([*earlier, state]).occurrences[-1]
    out = screen.console()
    if viewer is None:
        out.block(marked(state.board(), earlier[-1].board()) if earlier else state.board())
    else:
        out.block(board_of(state, viewer))
    out.print()
    rows = list(_position(state, viewer).items())
    if state.is_over():
        screen.facts(out, [*rows, ("result", formatting.ended(state))])
        return
    rows.append(("to move", formatting.side(state)))
    if names := _moves(state, viewer):
        rows.append(("moves", f"{formatting.count(len(names))}: {' '.join(names)}"))
    claims = formatting.claims(state, times)
    screen.facts(out, [*rows, ("draw", claims)] if claims else rows)


def _send(drawing: Drawing, kind: str) -> None:
    """Write a picture to standard output; bytes only if it is not a terminal."""
    from zermelo.errors import TreeError

    if kind in ("png", "pdf") and sys.stdout.isatty():
        raise TreeError(f"show: cannot print {kind.upper()} to a terminal; use -o FILE.{kind}")
    content = drawing.render(kind)
    if isinstance(content, bytes):
        write_data(content)
    else:
        write_data(content.rstrip("\n"))
