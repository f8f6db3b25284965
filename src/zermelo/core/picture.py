"""Boards as plain data: a game's `picture` method returns a `Grid` or `Points`, and `zermelo.drawing.boards` draws it.

    Grid(columns=3, rows=3, pieces=(Piece(1, 1, "cross"),),
         column_labels=("a", "b", "c"), row_labels=("3", "2", "1"))

Columns count from the left and rows from the top, both from 0.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Board styles: `chequered` light and dark squares (the upper left one is light), `felt` green with lines, `frame` blue
#: with round holes, `lines` between the squares only, `bare` nothing.
BACKGROUNDS = ("chequered", "felt", "frame", "lines", "bare")
#: Chess pieces, each `white` or `black`.
CHESS_PIECES = ("king", "queen", "rook", "bishop", "knight", "pawn")
#: All kinds of pieces. A `disc` has a colour, and `crowned` is a king of draughts; `cross` and `nought` have none.
KINDS = ("disc", "crowned", "cross", "nought", *CHESS_PIECES)
COLOURS = ("black", "white", "red", "yellow", "copper", "")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on a square of a `Grid`."""

    column: int
    row: int
    #: One of `KINDS`.
    kind: str
    #: One of `COLOURS`.
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A rectangular board of squares."""

    columns: int
    rows: int
    #: One of `BACKGROUNDS`.
    background: str = "lines"
    pieces: tuple[Piece, ...] = ()
    #: Labels below the columns and to the left of the rows: none, or one for each.
    column_labels: tuple[str, ...] = ()
    row_labels: tuple[str, ...] = ()
    #: Highlighted squares (the last move), as (column, row).
    highlighted: tuple[tuple[int, int], ...] = ()
    #: Squares with a dot (legal moves), as (column, row).
    dotted: tuple[tuple[int, int], ...] = ()
    #: Small labels in the corners of squares, as (column, row, text).
    corner_labels: tuple[tuple[int, int, str], ...] = ()
    #: Lines of text below the board.
    captions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Points:
    """A backgammon board, from the view of the side that moves towards lower points: point 1 is at the lower right."""

    #: Checkers on points 1 to 24: positive for white, negative for black.
    checkers: tuple[int, ...]
    #: Checkers on the bar, as (white, black).
    bar: tuple[int, int] = (0, 0)
    #: Checkers borne off, as (white, black).
    off: tuple[int, int] = (0, 0)
    #: The dice rolled, if any.
    dice: tuple[int, ...] = ()
    #: The side that rolls: `white` or `black`.
    mover: str = "white"
    #: Lines of text below the board.
    captions: tuple[str, ...] = ()


Picture = Grid | Points
