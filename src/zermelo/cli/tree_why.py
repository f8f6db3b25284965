"""`zermelo tree why`: explains in sentences why a tree or position has its value."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo.cli import arguments as given
from zermelo.cli import tree_source

if TYPE_CHECKING:
    from zermelo.teaching.tree.trace import Trace


def why(
    tree: tree_source.TreeOrGame,
    position: given.Position = "",
    moves: given.Moves = "",
    depth: tree_source.Depth = None,
    evaluation: given.EvaluationName = None,
    convention: tree_source.ConventionWords = "",
    node: Annotated[
        str, typer.Option(metavar="ID", help="Explain this node only: its name, or the moves that lead to it.")
    ] = "",
    most: Annotated[int, typer.Option("--cuts", min=0, metavar="N", help="Number of cutoffs to explain.")] = 20,
    as_json: given.Json = False,
) -> None:
    """Explain why the best move is best, what refutes the others, and each cutoff.

    For a GAME, builds the game tree of the position to --depth; positions there get their evaluation.
    """
    told = tree_source.trace_of(tree, position, moves, depth, evaluation, convention)
    if node:
        _tell_node(told, node, as_json)
    elif as_json:
        print(json.dumps(_as_json(told)))
    else:
        _tell(told, most)


def _tell(told: Trace, most: int) -> None:
    from rich.text import Text

    from zermelo.cli import formatting as words
    from zermelo.cli import screen
    from zermelo.teaching.tree.narration import explain_cut, explain_moves, explain_outcome

    out = screen.console()
    if told.tree.root.state:
        out.print(told.tree.root.state)
        out.print()
    out.print(Text(explain_outcome(told), "bold"))
    for sentence in explain_moves(told):
        out.print(f"  {sentence}")
    if told.cuts and most:
        out.print()
        for cut in told.cuts[:most]:
            out.print(f"  {explain_cut(told, cut)}")
        if len(told.cuts) > most:
            out.print(f"  ... and {words.plural(len(told.cuts) - most, 'more cut')}; --cuts N shows N of them")


def _tell_node(told: Trace, id: str, as_json: bool) -> None:
    from zermelo.teaching.tree.narration import explain_node

    node = told.tree[id]
    sentences = explain_node(told, node)
    if as_json:
        print(json.dumps({"node": id, "visited": told.record(node).is_visited, "why": sentences}))
        return
    for sentence in sentences:
        print(sentence)


def _as_json(told: Trace) -> dict[str, Any]:
    from zermelo.teaching.tree.narration import explain_cut, explain_move, explain_outcome
    from zermelo.teaching.tree.numbers import as_json

    nodes = told.tree.nodes
    return {
        "value": as_json(told.value),
        "best": None if told.best is None else told.tree.move_name(nodes[told.best]),
        "line": [told.tree.move_name(node) for node in told.line],
        "why": explain_outcome(told),
        "moves": [
            {
                "move": told.tree.move_name(node),
                "node": node.id,
                "visited": told.record(node).is_visited,
                "value": as_json(told.record(node).returned),
                "why": explain_move(told, node),
            }
            for node in told.tree.children(told.tree.root)
            if not told.records[0].is_cutoff
        ],
        "cuts": [
            {
                "at": nodes[cut.node].id,
                "after": nodes[cut.after].id,
                "pruned": [nodes[child].id for child in cut.pruned],
                "reason": cut.reason,
                "why": explain_cut(told, cut),
            }
            for cut in told.cuts
        ],
    }
