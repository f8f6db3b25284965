"""Positions as arrays of numbers: what a learning agent observes."""

from __future__ import annotations

from typing import Any

import numpy as np

from zermelo.core.bitboard import Bitboard, WideBitboard
from zermelo.core.game import State
from zermelo.errors import LimitError

#: Bytes of text, in games whose positions are not numbers or not visible.
MAX_TEXT = 2048
_WORD = 64


class Observations:
    """Arrays of integers that describe positions of a game, all of one length.

    The first number is the observer's side: 1 for MAX, -1 for MIN. The others are

    - the fields of the state in order, tuples item by item: a `Bitboard` is 64 numbers 0 or 1 (`Bitboard[n]` n), an
      int or bool is one;
    - in games with hidden information, and those with fields of other types, a text in UTF-8, padded with zeros:
      `str(state)`, or what the observer knows (`information_state`).

    Parameters
    ----------
    cls : type of State
        The game.

    Attributes
    ----------
    low, high : array of int64
        Bounds of each number.
    """

    def __init__(self, cls: type[State]) -> None:
        self._hidden = not cls.perfect_information
        bounds = None if self._hidden else _bounds(cls)
        self._is_text = bounds is None
        if bounds is None:
            bounds = [(0, 255)] * MAX_TEXT
        self.low, self.high = np.array([(-1, 1), *bounds], dtype=np.int64).T.copy()

    def observe(self, state: State, side: int) -> np.ndarray:
        """Return the observation of a position by a side.

        Raises
        ------
        LimitError
            A text has more than 2,048 bytes.
        """
        seen = np.zeros(len(self.low), dtype=np.int64)
        seen[0] = side
        if self._is_text:
            content = self._text(state, side).encode()
            if len(content) > MAX_TEXT:
                raise LimitError(f"{type(state).__name__}: text of {len(content)} bytes; expected at most {MAX_TEXT}")
            seen[1 : 1 + len(content)] = np.frombuffer(content, dtype=np.uint8)
        else:
            place = 1
            for field, value in zip(state.fields, state, strict=True):
                for item in value if field.length else (value,):
                    place = _write(seen, place, field.kind, item)
        return seen

    def _text(self, state: State, side: int) -> str:
        if not self._hidden:
            return str(state)
        return state.information_state(side)


def _bounds(cls: type[State]) -> list[tuple[int, int]] | None:
    """Return the bounds of each number of the fields; None if a field is not made of numbers."""
    word = np.iinfo(np.int64)
    by_kind = {bool: [(0, 1)], int: [(int(word.min), int(word.max))]}
    bounds: list[tuple[int, int]] = []
    for field in cls.fields:
        numbers = [(0, 1)] * squares if (squares := _squares(field.kind)) else by_kind.get(field.kind)
        if numbers is None:
            return None
        bounds += numbers * (field.length or 1)
    return bounds


def _squares(kind: type) -> int:
    """Return the number of squares of a kind of Bitboard; 0 for other types."""
    if not issubclass(kind, Bitboard):
        return 0
    return kind.size if issubclass(kind, WideBitboard) else _WORD


def _write(seen: np.ndarray, place: int, kind: type, item: Any) -> int:
    """Write an item of a field; return the place behind it."""
    squares = _squares(kind)
    if not squares:
        seen[place] = item
        return place + 1
    content = np.frombuffer(int(item).to_bytes((squares + 7) // 8, "little"), dtype=np.uint8)
    seen[place : place + squares] = np.unpackbits(content, count=squares, bitorder="little")
    return place + squares
