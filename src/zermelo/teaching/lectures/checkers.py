"""The checkers case study of lecture 000: its numbers, and its tree generated from the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from zermelo.core.game import MAX, MIN
from zermelo.games.checkers import Checkers
from zermelo.teaching.lectures.cases import Case
from zermelo.teaching.lectures.checks import Check, compared
from zermelo.teaching.tree.game_trees import GameTree, game_tree
from zermelo.teaching.tree.numbers import as_json
from zermelo.teaching.tree.trace import trace

PLIES = 3


def start(case: Case) -> Checkers:
    """The position of the slides on a rotated board.

    On the slides black's men move towards lower square numbers. The board is rotated by 180 degrees (square 1 becomes
    32), so that they move towards higher numbers as usual. Black is MAX and moves first; red corresponds to white.
    """
    squares = case.data["position"]

    def pieces(side: str) -> str:
        men = [f"{33 - square}" for square in squares[f"{side}_men"]]
        return ",".join(men + [f"K{33 - square}" for square in squares[f"{side}_kings"]])

    return Checkers.parse(f"B:W{pieces('red')}:B{pieces('black')}")


def tree(case: Case) -> GameTree:
    """The game tree of the slides, three plies deep, with the evaluation of the slides."""
    return game_tree(start(case), PLIES, "material")


def as_on_slides(moves: str) -> str:
    """Moves in the notation and on the board of the slides: `20->16 22->17` for `13-17 11-16`."""
    return re.sub("[-x]", "->", re.sub(r"\d+", lambda found: str(33 - int(found[0])), moves))


def checks(case: Case) -> Iterator[Check]:
    """Compare the generated tree with the case's tree, the numbers on slide 64, and the values of all nodes."""
    written, own = case.tree, tree(case)
    names = [written.root.id, *(as_on_slides(node.id) for node in own.nodes[1:])]
    yield compared(
        "tree generated from the rules: names, parents, players, values",
        [[node.id, node.parent, node.player, as_json(node.value)] for node in written],
        [[name, node.parent, node.player, as_json(node.value)] for name, node in zip(names, own, strict=True)],
    )
    levels = {node.depth: node.player for node in own if node.player is not None}
    yield compared("players by ply", [MAX, MIN, MAX], [levels.get(depth) for depth in range(3)])
    minimax = trace(own, "minimax")
    found = sorted(as_json(minimax.record(node).returned) for node in own)  # type: ignore[type-var]
    # The text of the slide has lost their order.
    yield compared("numbers on slide 64, sorted", sorted(case.data["numbers_printed"]), found)
    for convention, values in (
        ("minimax", case.data["minimax"]),
        ("equal fail-soft", case.data["expected"]["equal fail-soft"]["returned"]),
    ):
        traced = trace(own, convention)
        returned = {
            name: as_json(traced.record(node).returned) for name, node in zip(names, own, strict=True) if name in values
        }
        yield compared("values of the nodes in the generated tree", values, returned, convention)
