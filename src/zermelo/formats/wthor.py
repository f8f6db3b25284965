"""WTHOR: the games of the French Othello Federation, in three binary files.

    .wtb   header, then 68 bytes a game: numbers of tournament, black and white; black's discs; black's discs with
           best play from the theoretical depth on; 60 moves, 10 * row + column, 0 after the last
    .jou   header, then 20 bytes for each player's name
    .trn   header, then 26 bytes for each tournament's name

    header, 16 bytes, little endian
      0  century, year, month, day of the file      8  number of names (u16)      12  board size; 0 is 8
      4  number of games (u32)                     10  year of the games (u16)    13  type, 1 for solitaires
                                                                                  14  theoretical depth, empty squares

The names of a file X.wtb are in X.jou and X.trn, or in WTHOR.JOU and WTHOR.TRN, which serve all files of a folder.
Names are ISO 8859-1 and end with NUL. Passes are not stored. Squares that nobody can take count for the winner.
A record has the tags `Event`, `Black`, `White`, `Date` (the year), `BlackDiscs`, `TheoreticalDiscs` and
`TheoreticalEmpties`; a number without a name is its own name, `#12`.

References
----------
S. Quin, "Format de fichiers de la base WThor", Fédération Française d'Othello.
"""

from __future__ import annotations

import datetime
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from zermelo._util.user_files import STDIN, list_folder, read_bytes
from zermelo.core.game import State
from zermelo.errors import FileError, FormatError
from zermelo.formats.record import UNKNOWN, Line, Record, Step
from zermelo.games.othello import PASS, Othello

HEADER = struct.Struct("<4BIHH4B")
GAME = struct.Struct("<3H2B60s")
PLAYER_BYTES, TOURNAMENT_BYTES = 20, 26
#: The most players and tournaments of a file.
MOST_NAMES = 1 << 16
MAX_NAMES_BYTES = HEADER.size + MOST_NAMES * TOURNAMENT_BYTES
#: Suffixes of the three files, and the name of those that serve all files of a folder.
GAMES, PLAYERS, TOURNAMENTS = ".wtb", ".jou", ".trn"
SHARED_NAME = "WTHOR"
#: Empty squares from which on the theoretical score is usually solved.
DEPTH = 24

OnError = Callable[[FormatError], None]


class Date(NamedTuple):
    """The date of a file."""

    year: int
    month: int
    day: int


class Files(NamedTuple):
    """The contents of the three files of a set of games."""

    games: bytes
    players: bytes
    tournaments: bytes


class _Header(NamedTuple):
    games: int
    names: int
    year: int
    depth: int


def _read_header(data: bytes) -> _Header:
    if len(data) < HEADER.size:
        raise FormatError(f"the file has {len(data)} bytes; a WTHOR file has a header of {HEADER.size}")
    century, _, month, day, games, names, year, size, kind, depth, _ = HEADER.unpack_from(data)
    if not (15 <= century <= 40 and month <= 12 and day <= 31):
        raise FormatError("the header has no date; expected a WTHOR file")
    if size not in (0, 8):
        raise FormatError(f"the board has {size} x {size} squares; expected 8 x 8")
    if kind not in (0, 2):
        raise FormatError(f"the file has type {kind}; expected games, not solitaires")
    return _Header(games, names, year, depth)


# ---- reading --------------------------------------------------------------------------------------------------


def read_names(data: bytes) -> list[str]:
    """Return the names of a file of players (.jou) or tournaments (.trn), in the order of their numbers.

    Raises
    ------
    FormatError
        If it is not one of these files, or is cut off.
    """
    header = _read_header(data)
    rest = data[HEADER.size :]
    count = header.names or header.games  # some programs count names where games are counted
    size = len(rest) // count if count else PLAYER_BYTES
    if len(rest) != count * size or size not in (PLAYER_BYTES, TOURNAMENT_BYTES):
        raise FormatError(
            f"{len(rest):,} bytes for {count:,} names; expected {PLAYER_BYTES} or {TOURNAMENT_BYTES} bytes each"
        )
    texts = (rest[first : first + size] for first in range(0, len(rest), size))
    return [" ".join(text.partition(b"\0")[0].decode("latin-1").split()) for text in texts]


def read(
    data: bytes, on_error: OnError, players: Sequence[str] = (), tournaments: Sequence[str] = ()
) -> Iterator[Record]:
    """Yield the games of a .wtb file; call `on_error` for each that cannot be read.

    Parameters
    ----------
    data : bytes
        The content of the file.
    on_error : callable
        Called with a `FormatError` that has the number of the game and the move.
    players, tournaments : sequence of str
        The names of the files .jou and .trn (`read_names`).

    Raises
    ------
    FormatError
        If the file is not one of games.
    """
    yield from _games(data, _read_games_header(data), on_error, players, tournaments)


def _read_games_header(data: bytes) -> _Header:
    """Return the header of a .wtb file after a check of the file's size."""
    header = _read_header(data)
    if len(data) - HEADER.size != header.games * GAME.size:
        raise FormatError(
            f"{len(data) - HEADER.size:,} bytes for {header.games:,} games; expected {GAME.size} bytes each"
        )
    return header


def _games(
    data: bytes, header: _Header, on_error: OnError, players: Sequence[str], tournaments: Sequence[str]
) -> Iterator[Record]:
    for number, fields in enumerate(GAME.iter_unpack(data[HEADER.size :]), 1):
        try:
            record = _record(fields, header, players, tournaments)
        except FormatError as error:
            on_error(FormatError(error.wrong, game=number, move=error.move))
        else:
            yield record


def read_file(data: bytes, path: str, on_error: OnError) -> Iterator[Record]:
    """Yield the games of a .wtb file with the names of the files beside it.

    Parameters
    ----------
    data : bytes
        The content of the file.
    path : str
        Its path, to find the names; "" for none. Missing files of names are not an error.
    on_error : callable
        Called for each game that cannot be read, or once if a file cannot be read at all.
    """
    try:
        names = [_names_beside(path, suffix) for suffix in (PLAYERS, TOURNAMENTS)]
        header = _read_games_header(data)
    except FormatError as error:
        on_error(error)
        return
    yield from _games(data, header, on_error, *names)


def _names_beside(path: str, suffix: str) -> list[str]:
    """Return the names for a .wtb file; an empty list if there is no file of names."""
    if path in ("", STDIN):
        return []
    place = Path(path)
    wanted = [f"{place.stem}{suffix}".casefold(), f"{SHARED_NAME}{suffix}".casefold()]
    try:
        found = {each.name.casefold(): each for each in list_folder(place.parent, suffix)}
    except FileError:  # a folder whose files can be read, but not listed
        return []
    chosen = next((found[name] for name in wanted if name in found), None)
    if chosen is None:
        return []
    try:
        return read_names(read_bytes(chosen, MAX_NAMES_BYTES))
    except FormatError as error:
        raise FormatError(f"{chosen.name}: {error.wrong}") from None


def _record(
    fields: tuple[int, int, int, int, int, bytes], header: _Header, players: Sequence[str], tournaments: Sequence[str]
) -> Record:
    tournament, black, white, discs, theoretical, moves = fields
    if discs > 64 or theoretical > 64:
        raise FormatError(f"black has {max(discs, theoretical)} discs; expected 0 to 64")
    played = moves.rstrip(b"\0")
    state, line = Othello.start(), Line()
    for ply, move in enumerate(played, 1):
        row, column = divmod(move, 10)
        if not (1 <= row <= 8 and 1 <= column <= 8):
            raise FormatError(f"move {ply} is {move}; expected 10 * row + column, 11 to 88", move=str(move))
        square = 8 * (row - 1) + column - 1
        name = state.move_name(square)
        if state.is_over():
            raise FormatError(f"move {ply} is {name}, but the game is over", move=name)
        legal = state.legal_moves()
        if legal == [PASS]:
            line.steps.append(Step("pass", PASS))
            state = state.play(PASS)
            legal = state.legal_moves()
        if square not in legal:
            names = " ".join(map(state.move_name, legal))
            raise FormatError(f"move {ply} is {name}, which is not legal; legal: {names}", move=name)
        line.steps.append(Step(name, square))
        state = state.play(square)
    if state.is_over() and discs != _discs(state):
        raise FormatError(f"black has {discs} discs, but the game ended with {_discs(state)}")
    tags = {
        "Event": _name(tournaments, tournament),
        "Date": f"{header.year:04}",
        "Black": _name(players, black),
        "White": _name(players, white),
        "BlackDiscs": str(discs),
        "TheoreticalDiscs": str(theoretical),
        "TheoreticalEmpties": str(header.depth),
    }
    return Record(Othello.start(), line, tags, _result(discs))


def _result(discs: int) -> str:
    return "1-0" if discs > 32 else "0-1" if discs < 32 else "1/2-1/2"


def _discs(state: State) -> int:
    """Return black's discs at the end, with the empty squares for the winner."""
    return 32 + state.utility() // 2


def _name(names: Sequence[str], number: int) -> str:
    return names[number] if number < len(names) and names[number] else f"#{number}"


# ---- writing --------------------------------------------------------------------------------------------------


class Writer:
    """Collects games for the three files.

    Parameters
    ----------
    date : Date, optional
        The date of the files. Default: today.
    year : int
        The year of the games; 0 for that of the first tag `Date`, or of the file.
    depth : int, optional
        Empty squares from which on the theoretical scores are solved. Default: the tag `TheoreticalEmpties` of the
        first game that has it, or 24; a game with another one is then refused.
    """

    def __init__(self, date: Date | None = None, year: int = 0, depth: int | None = None) -> None:
        if date is None:
            today = datetime.date.today()
            date = Date(today.year, today.month, today.day)
        self._date, self._year, self._depth = date, year, depth
        self._takes_depth = depth is None
        self._players, self._tournaments = {"???": 0}, {"???": 0}
        self._games: list[bytes] = []

    def add(self, record: Record) -> None:
        """Add a game. Raises `FormatError`, and adds no game, if it cannot be expressed."""
        packed = _pack(record, self._players, self._tournaments)
        if self._takes_depth and "TheoreticalDiscs" in record.tags and "TheoreticalEmpties" in record.tags:
            depth = _number(record.tags["TheoreticalEmpties"], "TheoreticalEmpties", "empty squares", 60)
            if self._depth not in (None, depth):
                raise FormatError(f"tag TheoreticalEmpties {depth}; the games before have {self._depth}")
            self._depth = depth
        self._games.append(packed)
        self._year = self._year or _year(record)

    def contents(self) -> Files:
        """Return the contents of the files. Raises `FormatError` for a date, year or depth that is out of range."""
        date, year, depth = self._date, self._year or self._date.year, DEPTH if self._depth is None else self._depth
        if not 1 <= date.year // 100 <= 99 or not 0 <= year < 1 << 16 or not 0 <= depth <= 60:
            raise FormatError(f"date {date.year}, year {year} or depth {depth} is out of range")
        return Files(
            _header(date, len(self._games), 0, year, depth) + b"".join(self._games),
            _header(date, 0, len(self._players), 0, 0) + _names(self._players, PLAYER_BYTES),
            _header(date, 0, len(self._tournaments), 0, 0) + _names(self._tournaments, TOURNAMENT_BYTES),
        )

    def files(self) -> dict[str, bytes]:
        """Return the contents of the files by suffix, that of the games first."""
        return dict(zip((GAMES, PLAYERS, TOURNAMENTS), self.contents(), strict=True))


def write(records: Iterable[Record], date: Date, year: int = 0, depth: int | None = None) -> Files:
    """Return the games of records as the three files.

    Parameters
    ----------
    records : iterable of Record
        Games of Othello from the initial position. Where the tag `BlackDiscs` is missing, the final position says how
        many; `TheoreticalDiscs` is then the same, unless it is given.
    date, year, depth
        As in `Writer`.

    Raises
    ------
    FormatError
        If a game cannot be expressed: another start, an unfinished game without discs, a name that is too long.

    Notes
    -----
    The first player and the first tournament have the number 0 and the name `???`, for games without these tags.
    Numbers are given in the order of the games, so those of a file that was read are not kept.
    """
    writer = Writer(date, year, depth)
    for number, record in enumerate(records, 1):
        try:
            writer.add(record)
        except FormatError as error:
            raise FormatError(error.wrong, game=number, move=error.move) from None
    return writer.contents()


def _header(date: Date, games: int, names: int, year: int, depth: int) -> bytes:
    return HEADER.pack(date.year // 100, date.year % 100, date.month, date.day, games, names, year, 8, 0, depth, 0)


def _names(numbers: dict[str, int], size: int) -> bytes:
    return b"".join(name.encode("latin-1").ljust(size, b"\0") for name in numbers)


def _year(record: Record) -> int:
    found = re.match("[0-9]{4}", record.tags.get("Date", ""))
    return int(found[0]) if found else 0


def _pack(record: Record, players: dict[str, int], tournaments: dict[str, int]) -> bytes:
    if record.start != Othello.start():
        raise FormatError(f"the game begins with {record.start}; WTHOR has games from the initial position only")
    end = record.end()
    theoretical = record.tags.get("TheoreticalDiscs", "")
    discs = record.tags.get("BlackDiscs", "")
    if not discs:
        if not end.is_over():
            raise FormatError("the game is not over and has no tag BlackDiscs; expected black's discs")
        discs = str(_discs(end))
    values = [_number(discs, "BlackDiscs"), _number(theoretical or discs, "TheoreticalDiscs")]
    if end.is_over() and values[0] != _discs(end):
        raise FormatError(f"tag BlackDiscs {discs}, but the game ended with {_discs(end)}")
    if record.result not in (UNKNOWN, _result(values[0])):
        raise FormatError(f"result {record.result}, but black has {values[0]} discs")
    moves = bytes(10 * (move // 8 + 1) + move % 8 + 1 for move in record.moves() if move != PASS)
    return GAME.pack(
        _numbered(record.tags.get("Event", ""), tournaments, TOURNAMENT_BYTES),
        _numbered(record.tags.get("Black", ""), players, PLAYER_BYTES),
        _numbered(record.tags.get("White", ""), players, PLAYER_BYTES),
        *values,
        moves,
    )


def _number(text: str, tag: str, what: str = "discs", largest: int = 64) -> int:
    if not re.fullmatch("[0-9]{1,2}", text) or int(text) > largest:
        raise FormatError(f"tag {tag} {text!r}; expected {what} from 0 to {largest}")
    return int(text)


def _numbered(name: str, known: dict[str, int], size: int) -> int:
    """Return the number of a name, a new one if it is new."""
    name = " ".join(name.split()) or "???"
    try:
        length = len(name.encode("latin-1"))
    except UnicodeEncodeError:
        raise FormatError(f"name {name!r}; expected characters of ISO 8859-1") from None
    if length >= size or "\0" in name:
        raise FormatError(f"name {name!r} has {length} bytes; expected at most {size - 1}")
    if name not in known and len(known) == MOST_NAMES:
        raise FormatError(f"more than {MOST_NAMES:,} names")
    return known.setdefault(name, len(known))
