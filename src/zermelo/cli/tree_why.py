"""`zermelo tree why`: why a tree, or a game's position, is worth what it is, in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo.cli import arguments as given
from zermelo.cli import tree_arguments as given_tree
from zermelo.cli import tree_or_game

if TYPE_CHECKING:
    from zermelo.teaching.tree.trace import Trace

#: How deep a game's tree is grown if nothing is said.
USUAL_DEPTH = 2


def why(
    tree: tree_or_game.TreeText = "",
    game: tree_or_game.Game = "",
    position: tree_or_game.Position = "",
    moves: given.Moves = "",
    depth: given_tree.Depth = None,
    evaluation: given.EvaluationName = None,
    convention: given_tree.ConventionWords = "",
    node: Annotated[str, typer.Option(metavar="ID", help="Of this node only: a name, or a game's line of moves.")] = "",
    most: Annotated[int, typer.Option("--cuts", min=0, metavar="N", help="Tell so many of the cuts.")] = 20,
    as_json: given_tree.Json = False,
) -> None:
    """Tell why the best move is best and what refutes the others, and each cut; of a tree or of a game's position.

    A game's tree is grown to the depth, 2 if none is given; its states there are worth their evaluation, or else 0.
    """
    told = _searched(tree, game, position, moves, depth, evaluation, convention)
    if node:
        _tell_node(told, node, as_json)
    elif as_json:
        print(json.dumps(_as_json(told)))
    else:
        _tell(told, most)


def _searched(
    text: str, game: str, position: str, moves: str, depth: int | None, evaluation: str | None, convention: str
) -> Trace:
    from zermelo.cli import screen
    from zermelo.errors import TreeError
    from zermelo.teaching.tree import game_tree
    from zermelo.teaching.tree.trace import trace

    state = tree_or_game.state(text, game, position, moves)
    if state is None:
        if evaluation is not None:
            raise TreeError("--evaluation is a game's; the nodes of a tree carry their own")
        return trace(given_tree.tree(text), convention, depth=depth)
    with given.blaming(type(state)), screen.Progress("growing the tree", compiles=False):
        return trace(game_tree(state, USUAL_DEPTH if depth is None else depth, evaluation), convention)


def _tell(told: Trace, most: int) -> None:
    from rich.text import Text

    from zermelo.cli import formatting as words
    from zermelo.cli import screen
    from zermelo.teaching.tree.narration import why_cut, why_moves, why_outcome

    out = screen.console()
    if told.tree.root.state:
        out.print(told.tree.root.state)
        out.print()
    out.print(Text(why_outcome(told), "bold"))
    for sentence in why_moves(told):
        out.print(f"  {sentence}")
    if told.cuts and most:
        out.print()
        for cut in told.cuts[:most]:
            out.print(f"  {why_cut(told, cut)}")
        if len(told.cuts) > most:
            out.print(f"  ... and {words.plural(len(told.cuts) - most, 'more cut')}; --cuts N tells N of them")


def _tell_node(told: Trace, id: str, as_json: bool) -> None:
    from zermelo.teaching.tree.narration import why_node

    node = told.tree[id]
    sentences = why_node(told, node)
    if as_json:
        print(json.dumps({"node": id, "visited": told.picture(node).is_visited, "why": sentences}))
        return
    for sentence in sentences:
        print(sentence)


def _as_json(told: Trace) -> dict[str, Any]:
    from zermelo.teaching.tree.narration import why_cut, why_move, why_outcome
    from zermelo.teaching.tree.numbers import as_json

    nodes = told.tree.nodes
    return {
        "value": as_json(told.value),
        "best": None if told.best is None else told.tree.arc(nodes[told.best]),
        "line": [told.tree.arc(node) for node in told.line],
        "why": why_outcome(told),
        "moves": [
            {
                "move": told.tree.arc(node),
                "node": node.id,
                "visited": told.picture(node).is_visited,
                "value": as_json(told.picture(node).returned),
                "why": why_move(told, node),
            }
            for node in told.tree.children(told.tree.root)
            if not told.pictures[0].is_cutoff
        ],
        "cuts": [
            {
                "at": nodes[cut.node].id,
                "after": nodes[cut.after].id,
                "pruned": [nodes[child].id for child in cut.pruned],
                "reason": cut.reason,
                "why": why_cut(told, cut),
            }
            for cut in told.cuts
        ],
    }
