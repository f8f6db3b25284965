"""Backgammon: rules, checkers as bitboards (`points`), notation, GNU Backgammon IDs, evaluations, tables for races."""

from zermelo.games.backgammon.rules import Backgammon

__all__ = ["Backgammon"]
