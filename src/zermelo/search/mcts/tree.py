"""The memory of a compiled search tree: nodes as rows of a flat array, and the counters of its search.

A node is eight 64-bit words, one cache line; node 0 is the root. The children of a node lie side by side.

    word 0  move               word 4  visits
         1  weight                  5  total     sum of rewards
         2  first child             6  lower     bounds of the reward
         3  children, 0: none yet   7  upper

`weight` is that of an outcome after a chance node, elsewhere the move's progressive bias.

Where a search counts all moves as first (AMAF), the array has two more words a node behind all rows: the number of
simulations that have played the node's move later, and the sum of their rewards.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from zermelo.core.game import MOST_MOVES_IN_ANY_ORDER
from zermelo.core.hints import inline
from zermelo.core.record import Record, Words, words
from zermelo.errors import LimitError
from zermelo.search.context import PLIES

Nodes: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

NODE = 8  # words
MOVE, WEIGHT, FIRST, CHILDREN, VISITS, TOTAL, LOWER, UPPER = range(NODE)
NODE_BYTES = 8 * NODE
AMAF = 2  # words
AMAF_VISITS, AMAF_TOTAL = range(AMAF)


class TreeContext(Record):
    """The counters and settings of one tree."""

    size: int  # nodes in use
    capacity: int  # nodes that fit
    seed: int
    draws: int  # random numbers drawn
    playout_plies: int  # random moves before the evaluation
    exploration: int  # constants of `uct`, in thousandths
    bias_weight: int
    rave: int  # equivalence parameter of `rave`; 0: moves are not counted as first
    amaf: int  # offset of the words of AMAF
    playout_moves: int  # random moves played
    longest: int  # length of the longest path
    results: int  # playouts, the sum of their results in thousandths of the largest reward, and of the squares
    result_sum: int
    square_sum: int
    score_sum: int  # of the sizes of all evaluations, and their number
    score_count: int
    path: Words = words(PLIES)  # offsets of the nodes from the root to the leaf
    sides: Words = words(PLIES)  # who moves in each of them
    first: Words = words(MOST_MOVES_IN_ANY_ORDER)  # the side that plays each move first in a simulation, or 0


def new_nodes(size: int) -> Nodes:
    """Memory of `size` bytes for nodes, at least one. Raises `LimitError` if it does not fit into memory."""
    try:
        return np.zeros(max(size // NODE_BYTES, 1) * NODE, np.int64)
    except MemoryError:
        raise LimitError(f"a tree of {size:,} bytes does not fit into this machine's memory") from None


@inline
def add_node(nodes: Nodes, at: int, move: int, weight: int, upper: int) -> None:
    """Write a new node at an offset."""
    nodes[at + MOVE] = move
    nodes[at + WEIGHT] = weight
    nodes[at + FIRST] = 0
    nodes[at + CHILDREN] = 0
    nodes[at + VISITS] = 0
    nodes[at + TOTAL] = 0
    nodes[at + LOWER] = 0
    nodes[at + UPPER] = upper


@inline
def amaf_of(at: int, tree: TreeContext) -> int:
    """The offset of the words of AMAF of the node at an offset."""
    return tree.amaf + at // NODE * AMAF


def copy_subtree(nodes: Nodes, at: int, copied: Nodes, tree: TreeContext) -> int:
    """Copy the subtree of the node at an offset to the front of empty memory of the same size; returns its nodes.

    Breadth first, as in C. J. Cheney, "A Nonrecursive List Compacting Algorithm", Communications of the ACM 13, 1970.
    """
    for word in range(NODE):
        copied[word] = nodes[at + word]
    if tree.rave > 0:
        for word in range(AMAF):
            copied[amaf_of(0, tree) + word] = nodes[amaf_of(at, tree) + word]
    size = 1
    done = 0
    while done < size:
        here = done * NODE
        count = copied[here + CHILDREN]
        if count > 0:
            first = copied[here + FIRST]
            for word in range(count * NODE):
                copied[size * NODE + word] = nodes[first + word]
            if tree.rave > 0:
                for word in range(count * AMAF):
                    copied[amaf_of(size * NODE, tree) + word] = nodes[amaf_of(first, tree) + word]
            copied[here + FIRST] = size * NODE
            size += count
        done += 1
    return size
