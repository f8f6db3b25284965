"""Chess: rules (`rules`), what pieces attack (`attacks`), texts (`notation`), evaluations (`evaluations`)."""

from zermelo.games.chess.rules import Chess

__all__ = ["Chess"]
