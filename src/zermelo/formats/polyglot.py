"""Polyglot's opening books (.bin): which moves of chess were played in a position, and how often.

    with Book("book.bin") as book:
        book.moves(Chess.start())           [(move, weight), ...]

Source: the format as hgm.nubati.net/book_format.html describes it. A book is a row of entries of 16 bytes, the highest
byte of each number first, in the order of their keys: a key of 64 bits, a move, its weight (16 bits each), and 32 bits
for programs that learn. The key of a position is the exclusive or of one number for each piece on its square, each
right to castle, a pawn that can be taken in passing, and white's turn; those 781 numbers are part of the format. They
are not written down here: they are the first ones of ISAAC-64, whose author gave it to the public domain.
"""

from __future__ import annotations

import os
import stat
import struct
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import cast

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, State
from zermelo.errors import FileError, FormatError
from zermelo.formats import isaac64
from zermelo.formats.record import Record
from zermelo.games.chess import Chess
from zermelo.games.chess.attacks import FILE_A, FILE_H

#: An entry: key, move, weight, what was learned.
ENTRY = struct.Struct(">QHHI")
#: So many entries of one position at most: none has more than 218 moves.
MOST_ENTRIES = 1_024
#: So many entries, spread over the book, are looked at when it is opened: whether they are in order.
LOOKED_AT = 4_096
MOST_WEIGHT = 0xFFFF
#: Where the numbers begin of castling, of taking in passing, and of white's turn; those of pieces come first.
_CASTLING, _PASSED, _TURN, _COUNT = 768, 772, 780, 781


@cache
def _random() -> tuple[int, ...]:
    return isaac64.numbers(_COUNT)


def key(state: Chess, last: int | None = None) -> int:
    """The key of a position in Polyglot's books.

    `last`: the move that led there, if it is known. The format counts every pawn that stands beside one that has just
    made two steps, also one that may not take it because its king would be in check; a state knows only of the others.
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
    passed = state.en_passant or _passed(state, last)
    if passed:
        found ^= numbers[_PASSED + passed.first() % 8]
    return found ^ numbers[_TURN] if state.turn == MAX else found


def _passed(state: Chess, last: int | None) -> Bitboard:
    """The square that a pawn passed over by the last move, if a pawn stands beside it now."""
    start, end = (0, 0) if last is None else (last & 63, last >> 6 & 63)
    if abs(start - end) != 16:
        return Bitboard(0)
    own, other = (state.white, state.black) if state.turn == MAX else (state.black, state.white)
    pawn = (Bitboard(1) << end) & state.pawns & other
    beside = (pawn & ~FILE_H) << 1 | (pawn & ~FILE_A) >> 1
    return Bitboard(1) << (start + end) // 2 if beside & state.pawns & own else Bitboard(0)


class Book:
    """A book in a file, of which only what is asked for is read.

    Raises `FileError` if the file cannot be read, and `FormatError` if it is not a book: its length, its order. The
    file may be of any size; it is not mapped into memory, because a file that gets shorter meanwhile would then end
    the program.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            if not stat.S_ISREG(self.path.stat().st_mode):
                raise OSError(0, "this is no file; a book has to be one")
            self._file = self.path.open("rb", buffering=0)
        except (OSError, ValueError) as error:  # a ValueError: a NUL in the name, a closed file
            raise FileError(f"book {self.path}: {getattr(error, 'strerror', None) or error}") from None
        try:
            size = os.fstat(self._file.fileno()).st_size
            if not size or size % ENTRY.size:
                raise self._wrong(f"{size:,} bytes; a Polyglot book has {ENTRY.size} for each entry, and one at least")
            self._count = size // ENTRY.size
            self._check_order()
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        """How many entries there are."""
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
        """The legal moves that the book has in a position, each with its weight (0 to 65,535), in the book's order.

        A weight of 0 says not to play the move. Entries with a move that is not legal belong to another position with
        the same key, and are left out. `last`: as for `key`. Raises `FormatError` where the book turns out not to be
        in order.
        """
        entries = self._entries(key(state, last))
        legal = set(state.legal_moves()) if entries else set()
        return [(move, weight) for move, weight in entries if move in legal]

    def _entries(self, wanted: int) -> list[tuple[int, int]]:
        """The moves, as our rules number them, and weights of all entries with a key."""
        low, high = 0, self._count
        least, most = 0, (1 << 64) - 1  # the keys between which those from `low` to `high` have to be
        while low < high:
            middle = (low + high) // 2
            found = self._read(middle, 1)[0][0]
            if not least <= found <= most:
                raise self._disorder(middle)
            if found < wanted:
                low, least = middle + 1, found
            else:
                high, most = middle, found
        rows = []
        for found, move, weight, _ in self._read(low, min(MOST_ENTRIES + 1, self._count - low)):
            if found != wanted:
                break
            rows.append((_turned(move), weight))
        if len(rows) > MOST_ENTRIES:
            raise self._wrong(f"more than {MOST_ENTRIES:,} entries from entry {low + 1:,} on have the same key")
        return rows

    def _check_order(self) -> None:
        """Whether keys spread over the book rise: all of them in a small book."""
        step = -(-self._count // LOOKED_AT)
        before = 0
        if step == 1:
            keys = [entry[0] for entry in self._read(0, self._count)]
        else:
            keys = [self._read(place, 1)[0][0] for place in range(0, self._count, step)]
        for number, found in enumerate(keys):
            if found < before:
                raise self._disorder(number * step)
            before = found

    def _read(self, place: int, count: int) -> list[tuple[int, int, int, int]]:
        try:
            self._file.seek(place * ENTRY.size)
            data = self._file.read(count * ENTRY.size)
        except (OSError, ValueError) as error:  # a ValueError: a NUL in the name, a closed file
            raise FileError(f"book {self.path}: {getattr(error, 'strerror', None) or error}") from None
        if len(data) != count * ENTRY.size:
            raise self._wrong(f"entry {place + 1:,} can no longer be read; the file has become shorter")
        return list(ENTRY.iter_unpack(data))

    def _disorder(self, place: int) -> FormatError:
        return self._wrong(f"entry {place + 1:,} has another place by its key; a Polyglot book is sorted by keys")

    def _wrong(self, told: str) -> FormatError:
        return FormatError(f"book {self.path}: {told}")


def build_book(games: Iterable[Record], plies: int = 0) -> bytes:
    """A book of the moves that were played in games of chess, so many plies of each (0: all of them).

    A move's weight is how often it was played; those of a position are made smaller together where one is too large.
    """
    played: dict[int, Counter[int]] = {}
    for game in games:
        if not isinstance(game.start, Chess):
            raise FormatError(f"a game of {type(game.start).__name__}; Polyglot's books are for chess")
        state, last = cast(State, game.start), None
        for move in game.moves()[: plies or None]:
            played.setdefault(key(cast(Chess, state), last), Counter())[move] += 1
            state, last = state.play(move), move
    rows = []
    for position, moves in sorted(played.items()):
        most = max(MOST_WEIGHT, *moves.values())
        for move, times in sorted(moves.items(), key=lambda each: (-each[1], each[0])):
            rows.append(ENTRY.pack(position, _turned(move), max(1, times * MOST_WEIGHT // most), 0))
    return b"".join(rows)


def _turned(move: int) -> int:
    """A move of a book for our rules, and the other way round.

    Books have the square that it ends on first (bits 0 .. 5), then the one that it starts from; all else is the same:
    castling goes to the square of the own rook, a pawn becomes 1 a knight to 4 a queen.
    """
    return (move & 63) << 6 | move >> 6 & 63 | move & 7 << 12
