"""Solvers for games of imperfect information."""
