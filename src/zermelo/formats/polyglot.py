"""Polyglot opening books (`.bin`): weighted chess moves by position.

    with Book("book.bin") as book:
        book.moves(Chess.start())           [(move, weight), ...]

A book is a sequence of 16-byte big-endian entries, sorted by key: a 64-bit Zobrist key, a move and a weight of 16 bits
each, and 32 bits of learning data. The key is the exclusive or of random numbers for each piece on its square, each
castling right, the file of an en passant capture, and white to move. The 781 numbers are part of the format; they are
the first outputs of ISAAC-64.

References
----------
"Opening-Book Format", http://hgm.nubati.net/book_format.html
"""

from __future__ import annotations

import os
import struct
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import cast

from zermelo._util.user_files import open_file, shown_path
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, State
from zermelo.errors import FileError, FormatError
from zermelo.formats import isaac64
from zermelo.formats.record import Record
from zermelo.games.chess import Chess
from zermelo.games.chess.attacks import FILE_A, FILE_H

#: An entry: key, move, weight, learning data.
ENTRY = struct.Struct(">QHHI")
#: The most entries of one position; no position has more than 218 moves.
MAX_ENTRIES = 1_024
#: The number of entries, spread over the book, whose order is checked when it is opened.
CHECKED_ENTRIES = 4_096
MAX_WEIGHT = 0xFFFF
#: The indices of the random numbers for castling, en passant and white to move, after those for pieces.
_CASTLING, _EN_PASSANT, _TURN, _COUNT = 768, 772, 780, 781


@cache
def _random() -> tuple[int, ...]:
    return isaac64.numbers(_COUNT)


def zobrist_key(state: Chess, last: int | None = None) -> int:
    """Return the key of a position in Polyglot books.

    Parameters
    ----------
    state : Chess
        The position.
    last : int, optional
        The move that led to it. The format sets the en passant file if a pawn stands next to one that has just made a
        double step, even if the capture would leave its king in check; a state keeps only legal en passant squares.
    """
    numbers = _random()
    kinds = (state.pawns, state.knights, state.bishops, state.rooks, state.queens, state.kings)
    found = 0
    for colour, pieces in enumerate((state.black, state.white)):
        for kind, squares in enumerate(kinds):
            for square in pieces & squares:
                found ^= numbers[64 * (2 * kind + colour) + square]
        king = (state.kings & pieces).first()
        for rook in state.castling_rights & pieces:
            found ^= numbers[_CASTLING + 2 * (1 - colour) + (rook < king)]
    en_passant = state.en_passant or _en_passant_square(state, last)
    if en_passant:
        found ^= numbers[_EN_PASSANT + en_passant.first() % 8]
    return found ^ numbers[_TURN] if state.turn == MAX else found


def _en_passant_square(state: Chess, last: int | None) -> Bitboard:
    """Return the square passed by a double step in the last move, if an enemy pawn stands next to it."""
    start, end = (0, 0) if last is None else (last & 63, last >> 6 & 63)
    if abs(start - end) != 16:
        return Bitboard(0)
    own, other = (state.white, state.black) if state.turn == MAX else (state.black, state.white)
    pawn = (Bitboard(1) << end) & state.pawns & other
    neighbours = (pawn & ~FILE_H) << 1 | (pawn & ~FILE_A) >> 1
    return Bitboard(1) << (start + end) // 2 if neighbours & state.pawns & own else Bitboard(0)


class Book:
    """A book file, searched on disk.

    The file can have any size. It is not mapped into memory, because truncating a mapped file would crash the program.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    FormatError
        If the file cannot be read, has a wrong length, or is not sorted.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file = open_file(path, label=f"book {shown_path(path)}", buffering=0)
        try:
            size = os.fstat(self._file.fileno()).st_size
            if not size or size % ENTRY.size:
                raise self._error(f"{size:,} bytes; expected a positive multiple of {ENTRY.size}, the size of an entry")
            self._count = size // ENTRY.size
            self._check_order()
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        """The number of entries."""
        return self._count

    def __enter__(self) -> Book:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def moves(self, state: Chess, last: int | None = None) -> list[tuple[int, int]]:
        """Return the legal book moves of a position with their weights, in the order of the book.

        Parameters
        ----------
        state : Chess
            The position.
        last : int, optional
            The move that led to it, as for `zobrist_key`.

        Returns
        -------
        list of (int, int)
            Moves and weights, 0 to 65,535; a weight of 0 means that the move should not be played. Entries with illegal
            moves belong to another position with the same key and are omitted.

        Raises
        ------
        FormatError
            If the book is not sorted.
        """
        entries = self._entries(zobrist_key(state, last))
        legal = set(state.legal_moves()) if entries else set()
        return [(move, weight) for move, weight in entries if move in legal]

    def _entries(self, key: int) -> list[tuple[int, int]]:
        """Return the moves, converted to those of the rules, and weights of all entries with a key (binary search)."""
        low, high = 0, self._count
        least, most = 0, (1 << 64) - 1  # bounds of the keys from `low` to `high`
        while low < high:
            middle = (low + high) // 2
            found = self._read(middle, 1)[0][0]
            if not least <= found <= most:
                raise self._unsorted(middle)
            if found < key:
                low, least = middle + 1, found
            else:
                high, most = middle, found
        rows = []
        for found, move, weight, _ in self._read(low, min(MAX_ENTRIES + 1, self._count - low)):
            if found != key:
                break
            rows.append((_convert_move(move), weight))
        if len(rows) > MAX_ENTRIES:
            raise self._error(f"more than {MAX_ENTRIES:,} entries from entry {low + 1:,} on have the same key")
        return rows

    def _check_order(self) -> None:
        """Check that keys spread over the book are sorted; all keys in a small book."""
        step = -(-self._count // CHECKED_ENTRIES)
        before = 0
        if step == 1:
            keys = [entry[0] for entry in self._read(0, self._count)]
        else:
            keys = [self._read(index, 1)[0][0] for index in range(0, self._count, step)]
        for number, found in enumerate(keys):
            if found < before:
                raise self._unsorted(number * step)
            before = found

    def _read(self, index: int, count: int) -> list[tuple[int, int, int, int]]:
        try:
            self._file.seek(index * ENTRY.size)
            data = self._file.read(count * ENTRY.size)
        except (OSError, ValueError) as error:  # a ValueError: a closed file
            raise FileError(f"book {self.path}: {getattr(error, 'strerror', None) or error}") from None
        if len(data) != count * ENTRY.size:
            raise self._error(f"entry {index + 1:,} cannot be read; the file has become shorter")
        return list(ENTRY.iter_unpack(data))

    def _unsorted(self, index: int) -> FormatError:
        return self._error(f"entry {index + 1:,} is out of order; a Polyglot book is sorted by key")

    def _error(self, reason: str) -> FormatError:
        return FormatError(f"book {self.path}: {reason}")


def build_book(games: Iterable[Record], plies: int = 0) -> bytes:
    """Return a book of the moves played in chess games.

    Parameters
    ----------
    games : iterable of Record
        The games.
    plies : int
        The number of plies of each game to use; 0 for all.

    Returns
    -------
    bytes
        The book. The weight of a move is the number of games, scaled down where it exceeds 65,535.
    """
    played: dict[int, Counter[int]] = {}
    for game in games:
        if not isinstance(game.start, Chess):
            raise FormatError(f"a game of {type(game.start).__name__}; Polyglot books are for chess")
        state, last = cast(State, game.start), None
        for move in game.moves()[: plies or None]:
            played.setdefault(zobrist_key(cast(Chess, state), last), Counter())[move] += 1
            state, last = state.play(move), move
    rows = []
    for position, moves in sorted(played.items()):
        most = max(MAX_WEIGHT, *moves.values())
        for move, times in sorted(moves.items(), key=lambda each: (-each[1], each[0])):
            rows.append(ENTRY.pack(position, _convert_move(move), max(1, times * MAX_WEIGHT // most), 0))
    return b"".join(rows)


def _convert_move(move: int) -> int:
    """Convert a move between the book and the rules (its own inverse).

    Books have the target square in bits 0 .. 5 and the origin in bits 6 .. 11. The rest is the same: castling goes to
    the square of the own rook, and promotions are 1 (knight) to 4 (queen).
    """
    return (move & 63) << 6 | move >> 6 & 63 | move & 7 << 12
