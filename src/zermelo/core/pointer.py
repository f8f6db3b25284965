"""Bare memory: an array handed to recursive compiled code as one address instead of a whole descriptor."""

from __future__ import annotations

from typing import Any


def bare(array: Any) -> Any:
    """The array as its bare memory, indexed alike; the caller keeps the array alive.

    Interpreted, it is the array itself. In compiled code it is the address alone: a function that calls itself
    then passes one word where the array's descriptor takes seven, which makes a search a third faster. Under
    `NUMBA_BOUNDSCHECK=1` it stays the array there too, so that every index is checked.
    """
    return array
