"""Checkers (English draughts): rules, bitboard geometry (`squares`), notation and evaluations."""

from zermelo.games.checkers.rules import Checkers

__all__ = ["Checkers"]
