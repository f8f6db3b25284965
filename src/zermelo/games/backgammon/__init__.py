"""Backgammon: rules, checkers as bitboards (`points`), notation, GNU Backgammon IDs, evaluations, bear-off table."""

from zermelo.games.backgammon.rules import Backgammon

__all__ = ["Backgammon"]
