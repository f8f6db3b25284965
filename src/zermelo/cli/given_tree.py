"""What the user gives of a tree: the tree itself in one of several forms, and how it is to be searched."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from zermelo.errors import TreeError
from zermelo.tree.node import Tree

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
Json = Annotated[bool, typer.Option("--json", help="JSON and nothing else on standard output.")]


def tree(text: str) -> Tree:
    """The tree that a text stands for: brackets, JSON, a file, `-` or a lecture's case. Raises `TreeError`."""
    from zermelo.tree.reading import read

    if text == "-":
        return read(_decoded(sys.stdin.buffer.read(), "standard input"))
    begin = text.lstrip()[:1]
    if begin in ("[", "{", ":", "") or "[" in text or "\n" in text:
        return read(text)
    path = Path(text)
    if path.is_file():
        return read(contents(path), path.stem)
    if path.suffix or "/" in text:
        raise TreeError(f"{text[:200]}: {'a folder' if path.is_dir() else 'no such file'}; a tree is text, a file or a case")
    from zermelo.lectures.cases import tree_of

    return tree_of(text)


def contents(path: Path) -> str:
    """The text of a file. Raises `TreeError` where it cannot be read, is too long, or is no text."""
    from zermelo.tree.reading import LONGEST

    try:
        if path.stat().st_size > LONGEST:
            raise TreeError(f"{path}: {path.stat().st_size:,} bytes; {LONGEST:,} are the most that is read")
        return _decoded(path.read_bytes(), str(path))
    except OSError as error:
        raise TreeError(f"{path}: {error.strerror or error}") from None


def _decoded(read: bytes, source: str) -> str:
    try:
        return read.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TreeError(f"{source}: byte {error.start} is no UTF-8; a tree is text") from None
