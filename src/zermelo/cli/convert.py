"""`zermelo convert`."""

from __future__ import annotations

from zermelo.cli.given import Game


def convert(game: Game) -> None:
    """Texts and files of a game from one format to another."""
    raise NotImplementedError
