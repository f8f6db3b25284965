"""Plays on the board: their notation, the words that they make, and their scores.

`8D:RETAINS` goes across from row 8, column D; `D8:RETAINS` goes down. `.` stands for a tile that is on the board
already, and a lowercase letter for a blank. Squares are numbered row by row from 0.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from zermelo.errors import IllegalMove
from zermelo.games.scrabble.tiles import (
    BONUS,
    EMPTY,
    LETTER_PREMIUM,
    PREMIUMS,
    RACK_SIZE,
    SIZE,
    VALUES,
    WORD_PREMIUM,
    tile_of,
)

ACROSS, DOWN = 1, SIZE
_PLAY = re.compile(r"(?:([0-9]{1,2})([A-Oa-o])|([A-Oa-o])([0-9]{1,2})):([A-Za-z.]{1,15})")


class Play(NamedTuple):
    """A play, as it would be laid on a board; whether it is legal is not decided here."""

    #: The squares after the play.
    squares: str
    #: The tiles that it takes from the rack, in the order of the word.
    tiles: str
    #: The words that it makes, the one along its line first.
    words: tuple[str, ...]
    score: int
    #: The name, from the first letter of the first word.
    name: str
    #: Whether a tile is next to one on the board.
    is_connected: bool


def square_name(cell: int) -> str:
    """Return the name of a square: `D8` is in column D, row 8."""
    return f"{chr(65 + cell % SIZE)}{cell // SIZE + 1}"


def word_cells(squares: str, cell: int, step: int) -> range:
    """Return the squares of the word through a square, `ACROSS` or `DOWN`."""
    first = last = cell
    while _is_inside(first - step, first, step) and squares[first - step] != EMPTY:
        first -= step
    while _is_inside(last + step, last, step) and squares[last + step] != EMPTY:
        last += step
    return range(first, last + 1, step)


def _is_inside(cell: int, neighbour: int, step: int) -> bool:
    """Whether a square is on the board, in the row or column of its neighbour."""
    return 0 <= cell < SIZE * SIZE and (step == DOWN or cell // SIZE == neighbour // SIZE)


def read_play(name: str) -> tuple[range, str]:
    """Parse a play: its squares, and the letters on them, `.` for tiles of the board. Raises `IllegalMove`."""
    found = _PLAY.fullmatch(name)
    row, column = (int(found[1] or found[4]) - 1, ord((found[2] or found[3]).upper()) - 65) if found else (-1, 0)
    if not found or not 0 <= row < SIZE:
        raise IllegalMove(
            f"{name[:40]!r} is not a move; expected a square and a word, such as 8D:RETAINS (across) or D8:RETAINS "
            "(down), - to pass, or -ABC to exchange tiles"
        )
    step, text = (ACROSS if found[1] else DOWN), found[5]
    if (column if step == ACROSS else row) + len(text) > SIZE:
        raise IllegalMove(f"{name}: the word leaves the board")
    first = row * SIZE + column
    return range(first, first + step * len(text), step), text


def laid_tiles(name: str) -> dict[int, str]:
    """Return the letters that a play lays, by square, where `.` stands for all tiles of the board."""
    cells, text = read_play(name)
    return {cell: letter for cell, letter in zip(cells, text, strict=True) if letter != EMPTY}


def lay(squares: str, name: str) -> Play:
    """Lay the tiles of a play.

    Parameters
    ----------
    squares : str
        The 225 squares, row by row.
    name : str
        The play; letters on the board may be written as `.` or as they are.

    Raises
    ------
    IllegalMove
        The text is not a play, leaves the board, does not fit the letters there, or lays no tile.
    """
    cells, text = read_play(name)
    laid = {}
    for cell, letter in zip(cells, text, strict=True):
        if squares[cell] == EMPTY:
            if letter == EMPTY:
                raise IllegalMove(f"{name}: there is no tile on {square_name(cell)}")
            laid[cell] = letter
        elif letter not in (EMPTY, squares[cell]):
            raise IllegalMove(f"{name}: there is {squares[cell]} on {square_name(cell)}, not {letter}")
    if not laid:
        raise IllegalMove(f"{name} lays no tile")
    return _lay_tiles(squares, laid, cells.step)


def _lay_tiles(squares: str, laid: dict[int, str], step: int) -> Play:
    """Lay tiles on empty squares of a row (`ACROSS`) or a column (`DOWN`), without a gap."""
    after = list(squares)
    for cell, letter in laid.items():
        after[cell] = letter
    board = "".join(after)
    first = min(laid)
    other = ACROSS + DOWN - step
    if len(laid) == 1 and len(word_cells(board, first, ACROSS)) > 1:
        step, other = ACROSS, DOWN  # a single tile has one name, though it may make words in both directions
    elif len(laid) == 1:
        step, other = DOWN, ACROSS
    main = word_cells(board, first, step)
    lines = [main, *(cells for cell in laid if len(cells := word_cells(board, cell, other)) > 1)]
    score = sum(_score(board, cells, laid) for cells in lines)
    text = "".join(laid.get(cell, EMPTY) for cell in main)
    row, column = str(main[0] // SIZE + 1), chr(65 + main[0] % SIZE)
    return Play(
        board,
        "".join(map(tile_of, laid.values())),
        tuple("".join(board[cell] for cell in cells).upper() for cells in lines),
        score + (BONUS if len(laid) == RACK_SIZE else 0),
        f"{row + column if step == ACROSS else column + row}:{text}",
        len(main) > len(laid) or len(lines) > 1,
    )


def _score(board: str, cells: range, laid: dict[int, str]) -> int:
    """The points of a word; premium squares count for tiles that have just been laid."""
    points, product = 0, 1
    for cell in cells:
        value = VALUES[tile_of(board[cell])]
        if cell in laid:
            value *= LETTER_PREMIUM.get(PREMIUMS[cell], 1)
            product *= WORD_PREMIUM.get(PREMIUMS[cell], 1)
        points += value
    return points * product


def words_on(squares: str) -> list[tuple[str, str]]:
    """Return all words on a board of two letters or more, in capitals, each with its first square and direction."""
    found = []
    for cell, letter in enumerate(squares):
        for step in (ACROSS, DOWN) if letter != EMPTY else ():
            cells = word_cells(squares, cell, step)
            if cells[0] == cell and len(cells) > 1:
                found.append(("".join(squares[each] for each in cells).upper(), square_name(cell)))
    return found
