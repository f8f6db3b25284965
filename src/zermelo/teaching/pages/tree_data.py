"""`tree_data`: a tree as the scripts of pages read it, and their limits of size."""

from __future__ import annotations

from typing import Any

from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.parsing import to_dict

#: Size limits of a tree on a page (nodes, plies), also in `scripts/tree.js`: larger trees cannot be edited by hand.
MAX_NODES, MAX_DEPTH = 500, 30


def tree_data(tree: Tree) -> dict[str, Any]:
    """The tree as nested data for JSON, without the texts of positions."""
    return to_dict(Tree([node._replace(state="", transposition_of=node.index) for node in tree], tree.name))
