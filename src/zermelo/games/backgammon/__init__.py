"""Backgammon: rules (`rules`), a side's checkers in two words (`points`), texts (`notation`)."""

from zermelo.games.backgammon.rules import Backgammon

__all__ = ["Backgammon"]
