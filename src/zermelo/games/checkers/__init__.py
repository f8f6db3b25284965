"""Checkers: rules (`rules`), the board's bits (`squares`), texts (`notation`), evaluations (`evaluations`)."""

from zermelo.games.checkers.rules import Checkers

__all__ = ["Checkers"]
