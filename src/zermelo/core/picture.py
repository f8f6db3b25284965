"""Boards as plain data: a game's `picture` method returns a `Grid` or `Points`, and `zermelo.drawing.boards` draws it.

    Grid(columns=3, rows=3, pieces=(Piece(1, 1, "cross"),),
         column_labels=("a", "b", "c"), row_labels=("3", "2", "1"))

Columns count from the left and rows from the top, both from 0.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Board styles: `chequered` light and dark squares (the upper left one is light), `felt` green with lines, `frame` blue
#: with round holes, `lines` between the squares only, `crossings` of lines through the squares on wood, `hexagons` with
#: each row half a cell further right, `bare` nothing.
BACKGROUNDS = ("chequered", "felt", "frame", "lines", "crossings", "hexagons", "bare")
#: Chess pieces, each `white` or `black`.
CHESS_PIECES = ("king", "queen", "rook", "bishop", "knight", "pawn")
#: All kinds of pieces. A `disc` has a colour, and `crowned` is a king of draughts; `cross`, `nought` and `tile` have
#: none. A `tile` shows a letter.
KINDS = ("disc", "crowned", "cross", "nought", "tile", *CHESS_PIECES)
COLOURS = ("black", "white", "red", "yellow", "copper", "")
#: Colours of tinted squares.
TINTS = ("rose", "pink", "sky", "blue")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece on a square of a `Grid`."""

    column: int
    row: int
    #: One of `KINDS`.
    kind: str
    #: One of `COLOURS`.
    colour: str = ""
    #: The letter of a `tile`.
    letter: str = ""

    @property
    def looks(self) -> tuple[str, str, str]:
        """What is equal for pieces of the same sort: kind, colour and letter."""
        return self.kind, self.colour, self.letter


@dataclass(frozen=True, slots=True)
class SetupOption:
    """A check box of the set-up editor: what a position has beside its pieces, such as a castling right."""

    name: str
    is_on: bool
    #: At most one option of a group is on; empty: independent of the others.
    group: str = ""


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
    #: Squares with a dot (legal moves, star points), as (column, row).
    dotted: tuple[tuple[int, int], ...] = ()
    #: Squares with a colour of `TINTS`, as (column, row, colour).
    tinted: tuple[tuple[int, int, str], ...] = ()
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

#: The squares of a move, in the order in which its piece visits them: (column, row) on a `Grid`, one square where a
#: piece is placed. On `Points` the steps of the checkers, as (from, to): 25 is the mover's bar, 0 is off the board.
Path = tuple[tuple[int, int], ...]


def path_between(before: Picture | None, after: Picture | None) -> Path:
    """Find the squares of a move by comparing the pictures before and after it.

    Returns
    -------
    Path
        The square that a piece was put on, or the one that it left and the one that it entered. A single square that a
        piece vanished from or was replaced on. Empty if the pictures tell no such squares.
    """
    if not (isinstance(before, Grid) and isinstance(after, Grid)):
        return ()
    if (before.columns, before.rows) != (after.columns, after.rows):
        return ()
    old, new = ({(piece.column, piece.row): piece for piece in grid.pieces} for grid in (before, after))
    left = [square for square in old if square not in new]
    entered = [square for square in new if square not in old]
    if not entered:  # a capture by replacement
        entered = [square for square in new if _owner(new[square]) != _owner(old[square])]
    if len(entered) == 1:
        end = entered[0]
        starts = [square for square in left if _owner(old[square]) == _owner(new[end])]
        return (*starts, end) if len(starts) < 2 else ()
    changed = left or [square for square in new if square in old and new[square] != old[square]]
    return (changed[0],) if not entered and len(changed) == 1 else ()


def _owner(piece: Piece) -> str:
    """What the pieces of one side have in common: their colour, or their kind where they have none."""
    return piece.colour or piece.kind
