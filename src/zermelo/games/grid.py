"""Parsing, writing and drawing positions of games on a grid of X, O and empty squares.

The text of a position has its squares row by row from the top: `X`, `O` (lower case too), and `-` or `.` for an empty
one, optionally followed by the side to move, `X` or `O`. Whitespace and `/` are ignored: `X-O/-X-/--O`.
"""

from __future__ import annotations

from collections.abc import Sequence

from zermelo.core.bitboard import Bitboard
from zermelo.errors import PositionError


def parse(game: str, text: str, rows: Sequence[Sequence[int]]) -> tuple[Bitboard, Bitboard]:
    """Parse a position.

    Parameters
    ----------
    game : str
        The name of the game, for error messages.
    text : str
        The position.
    rows : sequence of sequences of int
        The numbers of the squares, top row first.

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
    squares = [square for row in rows for square in row]
    stones = {"X": Bitboard(0), "O": Bitboard(0)}
    side = None
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
                stones[sign] |= Bitboard(1) << squares[count]
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
    crosses, noughts = stones.values()
    balance = f"{crosses.count()} X and {noughts.count()} O"
    if crosses.count() - noughts.count() not in (0, 1):
        raise PositionError(
            f"{game} position has {balance}; expected as many X as O or one X more, because X moves first"
        )
    mover = "X" if crosses.count() == noughts.count() else "O"
    if side not in (None, mover):
        raise PositionError(f"{side_label} names {side} as the side to move; expected {mover}, with {balance}")
    return crosses, noughts


def letter(square: int, crosses: Bitboard, noughts: Bitboard, empty: str = "-") -> str:
    """Return the character of a square: X, O or `empty`."""
    return "X" if square in crosses else "O" if square in noughts else empty


def write(crosses: Bitboard, noughts: Bitboard, rows: Sequence[Sequence[int]]) -> str:
    """Return the text of a position: the inverse of `parse`."""
    return "/".join("".join(letter(square, crosses, noughts) for square in row) for row in rows)


def draw(
    crosses: Bitboard,
    noughts: Bitboard,
    rows: Sequence[Sequence[int]],
    columns: Sequence[str],
    labels: Sequence[str] | None = None,
) -> str:
    """Draw a position with box characters, with `columns` above and `labels`, if given, beside the rows."""
    beside = labels or [""] * len(rows)
    margin = max(map(len, beside)) + 1 if labels else 0

    def line(left: str, middle: str, right: str) -> str:
        return " " * margin + left + middle.join(["───"] * len(columns)) + right

    lines = [" " * margin + "".join(f"  {column} " for column in columns).rstrip()]
    for index, row in enumerate(rows):
        lines.append(line("├", "┼", "┤") if index else line("┌", "┬", "┐"))
        cells = "│".join(f" {letter(square, crosses, noughts, ' ')} " for square in row)
        lines.append(f"{beside[index]:>{max(margin - 1, 0)}}{' ' * bool(margin)}│{cells}│")
    lines.append(line("└", "┴", "┘"))
    return "\n".join(lines)
