"""The view of an Othello position that evaluations need. `Othello` in `rules` implements it."""

from __future__ import annotations

from typing import Protocol

from zermelo.core.bitboard import Bitboard


class Position(Protocol):
    """An Othello position; the fields are described in `zermelo.games.othello.rules.Othello`."""

    @property
    def black(self) -> Bitboard: ...
    @property
    def white(self) -> Bitboard: ...

    def own(self) -> Bitboard: ...
    def other(self) -> Bitboard: ...
