"""The pennies of lecture 001: the tree grown from the game, its states, and other numbers of pennies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zermelo.core.game import MAX, State
from zermelo.games.pennies import Pennies, winning
from zermelo.search.textbook import alphabeta
from zermelo.teaching.lectures.cases import Case
from zermelo.teaching.lectures.checks import Check, claimed, compared
from zermelo.teaching.lectures.positions import rows
from zermelo.teaching.tree.game_trees import GameTree, game_tree
from zermelo.teaching.tree.numbers import as_json


def tree(size: int = 7) -> GameTree:
    """The whole tree of so many pennies, MAX to begin."""
    return game_tree(Pennies.of([size]), size)


def piles_of(tree: GameTree, id: str) -> str:
    """The piles at a node of a grown tree: `5-1-1`."""
    state: Any = tree.root_state if id == tree.root.id else tree.root_state.after(id)
    return "-".join(map(str, state.piles()))


def checks(case: Case) -> Iterator[Check]:
    """The tree of the game beside the case's; which states are won; who wins with other numbers of pennies."""
    written, own = case.tree, tree()
    written_rows, own_rows = (
        [[node.parent, node.player, as_json(node.value), state] for node, state in zip(nodes, states, strict=True)]
        for nodes, states in (
            (written, [node.state for node in written]),
            (own, [piles_of(own, node.id) for node in own]),
        )
    )
    yield compared("the tree grown from the game: parents, players, values, piles", written_rows, own_rows)
    yield compared("moves", [node.move for node in written], [node.move for node in own])
    states = {piles_of(own, node.id) for node in own}
    yield compared("distinct states", sorted(case.data["distinct_states"]), sorted(states))
    twins = len({node.transposition_of for node in own})
    yield compared("distinct states, as the transpositions marked in the tree have it", 14, twins)
    values = {}
    for piles in case.data["state_values"]:
        state: State = Pennies.parse(piles)
        lost = alphabeta(state).value != state.to_move()
        values[piles] = "loss" if lost else "win"
    yield compared("won or lost for the side to move", case.data["state_values"], values)
    whole = alphabeta(Pennies.of([7]))
    yield claimed("B can always force a win", -1, whole.value, whole.value == -MAX, "right")
    sizes = {str(size): [winning([size]), longest(size) + 1] for size in range(3, 16)}
    yield compared("other sizes: does the first player win, and how many rows", case.data["other_sizes"], sizes)
    searched = {str(size): alphabeta(Pennies.of([size])).value == MAX for size in range(3, 11)}
    yield compared(
        "the same by search, 3 to 10", {size: won for size, (won, _) in sizes.items() if size in searched}, searched
    )
    six = [size for size, (won, levels) in sizes.items() if levels == 6 and not won]
    yield compared("six rows and lost for A: the number of pennies", ["7"], six)


def longest(size: int) -> int:
    """The most moves that a game with so many pennies can last."""
    return len(rows(Pennies.of([size]))) - 1
