"""What the user gives of a tree: the tree itself in one of several forms, and how it is to be searched."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from zermelo.cli import arguments as given
from zermelo.errors import FileError, TreeError
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import quoted

TreeText = Annotated[str, typer.Argument(metavar="TREE", hidden=True)]
ConventionWords = Annotated[
    str,
    typer.Option(
        "--convention",
        metavar="WORDS",
        help="How it is searched and told, words in any order: alphabeta, minimax, negamax, expectiminimax; fail-soft, "
        "fail-hard, path; equal, strict; inherited, own, interval.",
    ),
]
Depth = Annotated[
    int | None, typer.Option(min=0, metavar="PLIES", help="Search so deep only; inner nodes count as their evaluation.")
]
Json = given.Json


_LEAF = re.compile(r"\s*(\w+=)?([-+−]?\d+([./]\d+)?|\?)\s*")  # a tree of one node


def tree(text: str) -> Tree:
    """The tree that a text stands for: brackets, JSON, a file, `-` or a lecture's case. Raises `TreeError`."""
    from zermelo.teaching.tree.parsing import read

    if text == "-":
        return read(_text(sys.stdin.buffer, "standard input"))
    begin = text.lstrip()[:1]
    if begin in ("[", "{", ":", "") or "[" in text or "\n" in text or _LEAF.fullmatch(text):
        return read(text)
    path = Path(text)
    # Not the path's own is_file: that fails for a name which is longer than a name can be.
    if os.path.exists(path) and not os.path.isdir(path):
        return read(contents(path), path.stem)
    if path.suffix or "/" in text:
        said = text[:200] if text.isprintable() else quoted(text)
        raise TreeError(
            f"{said}: {'a folder' if os.path.isdir(path) else 'no such file'}; a tree is text, a file or a case"
        )
    from zermelo.teaching.lectures.cases import tree_of

    return tree_of(text)


def contents(path: Path) -> str:
    """The text of a file. Raises `TreeError` where it cannot be read, is too long, or is no text."""
    try:
        with path.open("rb") as file:
            return _text(file, str(path))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _text(file: BinaryIO, source: str) -> str:
    from zermelo.teaching.tree.parsing import LONGEST

    read = file.read(LONGEST + 1)
    if len(read) > LONGEST:
        raise TreeError(f"{source}: more than {LONGEST:,} bytes, which are the most that is read")
    try:
        return read.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TreeError(f"{source}: byte {error.start} is no UTF-8; a tree is text") from None
