"""Othello: rules and notation, boards of other sizes, disc flipping (`flips`), evaluations, and an endgame solver."""

from zermelo.games.othello.boards import Othello6, Othello10
from zermelo.games.othello.evaluations import PASS
from zermelo.games.othello.rules import Othello

__all__ = ["PASS", "Othello", "Othello6", "Othello10"]
