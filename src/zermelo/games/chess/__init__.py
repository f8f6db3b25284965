"""Chess: rules, attack generation, notation (FEN, SAN, UCI), static exchange evaluation and evaluations."""

from zermelo.games.chess.rules import Chess

__all__ = ["Chess"]
