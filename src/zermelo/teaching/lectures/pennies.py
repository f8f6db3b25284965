"""The pennies game of lecture 001: the generated tree, its states, and other numbers of pennies."""

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
    """The whole game tree for this number of pennies, MAX to move."""
    return game_tree(Pennies.of([size]), size)


def piles_of(tree: GameTree, id: str) -> str:
    """The piles at a node of the tree: `5-1-1`."""
    state: Any = tree.root_state if id == tree.root.id else tree.root_state.after(id)
    return "-".join(map(str, state.piles()))


def checks(case: Case) -> Iterator[Check]:
    """Compare the generated tree with the case's tree, and check values of states and other numbers of pennies."""
    written, own = case.tree, tree()
    written_rows, own_rows = (
        [[node.parent, node.player, as_json(node.value), state] for node, state in zip(nodes, states, strict=True)]
        for nodes, states in (
            (written, [node.state for node in written]),
            (own, [piles_of(own, node.id) for node in own]),
        )
    )
    yield compared("tree generated from the rules: parents, players, values, piles", written_rows, own_rows)
    yield compared("moves", [node.move for node in written], [node.move for node in own])
    states = {piles_of(own, node.id) for node in own}
    yield compared("distinct states", sorted(case.data["distinct_states"]), sorted(states))
    transpositions = len({node.transposition_of for node in own})
    yield compared("number of distinct states, by the transpositions in the tree", 14, transpositions)
    values = {}
    for piles in case.data["state_values"]:
        state: State = Pennies.parse(piles)
        is_loss = alphabeta(state).value != state.to_move()
        values[piles] = "loss" if is_loss else "win"
    yield compared("win or loss for the side to move", case.data["state_values"], values)
    result = alphabeta(Pennies.of([7]))
    yield claimed("B can always force a win", -1, result.value, result.value == -MAX, "right")
    sizes = {str(size): [winning([size]), longest(size) + 1] for size in range(3, 16)}
    yield compared("other sizes: first player wins, number of rows", case.data["other_sizes"], sizes)
    searched = {str(size): alphabeta(Pennies.of([size])).value == MAX for size in range(3, 11)}
    yield compared(
        "first player wins, by search, 3 to 10",
        {size: won for size, (won, _) in sizes.items() if size in searched},
        searched,
    )
    six = [size for size, (won, levels) in sizes.items() if levels == 6 and not won]
    yield compared("number of pennies with six rows and a loss for A", ["7"], six)


def longest(size: int) -> int:
    """Maximum length in moves of a game with this number of pennies."""
    return len(rows(Pennies.of([size]))) - 1
