"""English draughts once more, slowly: rows and columns in plain lists, written from the rule book and not from ours.

A board is a dict from squares 1 .. 32 to "b", "B", "w" or "W", capital letters for kings.
"""

from __future__ import annotations

Board = dict[int, str]
Play = tuple[tuple[int, ...], bool, Board]  # the squares come to, whether it is a capture, the board afterwards


def place(number: int) -> tuple[int, int]:
    """The row, 1 at the top, and the column, 1 at the left, of a square as seen from white's side."""
    row = (number + 3) // 4
    column = 2 * (number - 4 * (row - 1)) - (row % 2 == 0)
    return row, column


SQUARES = {place(number): number for number in range(1, 33)}


def directions(piece: str) -> list[tuple[int, int]]:
    rows = {"b": [1], "w": [-1]}.get(piece, [1, -1])
    return [(row, column) for row in rows for column in (-1, 1)]


def crowned(piece: str, number: int) -> str:
    row, _ = place(number)
    return {("b", 8): "B", ("w", 1): "W"}.get((piece, row), piece)


def captures(board: Board, at: int, piece: str, way: tuple[int, ...]) -> list[Play]:
    """All complete captures by a piece that stands on `at`, is not on the board, and came there by `way`."""
    found = []
    row, column = place(at)
    for rows, columns in directions(piece):
        over = SQUARES.get((row + rows, column + columns))
        landing = SQUARES.get((row + 2 * rows, column + 2 * columns))
        if over is None or landing is None or over not in board or landing in board:
            continue
        if board[over].lower() == piece.lower():
            continue
        rest = {number: each for number, each in board.items() if number != over}
        if crowned(piece, landing) != piece:
            found.append(((*way, landing), True, {**rest, landing: crowned(piece, landing)}))
        else:
            further = captures(rest, landing, piece, (*way, landing))
            found += further or [((*way, landing), True, {**rest, landing: piece})]
    return found


def plays(board: Board, side: str) -> list[Play]:
    """The legal plays of a side, "b" or "w"."""
    own = {number: piece for number, piece in board.items() if piece.lower() == side}
    found = []
    for number, piece in own.items():
        found += captures({n: p for n, p in board.items() if n != number}, number, piece, (number,))
    if found:
        return found
    for number, piece in own.items():
        row, column = place(number)
        for rows, columns in directions(piece):
            to = SQUARES.get((row + rows, column + columns))
            if to is not None and to not in board:
                rest = {n: p for n, p in board.items() if n != number}
                found.append(((number, to), False, {**rest, to: crowned(piece, to)}))
    return found
