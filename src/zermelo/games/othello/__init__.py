"""Othello: rules and notation (`rules`), evaluations (`evaluations`), exact small endings (`endgame`)."""

from zermelo.games.othello.evaluations import PASS
from zermelo.games.othello.rules import Othello

__all__ = ["PASS", "Othello"]
