"""What a position looks like, as plain data: games describe it, and `zermelo.drawing.boards` draws it.

    Grid(columns=3, rows=3, pieces=(Piece(1, 1, "cross"),), below=("a", "b", "c"), left=("3", "2", "1"))

A `Grid` is a board of squares with pieces on them, `Points` the board of backgammon. Columns are counted from the left
and rows from above, both from 0.
"""

from __future__ import annotations

from dataclasses import dataclass

#: How the squares of a grid are filled: `chequered` light and dark (the upper left one is light), `felt` green with
#: lines, `frame` blue with round holes, `lines` only between the squares, `bare` nothing.
GROUNDS = ("chequered", "felt", "frame", "lines", "bare")
#: Chess pieces, each `white` or `black`.
CHESSMEN = ("king", "queen", "rook", "bishop", "knight", "pawn")
#: Round pieces of a colour; `crowned` ones are kings of draughts. And the marks of tic-tac-toe, which have no colour.
KINDS = ("disc", "crowned", "cross", "nought", *CHESSMEN)
COLOURS = ("black", "white", "red", "yellow", "copper", "")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on a square: where it stands, one of the `KINDS`, one of the `COLOURS`."""

    column: int
    row: int
    kind: str
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A board of squares."""

    columns: int
    rows: int
    #: One of the `GROUNDS`.
    ground: str = "lines"
    pieces: tuple[Piece, ...] = ()
    #: Texts below the columns and to the left of the rows; none, or one for each.
    below: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    #: Squares that stand out (a last move), and squares with a dot (where one can move to): column and row.
    marked: tuple[tuple[int, int], ...] = ()
    dotted: tuple[tuple[int, int], ...] = ()
    #: Small texts in corners of squares: column, row, text.
    notes: tuple[tuple[int, int, str], ...] = ()
    #: Lines of text below the board.
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Points:
    """A backgammon board, seen by the side whose checkers go to lower numbers: point 1 is at the lower right."""

    #: Checkers on points 1 to 24: white's positive, black's negative.
    checkers: tuple[int, ...]
    #: Checkers on the bar and borne off: of white, of black.
    bar: tuple[int, int] = (0, 0)
    off: tuple[int, int] = (0, 0)
    #: The dice rolled, and whose they are: `white` or `black`.
    dice: tuple[int, ...] = ()
    mover: str = "white"
    said: tuple[str, ...] = ()


Picture = Grid | Points
