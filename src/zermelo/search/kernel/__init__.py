"""The compiled search: one recursive alpha-beta function (`search.py`) and its parts, one idea a file."""
