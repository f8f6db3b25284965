"""`zermelo tree draw`: a tree and its search as a picture, for the terminal, the web, slides and paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from zermelo.cli import encoding
from zermelo.cli import tree_arguments as given_tree

#: Pictures of bytes, which no terminal shows.
BINARY = ("png", "pdf")
#: More steps than this are not written as a file each.
MOST_STEPS = 1000


def draw(
    tree: given_tree.TreeText,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to: .svg .html .png .pdf .tex .dot .txt; - or none: shown here.",
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="KIND", help="svg, html, png, pdf, tikz, dot or text, whatever FILE is called."
        ),
    ] = None,
    convention: given_tree.ConventionWords = "",
    depth: given_tree.Depth = None,
    search: Annotated[
        bool, typer.Option(help="Search it; or draw it as it stands, with values at the leaves only.")
    ] = True,
    max_nodes: Annotated[
        int, typer.Option("--max-nodes", metavar="N", help="Of a larger tree fold the rest: so many are drawn at most.")
    ] = 200,
    step: Annotated[int | None, typer.Option(metavar="K", help="The picture after K steps of the search.")] = None,
    steps: Annotated[bool, typer.Option("--steps", help="A picture for each step: FILE-000, FILE-001, ...")] = False,
    names: Annotated[bool, typer.Option(help="The nodes' names.")] = True,
    windows: Annotated[bool, typer.Option(help="Alpha and beta.")] = True,
    values: Annotated[bool, typer.Option(help="The values that came back.")] = True,
    order: Annotated[bool, typer.Option("--order", help="Number the nodes in the order of their visits.")] = False,
    moves: Annotated[bool, typer.Option(help="The moves' names at the arcs.")] = True,
    states: Annotated[bool, typer.Option("--states", help="The positions at the nodes, where there are some.")] = False,
    reasons: Annotated[
        bool | None, typer.Option(help="The reason of each cut at its node; by default where there is room.")
    ] = None,
    legend: Annotated[bool, typer.Option(help="Signs, value and cuts below the tree.")] = True,
    room: Annotated[bool, typer.Option("--room", help="Room at the nodes for writing by hand.")] = False,
    theme: Annotated[str, typer.Option(metavar="light|auto", help="SVG on white, or as the screen is set.")] = "light",
    dpi: Annotated[int, typer.Option(metavar="N", help="Pixels of a PNG to the inch.")] = 144,
    standalone: Annotated[
        bool, typer.Option(help="TikZ as a document of its own, or a tikzpicture to be put into one.")
    ] = True,
    as_json: given_tree.Json = False,
) -> None:
    """Draw a tree and its search: SVG, HTML to step through, PNG, PDF, TikZ, DOT, or text.

    An arc that was cut off is crossed out, with the reason; the principal variation is thick. Same tree, same picture.
    """
    from zermelo.drawing.drawing import Drawing, form_of, form_of_file
    from zermelo.errors import TreeError
    from zermelo.teaching.diagrams.options import Options
    from zermelo.teaching.tree.trace import trace as traced

    if output is not None and str(output) == "-":
        output = None
    kind = form_of(form) if form else "text" if output is None else form_of_file(output)
    options = Options(
        max_nodes=max_nodes, names=names, windows=windows, values=values, order=order, moves=moves, states=states,
        reasons=reasons, legend=legend, step=step, room=room, theme=theme, dpi=dpi, standalone=standalone,
    )  # fmt: skip
    if not search and (step is not None or steps or convention or depth is not None):
        raise TreeError("draw: --no-search leaves no steps, no convention and no depth to speak of")
    if steps and (output is None or step is not None):
        raise TreeError("draw: --steps writes files named after -o FILE, and takes no --step")
    drawn: Any = given_tree.tree(tree)
    if search:
        drawn = traced(drawn, convention, depth=depth)
    if steps and output is not None:
        written = _write_steps(drawn, options, kind, output)
    elif output is not None:
        _write(output, Drawing(drawn, options).written(kind))
        written = [output]
    elif as_json:
        raise TreeError("draw: --json tells what was written, so it needs -o FILE; `tree trace --json` has the search")
    else:
        _show(drawn, options, kind)
        return
    _tell(drawn, options, kind, written, as_json)


def _write_steps(trace: Any, options: Any, kind: str, output: Path) -> list[Path]:
    from dataclasses import replace

    from zermelo.drawing.drawing import Drawing
    from zermelo.errors import TreeError

    count = len(trace.steps)
    if count > MOST_STEPS:
        raise TreeError(
            f"draw: {count:,} steps; --steps writes {MOST_STEPS:,} files at most; --step K draws one of them"
        )
    digits = max(3, len(str(count)))
    written = []
    for step in range(count + 1):
        path = output.with_name(f"{output.stem}-{step:0{digits}}{output.suffix}")
        _write(path, Drawing(trace, replace(options, step=step)).written(kind))
        written.append(path)
    return written


def _write(path: Path, content: str | bytes) -> None:
    from zermelo._util.atomic_files import write

    write(path, content if isinstance(content, bytes) or content.endswith("\n") else content + "\n")


def _show(drawn: Any, options: Any, kind: str) -> None:
    from zermelo.drawing.drawing import Drawing
    from zermelo.errors import TreeError

    drawing = Drawing(drawn, options)
    if kind in BINARY:
        if sys.stdout.isatty():
            raise TreeError(f"draw: a {kind.upper()} is not for the terminal; write it with -o FILE.{kind}")
        content = drawing.written(kind)
        assert isinstance(content, bytes)
        sys.stdout.buffer.write(content)
        return
    if kind == "text":
        from zermelo.cli import screen

        print(drawing.text(screen.width() if sys.stdout.isatty() else None))
        return
    encoding.print_as_file(str(drawing.written(kind)).rstrip("\n"))


def _tell(drawn: Any, options: Any, kind: str, written: list[Path], as_json: bool) -> None:
    """What was written: as JSON, or on standard error for a person."""
    import json

    from zermelo.teaching.diagrams.folding import fold
    from zermelo.teaching.diagrams.labels import Labels
    from zermelo.teaching.tree.node import Tree

    tree = drawn if isinstance(drawn, Tree) else drawn.tree
    folded = fold(Labels(drawn, options)).folds
    hidden = sum(each.nodes for each in folded)
    if as_json:
        told = {"files": [str(path) for path in written], "format": kind, "nodes": len(tree)}
        print(json.dumps(told | {"drawn": len(tree) - hidden, "folds": len(folded), "folded": hidden}))
    elif hidden:
        print(f"{hidden:,} of {len(tree):,} nodes are folded; --max-nodes N draws more", file=sys.stderr)
