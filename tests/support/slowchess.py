"""Chess on a list of letters: makes each move and looks whether the king can be taken. Shares nothing with the package.

A move is the text of its squares and of what a pawn becomes: e2e4, e7e8q. Castling is the king's move onto its rook,
e1h1, as in chess960.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

FILES = "abcdefgh"
STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (-1, -1), (1, -1), (-1, 1))
LEAPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
SLIDERS = {"b": DIAGONAL, "r": STRAIGHT, "q": STRAIGHT + DIAGONAL}
Square = tuple[int, int]  # file and row, from 0
Board = dict[Square, str]  # letters as in a FEN; empty squares are left out


class Position(NamedTuple):
    """A position; `passed` is kept after every double step, whether a pawn can take there or not."""

    board: Board
    white: bool
    rooks: frozenset[Square]
    passed: Square | None
    quiet: int


def named(square: Square) -> str:
    return f"{FILES[square[0]]}{square[1] + 1}"


def square_of(name: str) -> Square:
    return FILES.index(name[0]), int(name[1]) - 1


def read(fen: str) -> Position:
    """The position of a FEN."""
    rows, side, castling, passed, quiet, *_ = [*fen.split(), "0", "1"]
    board: Board = {}
    for row, text in enumerate(reversed(rows.split("/"))):
        file = 0
        for letter in text:
            if letter.isdigit():
                file += int(letter)
            else:
                board[file, row] = letter
                file += 1
    rooks = set()
    for letter in castling.replace("-", ""):
        row = 0 if letter.isupper() else 7
        king = next(file for file in range(8) if board.get((file, row)) == ("K" if row == 0 else "k"))
        there = [file for file in range(8) if board.get((file, row)) == ("R" if row == 0 else "r")]
        if letter in "Kk":
            rooks.add((max(there), row))
        elif letter in "Qq":
            rooks.add((min(there), row))
        else:
            rooks.add((FILES.index(letter.lower()), row))
        assert king
    return Position(board, side == "w", frozenset(rooks), None if passed == "-" else square_of(passed), int(quiet))


def is_white(letter: str) -> bool:
    return letter.isupper()


def find_king(board: Board, white: bool) -> Square:
    wanted = "K" if white else "k"
    return next(square for square, letter in board.items() if letter == wanted)


def can_be_taken(board: Board, square: Square, by_white: bool) -> bool:
    """Whether a piece of one side could go to a square to take what stands there."""
    file, row = square
    for leap in LEAPS:
        if board.get((file + leap[0], row + leap[1])) == ("N" if by_white else "n"):
            return True
    for ways, kinds in ((STRAIGHT, "rq"), (DIAGONAL, "bq")):
        for way in ways:
            far = 1
            at = (file + way[0], row + way[1])
            while at not in board and 0 <= at[0] < 8 and 0 <= at[1] < 8:
                far += 1
                at = (at[0] + way[0], at[1] + way[1])
            letter = board.get(at, "")
            if letter and is_white(letter) == by_white:
                kind = letter.lower()
                if kind in kinds or (kind == "k" and far == 1):
                    return True
                # A white pawn takes upwards: it stands one row below what it takes.
                if kind == "p" and far == 1 and ways is DIAGONAL and way[1] == (-1 if by_white else 1):
                    return True
    return False


def is_check(position: Position) -> bool:
    return can_be_taken(position.board, find_king(position.board, position.white), not position.white)


def steps(position: Position) -> Iterator[str]:
    """The moves as the pieces go, castling left out, whatever becomes of the king."""
    board, white = position.board, position.white
    for (file, row), letter in list(board.items()):
        if is_white(letter) != white:
            continue
        kind = letter.lower()
        start = named((file, row))
        ends: list[Square] = []
        if kind == "p":
            up = 1 if white else -1
            if (file, row + up) not in board:
                ends.append((file, row + up))
                if row == (1 if white else 6) and (file, row + 2 * up) not in board:
                    ends.append((file, row + 2 * up))
            for side in (file - 1, file + 1):
                taken = board.get((side, row + up))
                if (taken and is_white(taken) != white) or (side, row + up) == position.passed:
                    ends.append((side, row + up))
            for end in ends:
                for becomes in "qrbn" if end[1] in (0, 7) else ("",):
                    yield start + named(end) + becomes
            continue
        if kind in "nk":
            for way in LEAPS if kind == "n" else STRAIGHT + DIAGONAL:
                ends.append((file + way[0], row + way[1]))
        else:
            for way in SLIDERS[kind]:
                at = (file + way[0], row + way[1])
                while 0 <= at[0] < 8 and 0 <= at[1] < 8:
                    ends.append(at)
                    if at in board:
                        break
                    at = (at[0] + way[0], at[1] + way[1])
        for end in ends:
            if 0 <= end[0] < 8 and 0 <= end[1] < 8 and not (end in board and is_white(board[end]) == white):
                yield start + named(end)


def castlings(position: Position) -> Iterator[str]:
    board, white = position.board, position.white
    king = find_king(board, white)
    row = 0 if white else 7
    for rook in position.rooks:
        if rook[1] != row or king[1] != row:
            continue
        king_to, rook_to = (6, 5) if rook[0] > king[0] else (2, 3)
        others = {square for square in board if square not in (king, rook)}
        crossed = {*_files(king[0], king_to), *_files(rook[0], rook_to)}
        if any((file, row) in others for file in crossed):
            continue
        # On its way the king stands on each square, the rook still on its own; at the end the rook has moved.
        safe = True
        for file in _files(king[0], king_to):
            moved = {square: letter for square, letter in board.items() if square != king}
            if file == king_to:
                del moved[rook]
                moved[rook_to, row] = board[rook]
            moved[file, row] = board[king]
            safe = safe and not can_be_taken(moved, (file, row), not white)
        if safe:
            yield named(king) + named(rook)


def _files(one: int, other: int) -> range:
    return range(min(one, other), max(one, other) + 1)


def play(position: Position, move: str) -> Position:
    """The position after a move."""
    board = dict(position.board)
    start, end, becomes = square_of(move[:2]), square_of(move[2:4]), move[4:]
    letter = board.pop(start)
    white = position.white
    quiet = position.quiet + 1
    passed = None
    rooks = position.rooks - {start, end}
    if letter.lower() == "k":
        rooks = frozenset(rook for rook in rooks if rook[1] != (0 if white else 7))
    taken = board.get(end)
    if taken and is_white(taken) == white:
        del board[end]
        right = end[0] > start[0]
        board[6 if right else 2, start[1]] = letter
        board[5 if right else 3, start[1]] = taken
        return Position(board, not white, rooks, None, quiet)
    if taken or letter.lower() == "p":
        quiet = 0
    if letter.lower() == "p":
        if end[0] != start[0] and not taken:
            del board[end[0], start[1]]
        if abs(end[1] - start[1]) == 2:
            passed = (start[0], (start[1] + end[1]) // 2)
        if becomes:
            letter = becomes.upper() if white else becomes
    board[end] = letter
    return Position(board, not white, rooks, passed, quiet)


def moves(position: Position) -> list[str]:
    """The legal moves."""
    found = list(castlings(position))
    for move in steps(position):
        after = play(position, move)
        if not can_be_taken(after.board, find_king(after.board, position.white), after.white):
            found.append(move)
    return found


def is_dead(board: Board) -> bool:
    """Neither side could ever mate: no more than one minor piece, or bishops on squares of one colour only."""
    pieces = [(letter.lower(), sum(square) % 2) for square, letter in board.items() if letter not in "Kk"]
    if any(kind in "pqr" for kind, _ in pieces):
        return False
    return len(pieces) <= 1 or (all(kind == "b" for kind, _ in pieces) and len({colour for _, colour in pieces}) == 1)


def result(position: Position, legal: list[str]) -> int | None:
    """1 where white has won, -1 where black has, 0 for a draw, None where the game goes on."""
    if not legal and is_check(position):
        return -1 if position.white else 1
    return 0 if not legal or is_dead(position.board) or position.quiet >= 150 else None


def placed(position: Position) -> tuple[str, str]:
    """The first two fields of the FEN."""
    rows = []
    for row in range(7, -1, -1):
        text = "".join(position.board.get((file, row), " ") for file in range(8))
        for empty in range(8, 0, -1):
            text = text.replace(" " * empty, str(empty))
        rows.append(text)
    return "/".join(rows), "w" if position.white else "b"


def takes_in_passing(position: Position, legal: list[str]) -> bool:
    """Whether a legal move takes the pawn that has just passed."""
    return position.passed is not None and any(
        position.board[square_of(move[:2])].lower() == "p" and square_of(move[2:4]) == position.passed for move in legal
    )
