"""Searching any game: the textbook algorithms and the compiled engine."""
