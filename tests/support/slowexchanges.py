"""Exchanges on a square, made move by move on a board of letters: the oracle for `zermelo.games.chess.exchanges`.

Nothing is shared with it: the board is a dict of squares, and attackers are looked for, after each capture anew, by
walking away from the square until a piece stands in the way.
"""

from __future__ import annotations

VALUES = {"p": 100, "n": 300, "b": 300, "r": 500, "q": 900, "k": 10_000}
STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))

Square = tuple[int, int]
Board = dict[Square, str]


def read(fen: str) -> tuple[Board, bool]:
    """The pieces by (column, row), and whether white is to move."""
    rows, side = fen.split()[:2]
    board: Board = {}
    for row, text in enumerate(reversed(rows.split("/"))):
        column = 0
        for letter in text:
            if letter.isdigit():
                column += int(letter)
            else:
                board[column, row] = letter
                column += 1
    return board, side == "w"


def attackers(board: Board, target: Square, white: bool) -> list[Square]:
    """The squares of one side's pieces that could take on a square, pins left aside."""
    found = []
    for steps, kinds, far in ((STRAIGHT, "rq", 7), (DIAGONAL, "bq", 7), (LEAPS, "n", 1), (STRAIGHT + DIAGONAL, "k", 1)):
        for columns, rows in steps:
            for times in range(1, far + 1):
                square = target[0] + columns * times, target[1] + rows * times
                piece = board.get(square)
                if piece:
                    if piece.lower() in kinds and piece.isupper() == white:
                        found.append(square)
                    break
    row = target[1] + (-1 if white else 1)
    for square in ((target[0] - 1, row), (target[0] + 1, row)):
        if board.get(square) == ("P" if white else "p"):
            found.append(square)
    return found


def best(board: Board, target: Square, white: bool) -> set[int]:
    """What the side gains by taking on a square with its least valuable piece, or nothing if it had better not.

    There are several results if it depends on which of several pieces takes: no rule prefers one.
    """
    from_squares = attackers(board, target, white)
    if not from_squares:
        return {0}
    least = min(VALUES[board[square].lower()] for square in from_squares)
    gain = VALUES[board[target].lower()]
    found = set()
    for start in from_squares:
        if VALUES[board[start].lower()] != least:
            continue
        after = {**board, target: board[start]}
        del after[start]
        if after[target].lower() == "k" and attackers(after, target, not white):
            return {0}
        found |= {max(0, gain - rest) for rest in best(after, target, not white)}
    return found


def exchange(fen: str, start: Square, end: Square, promotion: str, passes: bool) -> set[int]:
    """What a move may gain, the exchange on its square played to its end. `passes`: it takes a pawn in passing."""
    board, white = read(fen)
    gain = VALUES[board[end].lower()] if end in board else 0
    after = {**board, end: board[start]}
    del after[start]
    if passes:
        gain = VALUES["p"]
        del after[end[0], start[1]]
    if promotion:
        gain += VALUES[promotion] - VALUES["p"]
        after[end] = promotion.upper() if white else promotion
    return {gain - rest for rest in best(after, end, not white)}
