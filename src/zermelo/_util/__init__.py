"""Helpers without knowledge of games: files, text, interrupts."""
