"""Exercises on trees: set, printed, graded; and programs that search, checked."""
