"""Go on boards of 2 x 2 to 19 x 19: rules, notation and playouts."""

from zermelo.games.go.rules import Go, Go19

__all__ = ["Go", "Go19"]
