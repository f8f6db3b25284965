"""`zermelo tree why`: explains in sentences why a tree or position has its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, tree_source

if TYPE_CHECKING:
    from zermelo.teaching.tree.trace import Trace


def why(
    tree: tree_source.TreeOrGame,
    position: arguments.Position = "",
    moves: arguments.Moves = "",
    depth: tree_source.Depth = None,
    evaluation: arguments.EvaluationName = None,
    convention: tree_source.ConventionWords = "",
    node: Annotated[
        str, typer.Option(metavar="ID", help="Explain this node only: its name, or the moves that lead to it.")
    ] = "",
    most: Annotated[int, typer.Option("--cuts", min=0, metavar="N", help="Number of cutoffs to explain.")] = 20,
    as_json: arguments.Json = False,
) -> None:
    """Explain why the best move is best, what refutes the others, and each cutoff.

    For a GAME, searches the game tree of the position to --depth. Leaves are valued by --evaluation, in its units; a
    win or loss is named in parentheses.
    """
    trace = tree_source.trace_of(tree, position, moves, depth, evaluation, convention)
    if node:
        _print_node(trace, node, as_json)
    elif as_json:
        print_json(_as_json(trace))
    else:
        _print(trace, most)


def _print(trace: Trace, most: int) -> None:
    from rich.text import Text

    from zermelo import formatting
    from zermelo.cli import screen
    from zermelo.teaching.tree.narration import explain_cut, explain_moves, explain_outcome

    out = screen.console()
    if trace.tree.root.state:
        out.block(str(trace.tree.root.state))
        out.print()
    out.print(Text(explain_outcome(trace), "bold"))
    for sentence in explain_moves(trace):
        out.print(f"  {sentence}")
    cuts = [cut for _, cut in trace.final_cuts]
    if cuts and most:
        out.print()
        for cut in cuts[:most]:
            out.print(f"  {explain_cut(trace, cut)}")
        if len(cuts) > most:
            out.print(f"  ... and {formatting.plural(len(cuts) - most, 'more cut')}; --cuts N shows N of them")


def _print_node(trace: Trace, id: str, as_json: bool) -> None:
    from zermelo.teaching.tree.narration import explain_node

    node = trace.tree[id]
    sentences = explain_node(trace, node)
    if as_json:
        print_json({"node": id, "visited": trace.record(node).is_visited, "why": sentences})
        return
    for sentence in sentences:
        print_line(sentence)


def _as_json(trace: Trace) -> dict[str, Any]:
    from zermelo.teaching.tree.narration import explain_cut, explain_move, explain_outcome
    from zermelo.teaching.tree.numbers import as_json

    nodes = trace.tree.nodes
    return {
        "value": as_json(trace.value),
        "best": None if trace.best is None else trace.tree.move_name(nodes[trace.best]),
        "line": [trace.tree.move_name(node) for node in trace.line],
        "why": explain_outcome(trace),
        "moves": [
            {
                "move": trace.tree.move_name(node),
                "node": node.id,
                "visited": trace.record(node).is_visited,
                "value": as_json(trace.record(node).returned),
                "why": explain_move(trace, node),
            }
            for node in trace.tree.children(trace.tree.root)
            if not trace.records[0].is_cutoff
        ],
        "cuts": [
            {
                "at": nodes[cut.node].id,
                "after": nodes[cut.after].id,
                "pruned": [nodes[child].id for child in cut.pruned],
                "reason": cut.reason,
                "why": explain_cut(trace, cut),
            }
            for cut in (cut for _, cut in trace.final_cuts)
        ],
    }
