"""Parsing, writing and drawing positions of games on a grid of X, O and empty squares.

The text of a position has its squares row by row from the top: `X`, `O` (lower case too), and `-` or `.` for an empty
one, optionally followed by the side to move, `X` or `O`. Whitespace and `/` are ignored: `X-O/-X-/--O`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from zermelo.core.bitboard import Bitboard
from zermelo.core.picture import Piece
from zermelo.errors import PositionError

#: The pieces of games with black and white discs, black first.
DISCS = (Piece(0, 0, "disc", "black"), Piece(0, 0, "disc", "white"))


def parse(
    game: str, text: str, rows: Sequence[Sequence[int]], kind: type[Bitboard] = Bitboard
) -> tuple[Bitboard, Bitboard]:
    """Parse a position of a game in which X and O move in turn, X first.

    Parameters
    ----------
    game : str
        The name of the game, for error messages.
    text : str
        The position.
    rows : sequence of sequences of int
        The numbers of the squares, top row first.
    kind : type
        `Bitboard`, or `Bitboard[n]` for larger boards.

    Returns
    -------
    crosses, noughts : Bitboard
        The squares of X and of O.

    Raises
    ------
    PositionError
        If a character is wrong, the number of squares is wrong, or the numbers of X and O are not possible. X moves
        first, so there are as many X as O, or one more.
    """
    crosses, noughts, side, side_label = parse_squares(game, text, rows, kind)
    balance = f"{crosses.count()} X and {noughts.count()} O"
    if crosses.count() - noughts.count() not in (0, 1):
        raise PositionError(
            f"{game} position has {balance}; expected as many X as O or one X more, because X moves first"
        )
    mover = "X" if crosses.count() == noughts.count() else "O"
    if side not in (None, mover):
        raise PositionError(f"{side_label} names {side} as the side to move; expected {mover}, with {balance}")
    return crosses, noughts


def parse_squares(
    game: str, text: str, rows: Sequence[Sequence[int]], kind: type[Bitboard] = Bitboard
) -> tuple[Bitboard, Bitboard, str | None, str]:
    """Parse the squares of a position, whatever the numbers of X and O.

    Returns the squares of X and of O, the side to move if the text names it, and where it does, for error messages.
    """
    squares = [square for row in rows for square in row]
    stones = {"X": 0, "O": 0}
    side = None
    side_label = ""
    count = 0
    for index, character in enumerate(text, 1):
        if character.isspace() or character == "/":
            continue
        what = f"{game} position: character {index} ({character!r})"
        sign = character.upper()
        if count < len(squares):
            if sign not in ("X", "O", "-", "."):
                raise PositionError(f"{what} is not a square; expected X, O, - or .")
            if sign in stones:
                stones[sign] |= 1 << squares[count]
            count += 1
        elif side is None and sign in stones:
            side = sign
            side_label = what
        else:
            raise PositionError(
                f"{what} is one too many; expected {len(squares)} squares and optionally the side to move"
            )
    if count < len(squares):
        raise PositionError(f"{game} position has {count} squares; expected {len(squares)}, top row first")
    return kind(stones["X"]), kind(stones["O"]), side, side_label


def parse_size(game: str, text: str, smallest: int, largest: int) -> tuple[int, bool]:
    """Return the number of rows of a square board, and whether the board is empty.

    Parameters
    ----------
    game : str
        The name of the game, for error messages.
    text : str
        The squares, optionally followed by the side to move; or an empty board, `9x9`; or nothing or `start`, which
        gives (0, True).
    smallest, largest : int
        The numbers of rows that the game allows.

    Raises
    ------
    PositionError
        If the board is not square, or too small or too large.
    """
    if text in ("", "start"):
        return 0, True
    named = re.fullmatch(r"(\d{1,3})x(\d{1,3})", text)
    count = int(named[1]) * int(named[2]) if named else sum(character in "XxOo-." for character in text)
    size = math.isqrt(count)
    if not named and size * size == count - 1:  # the side to move follows the squares
        count -= 1
    if size * size != count or (named and named[1] != named[2]) or not smallest <= size <= largest:
        raise PositionError(
            f"{game} position: {text[:40]!r} is not a square board of {smallest} to {largest} rows, such as 9x9"
        )
    return size, bool(named)


def square_boards(row: int, largest: int, kind: type[Bitboard]) -> tuple[Bitboard, ...]:
    """Return all squares of the square board of each size, 0 to `largest` rows.

    The boards lie in the corner of square 0; `row` is the number of bits from one row to the next.
    """
    return tuple(
        kind(sum(1 << row * line + column for line in range(size) for column in range(size)))
        for size in range(largest + 1)
    )


def letter(square: int, crosses: Bitboard, noughts: Bitboard, empty: str = "-") -> str:
    """Return the character of a square: X, O or `empty`."""
    return "X" if square in crosses else "O" if square in noughts else empty


def write(crosses: Bitboard, noughts: Bitboard, rows: Sequence[Sequence[int]]) -> str:
    """Return the text of a position: the inverse of `parse`."""
    letters = dict.fromkeys(noughts, "O") | dict.fromkeys(crosses, "X")
    return "/".join("".join(letters.get(square, "-") for square in row) for row in rows)


def stones(
    pieces: Iterable[Piece], crosses: Piece, rows: Sequence[Sequence[int]], kind: type[Bitboard] = Bitboard
) -> tuple[Bitboard, Bitboard]:
    """Return the squares of the pieces that look like `crosses`, and those of the others."""
    placed = [kind(0), kind(0)]
    for piece in pieces:
        placed[piece.looks != crosses.looks] |= kind(1) << rows[piece.row][piece.column]
    return placed[0], placed[1]


def draw(
    crosses: Bitboard,
    noughts: Bitboard,
    rows: Sequence[Sequence[int]],
    columns: Sequence[str],
    labels: Sequence[str] | None = None,
    names: Sequence[str] = (),
) -> str:
    """Draw a position with box characters, with `columns` above and `labels`, if given, beside the rows.

    `names`, if given, has a character for each square, drawn where it is empty.
    """
    beside = labels or [""] * len(rows)
    margin = max(map(len, beside)) + 1 if labels else 0

    def line(left: str, middle: str, right: str) -> str:
        return " " * margin + left + middle.join(["───"] * len(columns)) + right

    lines = [" " * margin + "".join(f"  {column} " for column in columns).rstrip()]
    for index, row in enumerate(rows):
        lines.append(line("├", "┼", "┤") if index else line("┌", "┬", "┐"))
        cells = "│".join(f" {letter(square, crosses, noughts, names[square] if names else ' ')} " for square in row)
        lines.append(f"{beside[index]:>{max(margin - 1, 0)}}{' ' * bool(margin)}│{cells}│")
    lines.append(line("└", "┴", "┘"))
    return "\n".join(lines)
