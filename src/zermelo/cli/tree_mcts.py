"""`zermelo tree mcts`: grows a small Monte Carlo search tree of a position, and draws it step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from zermelo._util.terminal import print_json
from zermelo.cli import arguments, screen, tree_draw
from zermelo.cli.arguments import Game, Moves, Position


def mcts(
    game: Game,
    position: Position = "",
    moves: Moves = "",
    simulations: Annotated[int, typer.Option(metavar="N", help="Number of simulations, 1 to 2000.")] = 20,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the random choices.")] = 0,
    evaluation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Evaluate new nodes by this evaluation of the game.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Output file: .svg .html .png .pdf .tex .txt."),
    ] = None,
    step: Annotated[int | None, typer.Option(metavar="K", help="Draw the tree after K steps.")] = None,
    max_nodes: Annotated[
        int, typer.Option("--max-nodes", metavar="N", help="Draw at most N nodes; collapse the rest.")
    ] = 200,
    states: Annotated[bool, typer.Option("--states", help="Draw the positions at the nodes, as text.")] = False,
    boards: tree_draw.Boards = False,
    board_size: tree_draw.BoardSize = None,
    direction: tree_draw.Direction = "down",
    fit: tree_draw.Fit = None,
    as_json: arguments.Json = False,
) -> None:
    """Grow a Monte Carlo search tree: draw it, or write an HTML page that steps through it.

    Each simulation selects, expands, simulates and backs up. --evaluation replaces playouts by an evaluation of the new
    node.
    """
    from zermelo.drawing.drawing import drawing_of, format_of_path, write_drawing
    from zermelo.drawing.options import Options, parse_page
    from zermelo.errors import TreeError
    from zermelo.teaching.tree.playouts import PlayoutTrace

    if as_json and output is not None:
        raise TreeError("mcts: --json prints the steps; it cannot be combined with -o")
    options = Options(
        max_nodes=max_nodes, states=states, step=step, boards=boards or board_size is not None, board_size=board_size,
        direction=direction, fit=None if fit is None else parse_page(fit),
    )  # fmt: skip
    kind = "text" if output is None else format_of_path(output)
    cls = arguments.load(game)
    *history, state = arguments.game_so_far(cls, position, moves)
    with arguments.blaming(cls), screen.Progress("mcts, interpreted", compiles=False):
        trace = PlayoutTrace(state, simulations, seed, evaluation, history)
    if as_json:
        steps = [{**entry._asdict(), "node": trace.tree.nodes[entry.node].id} for entry in trace.steps]
        print_json({"simulations": trace.simulations, "best": trace.best, "steps": steps})
        return
    drawing = drawing_of(trace, options)
    if output is None:
        tree_draw.show_text(drawing)
    else:
        write_drawing(output, drawing.render(kind))
