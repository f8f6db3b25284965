"""`zermelo tree edit`: writes a page in which a tree can be changed and its search watched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from zermelo.cli import tree_source

#: The tree of the page if none is given.
EXAMPLE = "[[3,12,8],[2,4,6],[14,5,2]]"


def edit(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Output file (HTML).")],
    tree: tree_source.TreeText = EXAMPLE,
    convention: tree_source.ConventionWords = "",
) -> None:
    """Write an HTML page that edits a tree: change it and its convention, watch the cutoffs.

    The default TREE is an example of AIMA with 9 leaves. The page works without a server.
    """
    from zermelo._util.atomic_files import write
    from zermelo.teaching.pages.editor import editor
    from zermelo.teaching.tree.convention import Convention

    write(output, editor(tree_source.read_tree(tree), Convention.of(convention)))
