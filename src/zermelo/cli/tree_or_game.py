"""What commands take that are for a tree, or for the position of a game, of which the tree is then grown."""

from __future__ import annotations

from typing import Annotated

import typer

from zermelo.cli import arguments as given
from zermelo.core.game import State
from zermelo.errors import TreeError

TreeText = Annotated[str, typer.Argument(metavar="[TREE]", hidden=True)]
Game = Annotated[str, typer.Option("--game", metavar="GAME", help="In place of TREE: a game, from `zermelo games`.")]
Position = Annotated[
    str,
    typer.Option("--position", metavar="POSITION", help="The game's position, - reads it; by default the start."),
]


def state(tree: str, game: str, position: str, moves: str) -> State | None:
    """The game's state, None where a tree is given. Raises `TreeError` where both are, or neither is."""
    if bool(tree) == bool(game):
        raise TreeError(
            "a tree or a game: zermelo tree ... '[[3,12],[2,4]]', or --game tictactoe"
            + ("; both were given" if tree else "")
        )
    if not game:
        if position or moves:
            raise TreeError("--position and --moves are a game's; --game says which")
        return None
    return given.position(given.load(game), position, moves)
