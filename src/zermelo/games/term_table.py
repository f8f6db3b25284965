"""Tables of evaluation terms: name, weights, counting method and meaning of each term in one row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class TermRow(NamedTuple):
    """One term of an evaluation.

    An evaluation counts its terms in the order of its table: `Linear.counts` returns one number for each row.
    """

    #: The name that `zermelo explain` shows.
    name: str
    #: One weight, or one for each phase of the game (middlegame, endgame).
    weights: tuple[int, ...]
    #: The method of the evaluation that counts the term.
    counted_by: str
    #: What is counted, for one side.
    meaning: str


def names(table: Iterable[TermRow]) -> tuple[str, ...]:
    """Return the names of the terms, in order."""
    return tuple(row.name for row in table)


def weights(table: Iterable[TermRow]) -> tuple[int, ...]:
    """Return the weights of a table with one weight for each term."""
    return tuple(row.weights[0] for row in table)


def phase_weights(table: Iterable[TermRow]) -> tuple[tuple[int, ...], ...]:
    """Return the weights as one tuple for each phase of the game."""
    return tuple(zip(*(row.weights for row in table), strict=True))
