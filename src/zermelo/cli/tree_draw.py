"""`zermelo tree draw`: draws a tree and its search, for the terminal, the web, slides and paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.terminal import print_block, print_json, print_line, write_data
from zermelo.cli import arguments, screen, tree_source

if TYPE_CHECKING:
    from zermelo.drawing.drawing import Drawing

#: Binary formats, which cannot be printed to a terminal.
BINARY = ("png", "pdf")

Boards = Annotated[
    bool, typer.Option("--boards", help="Draw the positions of a GAME as boards, as `zermelo show` does.")
]
BoardSize = Annotated[
    float | None,
    typer.Option(metavar="POINTS", help="Draw boards of this width; implies --boards. Default: by number of squares."),
]
Direction = Annotated[
    str, typer.Option(metavar="down|right", help="Draw children below their parent, or to its right.")
]
Fit = Annotated[
    str | None,
    typer.Option(metavar="slide|WxH", help="Collapse nodes until the tree fits on a slide (16:9) or W x H points."),
]


def draw(
    tree: tree_source.TreeOrGame,
    position: arguments.Position = "",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Output file: .svg .html .png .pdf .tex .dot .txt; - is standard output.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="KIND",
            help="svg, html, png, pdf, tikz, dot or text. Default: by the extension of FILE.",
        ),
    ] = None,
    convention: tree_source.ConventionWords = "",
    depth: tree_source.Depth = None,
    search: Annotated[bool, typer.Option(help="Search the tree, or draw it with leaf values only.")] = True,
    max_nodes: Annotated[
        int, typer.Option("--max-nodes", metavar="N", help="Draw at most N nodes; collapse the rest.")
    ] = 200,
    step: Annotated[int | None, typer.Option(metavar="K", help="Draw the state after K steps of the search.")] = None,
    steps: Annotated[
        bool,
        typer.Option(
            "--steps",
            help="Write a picture per step: pages of a .pdf, overlays of a Beamer slide in a .tex, else FILE-000, ...",
        ),
    ] = False,
    names: Annotated[bool, typer.Option(help="Draw node names.")] = True,
    windows: Annotated[bool, typer.Option(help="Draw alpha-beta windows.")] = True,
    values: Annotated[bool, typer.Option(help="Draw returned values.")] = True,
    order: Annotated[bool, typer.Option("--order", help="Number the nodes in order of visits.")] = False,
    labels: Annotated[bool, typer.Option(help="Draw move names at the arcs.")] = True,
    moves: arguments.Moves = "",
    evaluation: arguments.EvaluationName = None,
    symmetry: tree_source.Symmetry = False,
    states: Annotated[
        bool, typer.Option("--states", help="Draw the positions at the nodes of a game tree, as text.")
    ] = False,
    boards: Boards = False,
    board_size: BoardSize = None,
    direction: Direction = "down",
    fit: Fit = None,
    reasons: Annotated[
        bool | None, typer.Option(help="Print the reason of each cutoff at its node. Default: if there is room.")
    ] = None,
    legend: Annotated[bool, typer.Option(help="Print a legend, the value and the cutoffs below the tree.")] = True,
    room: Annotated[bool, typer.Option("--room", help="Leave room at the nodes for handwriting.")] = False,
    theme: Annotated[
        str,
        typer.Option(
            metavar="light|auto", help="Colours of an SVG: light, or the reader's light or dark setting (auto)."
        ),
    ] = "light",
    dpi: Annotated[int, typer.Option(metavar="N", help="Resolution of a PNG, in pixels per inch.")] = 144,
    standalone: Annotated[
        bool, typer.Option(help="Write TikZ as a complete document, or as a tikzpicture to include.")
    ] = True,
    as_json: arguments.Json = False,
) -> None:
    """Draw a tree and its search: SVG, HTML to step through, PNG, PDF, TikZ, DOT, text.

    Pruned arcs are crossed out, with the reason of the cutoff; the principal variation is thick.
    """
    from zermelo.drawing.drawing import drawing_of, format_of_path, parse_format, write_drawing
    from zermelo.drawing.options import Options, parse_page
    from zermelo.errors import TreeError

    if output is not None and str(output) == "-":
        output = None
    kind = parse_format(form) if form else "text" if output is None else format_of_path(output)
    options = Options(
        max_nodes=max_nodes, names=names, windows=windows, values=values, order=order, moves=labels, states=states,
        boards=boards or board_size is not None, board_size=board_size, direction=direction,
        fit=None if fit is None else parse_page(fit), reasons=reasons,
        legend=legend, step=step, answer_boxes=room, theme=theme, dpi=dpi, standalone=standalone,
    )  # fmt: skip
    if not search and (step is not None or steps or convention):
        raise TreeError("draw: --no-search cannot be combined with --step, --steps or --convention")
    if steps and (output is None or step is not None):
        raise TreeError("draw: --steps needs -o FILE and cannot be combined with --step")
    drawn: Any
    if search:
        drawn = tree_source.trace_of(tree, position, moves, depth, evaluation, convention, symmetry)
    else:
        drawn = tree_source.tree_of(tree, position, moves, depth, evaluation, symmetry)
    drawing = drawing_of(drawn, options)
    if steps and output is not None:
        with screen.Progress("drawing the steps", compiles=False):
            written = drawing.save_steps(output, kind)
    elif output is not None:
        write_drawing(output, drawing.render(kind))
        written = [output]
    elif as_json:
        raise TreeError("draw: --json needs -o FILE (`zermelo tree trace --json` prints the search)")
    else:
        _show(drawing, kind)
        return
    _report(drawing, kind, written, as_json)


def show_text(drawing: Drawing) -> None:
    """Print a drawing as text, as wide as the terminal."""
    print_block(drawing.text(screen.width() if sys.stdout.isatty() else None))


def _show(drawing: Drawing, kind: str) -> None:
    from zermelo.errors import TreeError

    if kind in BINARY:
        if sys.stdout.isatty():
            raise TreeError(f"draw: cannot print {kind.upper()} to a terminal; use -o FILE.{kind}")
        content = drawing.render(kind)
        assert isinstance(content, bytes)
        write_data(content)
        return
    if kind == "text":
        show_text(drawing)
        return
    write_data(str(drawing.render(kind)).rstrip("\n"))


def _report(drawing: Any, kind: str, written: list[Path], as_json: bool) -> None:
    """Report what was written: JSON, or a note on standard error."""
    from zermelo.teaching.tree.node import Tree

    drawn = drawing.subject
    tree = drawn if isinstance(drawn, Tree) else drawn.tree
    folded = drawing.folds()
    hidden = sum(each.nodes for each in folded)
    if as_json:
        report = {"files": [str(path) for path in written], "format": kind, "nodes": len(tree)}
        print_json(report | {"drawn": len(tree) - hidden, "folds": len(folded), "folded": hidden})
    elif hidden:
        more = "a larger page" if drawing.options.fit else "--max-nodes N"
        print_line(f"{hidden:,} of {len(tree):,} nodes are collapsed; use {more} to draw more", error=True)
