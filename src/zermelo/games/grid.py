"""Text of games whose board is a grid of X, O and empty squares: reading it, writing it, drawing it.

A position's text is its squares row by row from the top, `X`, `O` (small letters too) and `-` or `.` for an
empty one; then, if one likes, who is to move, `X` or `O`. Blanks and `/` may stand anywhere: `X-O/-X-/--O`.
"""

from __future__ import annotations

from collections.abc import Sequence

from zermelo.core.bitboard import Bitboard
from zermelo.errors import PositionError


def read(game: str, text: str, rows: Sequence[Sequence[int]]) -> tuple[Bitboard, Bitboard]:
    """The squares of X and those of O in a text; `rows` holds the squares' numbers, the top row first.

    X moves first, so the numbers of X and O tell who is to move. Raises `PositionError`, saying which
    character was wrong, that there are too few squares, or that the numbers of X and O cannot be.
    """
    squares = [square for row in rows for square in row]
    stones = {"X": Bitboard(0), "O": Bitboard(0)}
    side = None
    count = 0
    for place, character in enumerate(text, 1):
        if character.isspace() or character == "/":
            continue
        what = f"{game} position: character {place} ({character!r})"
        sign = character.upper()
        if count < len(squares):
            if sign not in ("X", "O", "-", "."):
                raise PositionError(f"{what} is no square; expected X, O, - or .")
            if sign in stones:
                stones[sign] |= Bitboard(1) << squares[count]
            count += 1
        elif side is None and sign in stones:
            side = sign
            told = what
        else:
            raise PositionError(f"{what} is one too many; expected {len(squares)} squares and a side")
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
        raise PositionError(f"{told} says that {side} is to move; with {balance} expected {mover}")
    return crosses, noughts


def letter(square: int, crosses: Bitboard, noughts: Bitboard, empty: str = "-") -> str:
    """What stands on a square: X, O or the sign for an empty one."""
    return "X" if square in crosses else "O" if square in noughts else empty


def write(crosses: Bitboard, noughts: Bitboard, rows: Sequence[Sequence[int]]) -> str:
    """The text of a position, the inverse of `read`."""
    return "/".join("".join(letter(square, crosses, noughts) for square in row) for row in rows)


def draw(
    crosses: Bitboard,
    noughts: Bitboard,
    rows: Sequence[Sequence[int]],
    columns: Sequence[str],
    labels: Sequence[str] | None = None,
) -> str:
    """The position drawn with box lines, `columns` written above and `labels`, if given, beside its rows."""
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
