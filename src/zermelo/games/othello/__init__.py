"""Othello: rules and notation (`rules`), evaluations (`evaluations`), exact small endings (`endgame`)."""

from zermelo.games.othello.rules import PASS, Othello

__all__ = ["PASS", "Othello"]
