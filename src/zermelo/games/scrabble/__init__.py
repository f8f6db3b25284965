"""Scrabble for two: rules, notation, plays from a word graph, leaves, the end of the game."""

from zermelo.games.scrabble.endgame import Endgame
from zermelo.games.scrabble.rules import Scrabble

__all__ = ["Endgame", "Scrabble"]
