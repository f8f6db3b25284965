"""`zermelo tree draw`: draws a tree and its search, for the terminal, the web, slides and paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from zermelo.cli import arguments, encoding, tree_source

#: Binary formats, which cannot be printed to a terminal.
BINARY = ("png", "pdf")
#: Maximum number of files that --steps writes.
MOST_STEPS = 1000


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
    steps: Annotated[bool, typer.Option("--steps", help="Write one picture per step: FILE-000, FILE-001, ...")] = False,
    names: Annotated[bool, typer.Option(help="Draw node names.")] = True,
    windows: Annotated[bool, typer.Option(help="Draw alpha-beta windows.")] = True,
    values: Annotated[bool, typer.Option(help="Draw returned values.")] = True,
    order: Annotated[bool, typer.Option("--order", help="Number the nodes in order of visits.")] = False,
    labels: Annotated[bool, typer.Option(help="Draw move names at the arcs.")] = True,
    moves: arguments.Moves = "",
    evaluation: arguments.EvaluationName = None,
    states: Annotated[bool, typer.Option("--states", help="Draw the positions at the nodes of a game tree.")] = False,
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
    from zermelo.drawing.drawing import drawing_of, format_of_path, parse_format
    from zermelo.drawing.options import Options
    from zermelo.errors import TreeError

    if output is not None and str(output) == "-":
        output = None
    kind = parse_format(form) if form else "text" if output is None else format_of_path(output)
    options = Options(
        max_nodes=max_nodes, names=names, windows=windows, values=values, order=order, moves=labels, states=states,
        reasons=reasons, legend=legend, step=step, answer_boxes=room, theme=theme, dpi=dpi, standalone=standalone,
    )  # fmt: skip
    if not search and (step is not None or steps or convention):
        raise TreeError("draw: --no-search cannot be combined with --step, --steps or --convention")
    if steps and (output is None or step is not None):
        raise TreeError("draw: --steps needs -o FILE and cannot be combined with --step")
    drawn: Any
    if search:
        drawn = tree_source.trace_of(tree, position, moves, depth, evaluation, convention)
    else:
        state = tree_source.state_of(tree, position, moves)
        drawn = tree_source.read_tree(tree) if state is None else tree_source.game_tree_of(state, depth, evaluation)
    if steps and output is not None:
        written = _write_steps(drawn, options, kind, output)
    elif output is not None:
        _write(output, drawing_of(drawn, options).render(kind))
        written = [output]
    elif as_json:
        raise TreeError("draw: --json needs -o FILE (`zermelo tree trace --json` prints the search)")
    else:
        _show(drawn, options, kind)
        return
    _report(drawn, options, kind, written, as_json)


def _write_steps(trace: Any, options: Any, kind: str, output: Path) -> list[Path]:
    from dataclasses import replace

    from zermelo.drawing.drawing import drawing_of
    from zermelo.errors import TreeError

    count = len(trace.steps)
    if count > MOST_STEPS:
        raise TreeError(
            f"draw: --steps writes at most {MOST_STEPS:,} files (got {count:,} steps); use --step K to draw one"
        )
    digits = max(3, len(str(count)))
    written = []
    for step in range(count + 1):
        path = output.with_name(f"{output.stem}-{step:0{digits}}{output.suffix}")
        _write(path, drawing_of(trace, replace(options, step=step)).render(kind))
        written.append(path)
    return written


def _write(path: Path, content: str | bytes) -> None:
    from zermelo._util.atomic_files import write

    write(path, content if isinstance(content, bytes) or content.endswith("\n") else content + "\n")


def _show(drawn: Any, options: Any, kind: str) -> None:
    from zermelo.drawing.drawing import drawing_of
    from zermelo.errors import TreeError

    drawing = drawing_of(drawn, options)
    if kind in BINARY:
        if sys.stdout.isatty():
            raise TreeError(f"draw: cannot print {kind.upper()} to a terminal; use -o FILE.{kind}")
        content = drawing.render(kind)
        assert isinstance(content, bytes)
        sys.stdout.buffer.write(content)
        return
    if kind == "text":
        from zermelo.cli import screen

        print(drawing.text(screen.width() if sys.stdout.isatty() else None))
        return
    encoding.print_as_file(str(drawing.render(kind)).rstrip("\n"))


def _report(drawn: Any, options: Any, kind: str, written: list[Path], as_json: bool) -> None:
    """Report what was written: JSON, or a note on standard error."""
    import json

    from zermelo.teaching.diagrams.folding import fold
    from zermelo.teaching.diagrams.labels import Labels
    from zermelo.teaching.tree.node import Tree

    tree = drawn if isinstance(drawn, Tree) else drawn.tree
    folded = fold(Labels(drawn, options)).folds
    hidden = sum(each.nodes for each in folded)
    if as_json:
        report = {"files": [str(path) for path in written], "format": kind, "nodes": len(tree)}
        print(json.dumps(report | {"drawn": len(tree) - hidden, "folds": len(folded), "folded": hidden}))
    elif hidden:
        print(f"{hidden:,} of {len(tree):,} nodes are collapsed; use --max-nodes N to draw more", file=sys.stderr)
