"""The formats of each game: its own first, then those of every game.

To add a format for a game, write a module with a reader and a writer, and yield a `Format` in the game's function
below. The functions import their modules on use. A format that is not text has a `BinaryFormat` besides, and `Format`
is made by `_binary`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Protocol

from zermelo._util.text import without_controls
from zermelo._util.user_files import read_open_file
from zermelo.core.game import State
from zermelo.errors import FormatError
from zermelo.formats.line_reader import TextLine, read_lines
from zermelo.formats.movetext import OnError
from zermelo.formats.record import Record

#: Binary files are read whole; larger ones are refused, in bytes. WTHOR files of 1,000,000 games have about as many.
MAX_BINARY_BYTES = 1 << 26


class BinaryWriter(Protocol):
    """Collects the games of a binary file."""

    def add(self, record: Record) -> None:
        """Add a game. Raises `FormatError`, and adds no game, if the format cannot express it."""

    def files(self) -> dict[str, bytes]:
        """Return the contents of the files by suffix: first the file itself, then those that belong beside it."""


@dataclass(frozen=True, slots=True)
class BinaryFormat:
    """How the files of a format are read and written that are not text."""

    #: Reads the games from the content of a file. The second argument is the file's path, beside which other files of
    #: the format may be read, or "". Calls the third for each game, or a whole file, that cannot be read.
    read: Callable[[bytes, str, OnError], Iterator[Record]]
    writer: Callable[[], BinaryWriter]


def files_by_path(writer: BinaryWriter, path: str) -> dict[str, bytes]:
    """Return the contents of the files of a writer by path: first `path` itself, then those beside it."""
    stem = os.path.splitext(path)[0]
    contents = writer.files()
    return {path if number == 0 else stem + suffix: contents[suffix] for number, suffix in enumerate(contents)}


@dataclass(frozen=True, slots=True)
class Format:
    """A file format for games or positions of one game."""

    name: str
    #: A short description.
    description: str
    #: Reads the games from the lines of a file; calls the second argument for each game that cannot be read.
    read: Callable[[Iterable[TextLine], OnError], Iterator[Record]]
    #: Returns a game as text that ends with a newline.
    write: Callable[[Record], str]
    #: The suffixes of file names.
    suffixes: tuple[str, ...] = ()
    #: What the format keeps beside the moves: "all" annotations, "evaluations" of moves, or "" nothing.
    annotations: str = ""
    #: The reader and writer of a format that is not text; `read` and `write` then refuse every file and game.
    binary: BinaryFormat | None = None

    def read_file(self, file: BinaryIO, on_error: OnError, path: str = "") -> Iterator[Record]:
        """Yield the games of an open file, text or binary.

        Parameters
        ----------
        file : binary file
            The file.
        on_error : callable
            Called for each game that cannot be read, and for a binary file that cannot be read at all.
        path : str
            Path of the file, if files beside it may be read (the players of a WTHOR file); by default they are not.

        Raises
        ------
        FileError
            If a binary file is too large.
        """
        if self.binary is None:
            yield from self.read(read_lines(file), on_error)
        else:
            yield from self.binary.read(read_open_file(file, MAX_BINARY_BYTES), path, on_error)

    def text(self, record: Record) -> str:
        """Return a game as the text of a file; control characters of its tags and comments become U+FFFD."""
        return without_controls(self.write(record))


def formats_of(cls: type[State]) -> dict[str, Format]:
    """Return the formats of a game by name."""
    own = _GAME_FORMATS.get(f"{cls.__module__}.{cls.__qualname__}", partial(_notation_formats, cls))
    return {each.name: each for each in (*own(), *_common_formats(cls))}


def get_format(cls: type[State], name: str) -> Format:
    """Return a format of a game by name. Raises `FormatError` if there is none."""
    known = formats_of(cls)
    if name not in known:
        raise FormatError(f"{cls.__name__} has no format {name!r}; expected one of {', '.join(known)}")
    return known[name]


def format_for_file(cls: type[State], file: str) -> Format | None:
    """Return the game's format for a file name by its suffix, or None."""
    for each in formats_of(cls).values():
        if file.casefold().endswith(each.suffixes):
            return each
    return None


def _common_formats(cls: type[State]) -> Iterator[Format]:
    from zermelo.formats import text_formats as texts

    read = partial(texts.read_json, cls)
    yield Format("json", "games with all annotations, one per line", read, texts.write_json, (".json", ".jsonl"), "all")


def _notation_formats(cls: type[State]) -> Iterator[Format]:
    from zermelo.formats import text_formats as texts

    yield Format("moves", "games as lines of moves", partial(texts.read_moves, cls), texts.write_moves, (".moves",))
    yield Format("positions", "positions, one per line", partial(texts.read_positions, cls), texts.write_position)


def _binary(name: str, description: str, suffixes: tuple[str, ...], binary: BinaryFormat) -> Format:
    """Return a format that is not text."""

    def refuse_text(lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
        on_error(FormatError(f"{name} is a binary format, not text; zermelo convert writes its games in a text format"))
        yield from ()

    def refuse_record(record: Record) -> str:
        raise FormatError(f"{name} is a binary format, which cannot be written as text; write it to a file")

    return Format(name, description, refuse_text, refuse_record, suffixes, binary=binary)


def _chess() -> Iterator[Format]:
    from zermelo.formats import epd, pgn
    from zermelo.formats import text_formats as texts
    from zermelo.games.chess import Chess

    read_moves = partial(texts.read_moves, Chess)
    yield Format("pgn", "games with comments and variations", pgn.read, pgn.write, (".pgn",), "all")
    yield Format("epd", "positions with operations, one per line", epd.read, epd.write, (".epd",))
    yield Format("fen", "positions, one per line", epd.read_fens, epd.write_fen, (".fen",))
    yield Format("uci", "games as lines of moves in UCI notation", read_moves, pgn.write_uci, (".uci",))
    yield Format("san", "games as lines of moves in SAN", read_moves, texts.write_moves, (".san",))


def _checkers() -> Iterator[Format]:
    from zermelo.formats import pdn
    from zermelo.formats import text_formats as texts
    from zermelo.games.checkers import Checkers

    read_positions = partial(texts.read_positions, Checkers)
    yield Format("pdn", "games with comments and variations", pdn.read, pdn.write, (".pdn",), "all")
    yield Format("fen", "positions, one per line", read_positions, texts.write_position, (".fen",))
    yield Format(
        "moves", "games as lines of moves", partial(texts.read_moves, Checkers), texts.write_moves, (".moves",)
    )


def _othello() -> Iterator[Format]:
    from zermelo.formats import ggf, obf, wthor
    from zermelo.games.othello import Othello

    yield Format("ggf", "games with evaluations and times", ggf.read, ggf.write, (".ggf",), "evaluations")
    yield from _notation_formats(Othello)
    yield Format("obf", "positions with the scores of moves, one per line", obf.read, obf.write, (".obf",))
    yield _binary(
        "wthor",
        "games with their players and tournaments, binary",
        (".wtb",),
        BinaryFormat(wthor.read_file, wthor.Writer),
    )


def _backgammon() -> Iterator[Format]:
    from zermelo.formats import match
    from zermelo.formats import text_formats as texts
    from zermelo.games.backgammon import Backgammon

    read_positions = partial(texts.read_positions, Backgammon)
    yield Format("match", "games of a match, with the doubling cube", match.read, match.write, (".mat",))
    yield Format("positions", "position IDs with match IDs, one per line", read_positions, texts.write_position)
    yield Format("moves", "games as lines of rolls and plays", partial(texts.read_moves, Backgammon), texts.write_moves)


def _go(name: str) -> Iterator[Format]:
    from zermelo.formats import sgf
    from zermelo.games import go

    cls = {"Go": go.Go, "Go19": go.Go19}[name]
    yield Format("sgf", "games with comments and variations", partial(sgf.read, cls), sgf.write, (".sgf",), "all")
    yield from _notation_formats(cls)


_GAME_FORMATS: dict[str, Callable[[], Iterator[Format]]] = {
    "zermelo.games.chess.rules.Chess": _chess,
    "zermelo.games.checkers.rules.Checkers": _checkers,
    "zermelo.games.othello.rules.Othello": _othello,
    "zermelo.games.backgammon.rules.Backgammon": _backgammon,
    "zermelo.games.go.rules.Go": partial(_go, "Go"),
    "zermelo.games.go.rules.Go19": partial(_go, "Go19"),
}
