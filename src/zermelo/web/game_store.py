"""Saved games: an SQLite file in the data folder. Each move is one transaction, so a kill of the server loses none.

A game is plain data (`SavedGame`). Its version counts the changes: who saves names the version that it changed, so
that two servers, or two pages, never overwrite each other's moves.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import platformdirs

from zermelo._util.sqlite_files import check_companions
from zermelo._util.user_files import shown_path
from zermelo._util.user_folders import user_folder
from zermelo.core.game import LARGEST_LEVEL
from zermelo.errors import FileError
from zermelo.web.errors import RequestError, conflict, not_found

FILE = "games.sqlite3"
#: Saved games of one data folder. A game takes a few kilobytes.
MAX_GAMES = 2_000
#: Plies of a saved game, chance events included; the longest games of chess on record have about 540.
MAX_PLIES = 2_000
#: Seconds to wait while another process writes.
_PATIENCE = 5.0

Side = Literal["max", "min"]


class Seat(msgspec.Struct, frozen=True):
    """Who plays a side: a person, or the engine at a level."""

    kind: Literal["person", "engine"] = "person"
    level: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_LEVEL)] = 5


class ClockSetting(msgspec.Struct, frozen=True):
    """Time for each side, in seconds: for the whole game, and added for each of its moves."""

    base: Annotated[float, msgspec.Meta(ge=1, le=86_400)]
    increment: Annotated[float, msgspec.Meta(ge=0, le=3_600)] = 0.0


class Outcome(msgspec.Struct, frozen=True):
    """How a game ended."""

    #: Utility for MAX; None where it is unknown.
    utility: int | None
    #: One sentence for people.
    text: str
    reason: Literal["rules", "draw claimed", "agreement", "resignation", "time", "length"]


class SavedGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game as it is saved."""

    id: str
    #: Name of the game in the API, and its title.
    game: str
    title: str
    #: Position before the first move, as text.
    start: str
    #: Names of the moves and chance events.
    moves: tuple[str, ...] = ()
    max: Seat = Seat()
    min: Seat = Seat()
    #: Whether information is hidden.
    hidden: bool = False
    #: Names of the sides.
    names: tuple[str, str] = ("MAX", "MIN")
    #: Seed of dice and of the engine's choices.
    seed: int = 0
    clock: ClockSetting | None = None
    #: Seconds left to MAX and MIN.
    left: tuple[float, float] | None = None
    #: The side that has offered a draw.
    offer: Side | None = None
    outcome: Outcome | None = None
    created: float = 0.0
    updated: float = 0.0
    #: Number of changes so far.
    version: int = 0

    def seat(self, side: int) -> Seat:
        """Return who plays a side, MAX or MIN."""
        return self.max if side > 0 else self.min


def _no_game() -> RequestError:
    return not_found("there is no game with this id; it may have been deleted", "id")


def data_folder(folder: Path | None) -> Path:
    """The folder of a setting; None stands for the user's data folder. It may not exist."""
    if folder is not None:
        return folder
    return user_folder("ZERMELO_DATA_DIR", lambda: os.path.join(platformdirs.user_data_dir("zermelo"), "web"))


class GameStore:
    """The saved games of a data folder. Its methods may be called from any thread.

    Parameters
    ----------
    folder : Path or None
        The folder, made if it does not exist; None: the user's data folder.

    Raises
    ------
    FileError
        If the folder or the file cannot be made, read or written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        folder = data_folder(folder)
        self.path = folder / FILE
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{shown_path(folder)}: cannot be made: {error.strerror or error}") from None
        check_companions(self.path, shown_path(self.path))
        with self._errors():
            self._connection = sqlite3.connect(
                self.path, timeout=_PATIENCE, check_same_thread=False, isolation_level=None
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")  # a move is on the disk before it is answered
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS games (id TEXT PRIMARY KEY, version INTEGER NOT NULL, "
                "updated REAL NOT NULL, record BLOB NOT NULL)"
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def load(self, name: str) -> SavedGame:
        """Return a game by its id.

        Raises
        ------
        RequestError
            If there is no such game, or its record cannot be read.
        """
        with self._errors():
            row = self._connection.execute("SELECT record FROM games WHERE id = ?", (name,)).fetchone()
        if row is None:
            raise _no_game()
        try:
            return msgspec.json.decode(row[0], type=SavedGame)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RequestError(f"the saved game cannot be read: {error}", field="id", status=422) from None

    def add(self, game: SavedGame) -> SavedGame:
        """Save a new game; returns it with its times.

        Raises
        ------
        RequestError
            409, if there are `MAX_GAMES` already.
        """
        now = time.time()
        game = msgspec.structs.replace(game, created=now, updated=now, version=1)
        with self._errors():
            (count,) = self._connection.execute("SELECT count(*) FROM games").fetchone()
            if count >= MAX_GAMES:
                raise conflict(f"{MAX_GAMES:,} games are saved, the most there can be; delete some of them")
            values = (game.id, game.version, game.updated, msgspec.json.encode(game))
            self._connection.execute("INSERT INTO games VALUES (?, ?, ?, ?)", values)
        return game

    def save(self, game: SavedGame) -> SavedGame:
        """Save a changed game in place of the version that it was made from; returns it with the next version.

        Raises
        ------
        RequestError
            409, if the game has changed or has been deleted meanwhile.
        """
        after = msgspec.structs.replace(game, updated=time.time(), version=game.version + 1)
        values = (after.version, after.updated, msgspec.json.encode(after), game.id, game.version)
        with self._errors():
            changed = self._connection.execute(
                "UPDATE games SET version = ?, updated = ?, record = ? WHERE id = ? AND version = ?", values
            )
        if changed.rowcount != 1:
            raise conflict("the game has changed meanwhile", "version")
        return after

    def delete(self, name: str) -> None:
        """Delete a game. Raises `RequestError` if there is none with this id."""
        with self._errors():
            deleted = self._connection.execute("DELETE FROM games WHERE id = ?", (name,))
        if deleted.rowcount != 1:
            raise _no_game()

    def games(self) -> Iterator[SavedGame]:
        """Yield all games that can be read, the one changed last first."""
        with self._errors():
            rows = self._connection.execute("SELECT record FROM games ORDER BY updated DESC").fetchall()
        for (record,) in rows:
            try:
                yield msgspec.json.decode(record, type=SavedGame)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # one bad record costs itself alone

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Hold the lock; turn errors of SQLite into `FileError`."""
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise FileError(f"{shown_path(self.path)}: cannot be read or written: {error}") from None
