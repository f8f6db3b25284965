"""`zermelo explain`."""

from __future__ import annotations

from zermelo.cli.given import Game


def explain(game: Game) -> None:
    """What an evaluation says of a position, term by term."""
    raise NotImplementedError
