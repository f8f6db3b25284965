"""Arguments of the tree commands: a tree, or a position of a game whose game tree is built; and how to search it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo._util.user_files import read_input, read_text
from zermelo.cli import arguments, screen
from zermelo.core.game import State
from zermelo.errors import TreeError

if TYPE_CHECKING:
    from zermelo.teaching.tree.node import Tree
    from zermelo.teaching.tree.trace import Trace

TreeText = Annotated[str, typer.Argument(metavar="TREE", hidden=True)]
TreeOrGame = Annotated[str, typer.Argument(metavar="TREE|GAME", hidden=True)]
ConventionWords = Annotated[
    str,
    typer.Option(
        "--convention",
        metavar="WORDS",
        help="Algorithm and conventions, in any order: alphabeta, minimax, negamax, expectiminimax, star1, star2; pvs, "
        "deepening, aspiration, table, killers, quiescence; fail-soft, fail-hard, path; equal, strict; inherited, own, "
        "interval; a lecture's pseudocode: 000, 002, 003, 004.",
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

Symmetry = Annotated[
    bool,
    typer.Option(
        "--symmetry",
        help="Of the moves to positions equal by a symmetry of the board, take one; show how many it stands for.",
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
    from zermelo.teaching.tree.parsing import MAX_LENGTH, read

    if source == "-":
        return read(read_input(MAX_LENGTH))
    begin = source.lstrip()[:1]
    if begin in ("[", "{", ":", "") or "[" in source or "\n" in source or _LEAF.fullmatch(source):
        return read(source)
    path = Path(source)
    # os.path.exists, because Path.is_file raises for a name that is too long.
    if os.path.exists(path) and not os.path.isdir(path):
        return read(read_text(path, MAX_LENGTH), path.stem)
    if path.suffix or "/" in source:
        from zermelo.teaching.tree.numbers import quote_value

        name = source[:200] if source.isprintable() else quote_value(source)
        raise TreeError(f"{'not a file' if os.path.isdir(path) else 'file not found'}: {name}")
    from zermelo.teaching.lectures.cases import tree_of

    return tree_of(source)


def game_tree_of(
    state: State, depth: int | None, evaluation: str | None, symmetry: bool = False, quiescence: bool = False
) -> Tree:
    """Game tree of a state to a depth, 2 plies by default."""
    from zermelo.teaching.tree import game_tree

    with arguments.blaming(type(state)), screen.Progress("building the game tree", compiles=False):
        plies = DEFAULT_DEPTH if depth is None else depth
        return game_tree(state, plies, evaluation, symmetry=symmetry, quiescence=quiescence)


def tree_of(
    source: str,
    position: str,
    moves: str,
    depth: int | None,
    evaluation: str | None,
    symmetry: bool = False,
    quiescence: bool = False,
) -> Tree:
    """A tree, or the game tree of a position."""
    state = state_of(source, position, moves)
    if state is not None:
        return game_tree_of(state, depth, evaluation, symmetry, quiescence)
    if symmetry:
        raise TreeError("--symmetry needs a GAME; a tree has no board")
    if evaluation is not None:
        raise TreeError("--evaluation needs a GAME; the nodes of a tree have values of their own")
    return read_tree(source)


def trace_of(
    source: str,
    position: str,
    moves: str,
    depth: int | None,
    evaluation: str | None,
    convention: str,
    symmetry: bool = False,
    **window: Any,
) -> Trace:
    """Trace of the search of a tree, or of a position's game tree."""
    from zermelo.teaching.tree.convention import QUIESCENCE, Convention
    from zermelo.teaching.tree.trace import trace

    chosen = Convention.of(convention)
    follows_tactical = QUIESCENCE in chosen.enhancements
    tree = tree_of(source, position, moves, depth, evaluation, symmetry, follows_tactical)
    if tree.positions:  # a game tree ends at the depth, but for quiescence search
        depth = (DEFAULT_DEPTH if depth is None else depth) if follows_tactical else None
    return trace(tree, chosen, depth=depth, **window)
