"""Othello: rules and notation, disc flipping (`flips`), evaluations, and an exact endgame solver."""

from zermelo.games.othello.evaluations import PASS
from zermelo.games.othello.rules import Othello

__all__ = ["PASS", "Othello"]
