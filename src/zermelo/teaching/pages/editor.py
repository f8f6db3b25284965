"""`editor`: the tree editor as one HTML page, which searches the tree again after each change."""

from __future__ import annotations

from zermelo.errors import TreeError
from zermelo.teaching.pages.bundle import render_page
from zermelo.teaching.pages.tree_data import MAX_DEPTH, MAX_NODES, tree_data
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.node import Tree


def editor(tree: Tree, convention: Convention | None = None) -> str:
    """Render the editor of a tree.

    Parameters
    ----------
    tree : Tree
        The tree that the page opens with, at most 500 nodes and 30 plies deep. Texts of positions are left out.
    convention : Convention, optional
        How the page searches it at first.

    Returns
    -------
    str
        The page. It loads no other file and makes no connection.

    Raises
    ------
    TreeError
        If the tree is too large.

    Examples
    --------
    >>> from zermelo.teaching.tree import read
    >>> editor(read("[[3,12,8],[2,4,6],[14,5,2]]")).splitlines()[0]
    '<!DOCTYPE html>'
    """
    if len(tree) > MAX_NODES or tree.depth > MAX_DEPTH:
        raise TreeError(
            f"the tree is too large to edit ({len(tree):,} nodes, depth {tree.depth}); the limits are {MAX_NODES} "
            f"nodes and depth {MAX_DEPTH}"
        )
    data = {"name": tree.name, "tree": tree_data(tree), "convention": vars(convention or Convention())}
    return render_page(
        "editor.html", "editor_page", data, title=f"Tree editor: {tree.name}" if tree.name else "Tree editor"
    )
