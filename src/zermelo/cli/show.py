"""`zermelo show`."""

from __future__ import annotations

from zermelo.cli.given import Game


def show(game: Game) -> None:
    """A position drawn."""
    raise NotImplementedError
