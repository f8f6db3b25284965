"""Game trees: from text, from a random seed or of a position; searched step by step by the textbook algorithms.

Examples
--------
>>> from zermelo.teaching import tree
>>> trace = tree.trace("[[3,12,8],[2,4,6],[14,5,2]]")
>>> trace.value
3
>>> [node.id for node in trace.pruned]
['c2', 'c3']
"""

from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.game_trees import GameTree, game_tree
from zermelo.teaching.tree.move_orders import Comparison, compare_orders, count_by_depth
from zermelo.teaching.tree.narration import describe_step, explain
from zermelo.teaching.tree.node import Node, Tree
from zermelo.teaching.tree.parsing import read, to_brackets, to_dict
from zermelo.teaching.tree.playouts import PlayoutStep, PlayoutTrace
from zermelo.teaching.tree.random_trees import random_tree
from zermelo.teaching.tree.trace import Cut, Iteration, NodeRecord, Step, Trace, trace

__all__ = [
    "Comparison",
    "Convention",
    "Cut",
    "GameTree",
    "Iteration",
    "Node",
    "NodeRecord",
    "PlayoutStep",
    "PlayoutTrace",
    "Step",
    "Trace",
    "Tree",
    "compare_orders",
    "count_by_depth",
    "describe_step",
    "explain",
    "game_tree",
    "random_tree",
    "read",
    "to_brackets",
    "to_dict",
    "trace",
]


def __dir__() -> list[str]:
    return __all__
