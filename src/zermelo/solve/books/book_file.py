"""Book files: the entries of an opening book, sorted by key, in one checked file.

A book file is a file of arrays (`zermelo.core.array_file` has the layout) with the magic "ZERMELOB" and version 1. Its
header has the texts "game", "fingerprint", "root" (the position that the book begins with) and "search" (the limits of
the searches), the int "plies", and the provenance of the file. The arrays have an item for each entry:

    keys     int64     keys of the representatives, in ascending order as signed numbers
    scores   int32     scores for MAX on the ranked scale (`zermelo.search.scores`)
    moves    int32     best moves of the representatives; -1: none
    depths   int16     plies of the searches; 0: proven, or the minimax value of the successors
    proven   int8      1: the score is the value of the game

The fingerprint covers what gives keys and moves their meaning: the game's name and fields, and the keys and moves of
the positions of one random game.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from functools import cache
from importlib.resources import files
from os import PathLike

from zermelo._util import atomic_files
from zermelo._util.text import quoted
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.core.array_file import Kind, described, pack, unpack
from zermelo.core.game import State
from zermelo.errors import FormatError, PositionError
from zermelo.search.scores import LIMIT
from zermelo.search.table import NO_MOVE
from zermelo.solve.books.book import Book, Entry

KIND = Kind(b"ZERMELOB", 1, "book file", ("game", "fingerprint", "root", "search", "command"))
#: The largest file that is read.
MAX_BYTES = 1 << 28
# The arrays and their types.
_ARRAYS = {"keys": "int64", "scores": "int32", "moves": "int32", "depths": "int16", "proven": "int8"}
# Plies of the random game in a fingerprint.
_GAME_PLIES = 40


def save_book(path: str | PathLike[str], book: Book, command: str = "") -> None:
    """Write a book to a file, completely or not at all; the same arguments give the same bytes.

    Raises
    ------
    FileError
        If the file cannot be written. An older file of that name is then unchanged.
    """
    atomic_files.write(os.fspath(path), book_bytes(book, command))


def load_book(path: str | PathLike[str], game: type[State]) -> tuple[Book, str]:
    """Read a book of a game from a file.

    Returns
    -------
    Book
        The book.
    str
        The command that made it.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is not a book file, is damaged, has another version, or was made for another game or other rules. Nothing
        of the file is used then.
    """
    return parse_book(read_bytes(path, MAX_BYTES), game, shown_path(path))


@cache
def shipped_book(game: type[State]) -> tuple[Book, str] | None:
    """Return the book of a game of the package, and the command that made it; None if it has none.

    It is read once in a process and shared, so it must not be changed.
    """
    if not game.__module__.startswith("zermelo.games."):
        return None
    file = files("zermelo.solve.books") / f"{game.__name__.lower()}.book"
    return parse_book(file.read_bytes(), game, file.name) if file.is_file() else None


def fingerprint(game: type[State]) -> str:
    """Hash what gives the keys and moves of a book their meaning, as 32 hexadecimal digits."""
    content: list[object] = [game.__name__, described(game)]
    state, source = game.start(), random.Random(0)
    for _ in range(_GAME_PLIES):
        if state.is_over():
            break
        moves = state.legal_moves()
        content.append([int(state.repetition_key()), moves])
        state = state.play(moves[int(source.random() * len(moves))])
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def book_bytes(book: Book, command: str = "") -> bytes:
    """The content of the file of a book."""
    import numpy as np

    header = {
        "game": book.game.__name__, "fingerprint": fingerprint(book.game), "root": str(book.root),
        "search": book.search, "plies": book.plies, "command": command, "seed": None,
    }  # fmt: skip
    keys = np.array(list(book.entries), np.uint64).astype(np.int64)
    columns = [keys, *np.array(list(book.entries.values()), np.int64).reshape(-1, len(Entry._fields)).T]
    order = np.argsort(keys)
    return pack(
        KIND, header,
        {name: column[order].astype(kind) for (name, kind), column in zip(_ARRAYS.items(), columns, strict=True)},
    )  # fmt: skip


def parse_book(content: bytes, game: type[State], name: str) -> tuple[Book, str]:
    """Read the content of a book file; messages call it `name`. Returns and raises as `load_book`."""
    header, arrays = unpack(KIND, content, name)
    if header["game"] != game.__name__:
        raise FormatError(f"{name}: this book is for the game {quoted(header['game'])}, not {game.__name__}")
    if header["fingerprint"] != fingerprint(game):
        raise FormatError(
            f"{name}: the rules of {game.__name__} have been changed since this book was made; build it again"
        )
    valid = {key: str(each.dtype) for key, each in arrays.items()} == _ARRAYS
    valid = valid and len({each.shape for each in arrays.values()}) == 1 and arrays["keys"].ndim == 1
    if not valid or type(header.get("plies")) is not int:
        raise FormatError(f"{name}: the book file has a wrong header")
    try:
        book = Book(game, game.parse(header["root"]), header["plies"], header["search"])
    except PositionError:
        raise FormatError(f"{name}: the book begins with {quoted(header['root'])}, which is not a position") from None
    for key, *row in zip(*(arrays[each].tolist() for each in _ARRAYS), strict=True):
        score, move, depth, proven = row
        if abs(score) > LIMIT or move < NO_MOVE or depth < 0 or proven not in (0, 1):
            raise FormatError(f"{name}: entry {len(book.entries) + 1} of the book is not valid")
        book.entries[key % (1 << 64)] = Entry(score, move, depth, bool(proven))
    if len(book.entries) != len(arrays["keys"]):
        raise FormatError(f"{name}: the book has two entries for one position")
    return book, header["command"]
