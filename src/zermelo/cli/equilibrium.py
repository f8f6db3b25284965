"""`zermelo equilibrium`."""

from __future__ import annotations

from zermelo.cli.given import Game


def equilibrium(game: Game) -> None:
    """A small game of imperfect information solved."""
    raise NotImplementedError
