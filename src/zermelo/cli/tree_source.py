"""Arguments of the tree commands: a tree, or a position of a game whose game tree is built; and how to search it."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from zermelo.cli import arguments, screen
from zermelo.core.game import State
from zermelo.errors import FileError, TreeError
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import quote_value

if TYPE_CHECKING:
    from zermelo.teaching.tree.trace import Trace

TreeText = Annotated[str, typer.Argument(metavar="TREE", hidden=True)]
TreeOrGame = Annotated[str, typer.Argument(metavar="TREE|GAME", hidden=True)]
ConventionWords = Annotated[
    str,
    typer.Option(
        "--convention",
        metavar="WORDS",
        help="Algorithm and conventions, in any order: alphabeta, minimax, negamax, expectiminimax; fail-soft, "
        "fail-hard, path; equal, strict; inherited, own, interval.",
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="PLIES",
        help="Depth limit of the search; inner nodes there are evaluated. For a GAME: depth of its tree, default 2.",
    ),
]

#: Default depth of a game tree in plies.
DEFAULT_DEPTH = 2

_LEAF = re.compile(r"\s*(\w+=)?([-+−]?\d+([./]\d+)?|\?)\s*")  # a tree of one node


def state_of(source: str, position: str, moves: str) -> State | None:
    """State to build the game tree of, or None if `source` is a tree.

    Raises `TreeError` for a position or moves beside a tree.
    """
    from zermelo import registry

    path, _, _ = source.rpartition(":")
    if source in registry.names() or source.endswith(".py") or path.endswith(".py"):
        return arguments.position(arguments.load(source), position, moves)
    if position or moves:
        raise TreeError(f"POSITION and --moves need a GAME, not the tree {source[:40]!r}")
    return None


def read_tree(source: str) -> Tree:
    """Read a tree from brackets, JSON, a file, `-` (standard input), or a lecture's case. Raises `TreeError`."""
    from zermelo.teaching.tree.parsing import read

    if source == "-":
        return read(_decoded(sys.stdin.buffer, "standard input"))
    begin = source.lstrip()[:1]
    if begin in ("[", "{", ":", "") or "[" in source or "\n" in source or _LEAF.fullmatch(source):
        return read(source)
    path = Path(source)
    # os.path.exists, because Path.is_file raises for a name that is too long.
    if os.path.exists(path) and not os.path.isdir(path):
        return read(read_text(path), path.stem)
    if path.suffix or "/" in source:
        name = source[:200] if source.isprintable() else quote_value(source)
        raise TreeError(f"{'not a file' if os.path.isdir(path) else 'file not found'}: {name}")
    from zermelo.teaching.lectures.cases import tree_of

    return tree_of(source)


def game_tree_of(state: State, depth: int | None, evaluation: str | None) -> Tree:
    """Game tree of a state to a depth, 2 plies by default."""
    from zermelo.teaching.tree import game_tree

    with arguments.blaming(type(state)), screen.Progress("building the game tree", compiles=False):
        return game_tree(state, DEFAULT_DEPTH if depth is None else depth, evaluation)


def trace_of(
    source: str, position: str, moves: str, depth: int | None, evaluation: str | None, convention: str, **window: Any
) -> Trace:
    """Trace of the search of a tree, or of a position's game tree."""
    from zermelo.teaching.tree.trace import trace

    state = state_of(source, position, moves)
    if state is not None:
        return trace(game_tree_of(state, depth, evaluation), convention, **window)
    if evaluation is not None:
        raise TreeError("--evaluation needs a GAME; the nodes of a tree have values of their own")
    return trace(read_tree(source), convention, depth=depth, **window)


def read_text(path: Path) -> str:
    """Content of a text file. Raises `FileError` if it cannot be read, `TreeError` if it is too long or not UTF-8."""
    try:
        with path.open("rb") as file:
            return _decoded(file, str(path))
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _decoded(file: BinaryIO, name: str) -> str:
    from zermelo.teaching.tree.parsing import MAX_LENGTH

    content = file.read(MAX_LENGTH + 1)
    if len(content) > MAX_LENGTH:
        raise TreeError(f"{name}: larger than {MAX_LENGTH:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TreeError(f"{name}: not UTF-8 text (byte {error.start})") from None
