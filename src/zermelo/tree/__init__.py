"""Game trees written out: read, sown, grown from a game; searched by the textbook, every step kept.

from zermelo import tree

trace = tree.trace(tree.read("[[3,12,8],[2,4,6],[14,5,2]]"))
trace.value                             # 3
[node.id for node in trace.pruned]      # ['c2', 'c3']
"""

from zermelo.tree.convention import Convention
from zermelo.tree.grown import Grown, grown
from zermelo.tree.node import Node, Tree
from zermelo.tree.orders import by_depth, compare
from zermelo.tree.reading import as_data, brackets, read
from zermelo.tree.sown import sown
from zermelo.tree.trace import Cut, Picture, Step, Trace, trace
from zermelo.tree.words import said_of, why

__all__ = [
    "Convention",
    "Cut",
    "Grown",
    "Node",
    "Picture",
    "Step",
    "Trace",
    "Tree",
    "as_data",
    "brackets",
    "by_depth",
    "compare",
    "grown",
    "read",
    "said_of",
    "sown",
    "trace",
    "why",
]
