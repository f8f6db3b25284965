"""Connections to stores: defensive settings, limits, patience with locks, and errors in one line.

A store may come from anybody. Functions and views of its schema are not trusted, statements end after a number of
steps that follows from the size of the file, and SQLite's own messages, which quote the file, are not shown.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from zermelo._util.sqlite_files import check_companions, refuse_companions
from zermelo._util.text import quoted, single_line
from zermelo.arena.store.schema import APPLICATION_ID, SCHEMA_VERSION
from zermelo.errors import FileError, StoreError

#: Page cache in KiB. Games are read and written in order, so few pages are used twice.
CACHE_KIB = 256
#: Seconds that opening and reading wait for a lock held by another program (a backup, a shell).
BUSY_TIMEOUT = 10.0
#: Seconds that a run waits for such a lock before a game counts as not saved, and before it reports the wait.
PATIENCE, REPORT_AFTER = 3600.0, 5.0
# Seconds that SQLite itself waits, and that we wait after it; between its attempts Ctrl-C takes effect.
_ATTEMPT = 0.05
# Bytes of the header of a database.
_HEADER_BYTES = 100
# Steps between two calls of the progress handler.
_STEPS = 10_000
# A row takes about 100 bytes and 50 steps, so that no honest statement takes more steps than the file has bytes.
_MIN_STEPS = 2_000_000
# Bytes of a row; a game of a million plies with its reports takes 50 MB.
_MAX_ROW = 64 << 20
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: _MAX_ROW,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 10_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 64,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 20,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 2,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 8,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 64,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}
#: Message about a store that is to be created.
EXISTS = "file exists: {}; choose another name, or continue it with `zermelo resume`"
_LOCKED = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
OnWait = Callable[[str], None]


class Database:
    """A connection to the file of a store. All errors of SQLite become `StoreError`.

    Parameters
    ----------
    path : Path
        The file, for messages.
    connection : sqlite3.Connection
        From `connect`.
    on_wait : callable, optional
        Called once per wait with a line for the user, after `REPORT_AFTER` seconds.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, on_wait: OnWait | None = None) -> None:
        self.path = path
        self.connection = connection
        #: Seconds to wait for a lock of another program.
        self.patience = BUSY_TIMEOUT
        self.on_wait = on_wait
        #: Ends a wait with `KeyboardInterrupt` when it is set, for code in which Ctrl-C sets an event.
        self.interrupt = threading.Event()
        self._steps = 0
        connection.set_progress_handler(self._is_endless, _STEPS)

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def execute(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Start a statement, waiting for locks; `query` to read rows."""
        with self.errors():
            return self.patiently(sql, values)

    @contextmanager
    def query(self, sql: str, values: Sequence[Any] = ()) -> Iterator[sqlite3.Cursor]:
        """Start a statement that ends with the block: one that is not finished keeps a lock, even of a closed file."""
        with closing(self.execute(sql, values)) as cursor, self.errors():
            yield cursor

    def one(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row, or None."""
        with self.query(sql, values) as cursor:
            return cursor.fetchone()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows."""
        with self.query(sql, values) as cursor:
            return cursor.fetchall()

    @contextmanager
    def transaction(self, begin: str = "BEGIN") -> Iterator[None]:
        """Run statements in one transaction; `BEGIN IMMEDIATE` to write."""
        self.execute(begin)
        with self.errors():
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:  # including Ctrl-C
                if self.connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self.connection.execute("ROLLBACK")
                raise

    def errors(self) -> AbstractContextManager[None]:
        """Turn SQLite's errors into `StoreError` with one line for the user."""
        return sqlite_errors(self.path)

    def patiently(self, sql: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Do what `execute` does, with SQLite's own errors."""
        began = time.monotonic()
        reported = False
        while True:
            self._steps = 0
            try:
                return self.connection.execute(sql, values)
            except sqlite3.OperationalError as error:
                waited = time.monotonic() - began
                if not _error_name(error).startswith(_LOCKED) or waited >= self.patience:
                    raise
                if not reported and waited >= REPORT_AFTER and self.on_wait is not None:
                    reported = True
                    self.on_wait(f"{shown(self.path)}: locked by another program; waiting for it")
                if self.interrupt.wait(min(_ATTEMPT, self.patience)):
                    raise KeyboardInterrupt from None

    def _is_endless(self) -> bool:
        self._steps += _STEPS
        return self._steps > _MIN_STEPS and self._steps > _size(self.path)


def _size(path: Path) -> int:
    """Return the size of a store with its log, in bytes."""
    size = 0
    for name in (path, Path(f"{path}-wal")):
        with suppress(OSError):
            size += name.stat().st_size
    return size


def connect(
    path: Path, mode: str, *, immutable: bool = False, name: Path | None = None, on_wait: OnWait | None = None
) -> Database:
    """Connect to a file with defensive settings; texts are read as bytes.

    Parameters
    ----------
    path : Path
        The file.
    mode : str
        SQLite's mode: "rw", "rwc" or "ro".
    immutable : bool
        Without lock and log, for a file that cannot change.
    name : Path, optional
        The file in messages, if it is another one.
    on_wait : callable, optional
        See `Database`.

    Raises
    ------
    StoreError
        A journal or log beside the file is not safe to open; see `check_companions`.
    sqlite3.Error
        The file cannot be opened, or another program locks it for longer than `BUSY_TIMEOUT`.

    Notes
    -----
    The first statement recovers the journal or log of a killed process, so that the file is checked after it.

    The generated columns of schema versions 1 and 2 call `json_extract`, which SQLite does not count as harmless, so
    that functions of their schema are allowed; that schema is compared with ours before anything is read from it.
    """
    try:
        check_companions(path, shown(path))
    except FileError as error:
        raise StoreError(str(error)) from None
    is_old = False
    if mode != "rwc":
        with suppress(sqlite3.Error):
            is_old = _read_header(path).version < SCHEMA_VERSION
    uri = f"{path.as_uri()}?mode={mode}{'&immutable=1' * immutable}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_ATTEMPT)
    return _defend(Database(name or path, connection, on_wait), trusted="ON" if is_old else "OFF")


def connect_temporary(name: Path) -> Database:
    """Return a database that is private to this connection; SQLite deletes it."""
    return _defend(Database(name, sqlite3.connect("", isolation_level=None)), trusted="OFF")


def _defend(database: Database, trusted: str) -> Database:
    connection = database.connection
    try:
        connection.text_factory = bytes  # a damaged text need not be UTF-8
        for limit, value in _LIMITS.items():
            connection.setlimit(limit, value)
        if sys.version_info >= (3, 12):
            connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
        for pragma in (
            f"trusted_schema = {trusted}",
            "cell_size_check = ON",
            "mmap_size = 0",
            f"cache_size = -{CACHE_KIB}",
        ):
            database.patiently(f"PRAGMA {pragma}")  # the size of the cache is in the file
    except BaseException:
        database.close()
        raise
    return database


# ---- files -----------------------------------------------------------------------------------------------


def resolve(path: str | os.PathLike[str]) -> Path:
    """Follow links, so that the lock is the same under every name of the store."""
    if not str(path) or "\0" in str(path):
        raise StoreError(f"not a file name: {quoted(str(path))}")
    resolved = Path(os.path.realpath(path))
    if not resolved.parent.is_dir():
        raise StoreError(f"{path}: no such directory: {resolved.parent}")
    return resolved


def shown(path: Path) -> str:
    """Return a path relative to the working directory if it is below it."""
    with suppress(OSError, ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


def check_file(path: Path) -> None:
    """Raise `StoreError` unless a file looks like a store of a known version.

    Only its header is read, so that the file of another program, or its log, stays as it is.

    Raises
    ------
    StoreError
        The file is not a store, or it cannot be read.
    """
    if not path.exists():
        raise StoreError(f"file not found: {shown(path)}")
    if path.is_dir():
        raise StoreError(f"is a directory, not a store: {shown(path)}")
    if not path.is_file():
        raise StoreError(f"not a regular file: {shown(path)}")
    size = path.stat().st_size
    if size < _HEADER_BYTES:
        raise StoreError(f"{shown(path)}: not a store of games{'' if size else ': an empty file'}")
    with sqlite_errors(path):
        header = _read_header(path)
    if header.application != APPLICATION_ID:
        raise StoreError(f"{shown(path)}: not a store of games: a database of another program")
    check_version(path, header.version)
    # The log may hold pages that the file lacks, if a kill or a full disk interrupted the merge.
    if path.stat().st_size % header.page_size and not Path(f"{path}-wal").exists():
        raise StoreError(f"{shown(path)}: damaged: the file is truncated")


def check_new(path: Path) -> None:
    """Raise `StoreError` if a store cannot be created under this name."""
    if path.is_dir():
        raise StoreError(f"is a directory, not a file: {shown(path)}")
    if path.exists():
        raise StoreError(EXISTS.format(shown(path)))
    try:
        refuse_companions(path, shown(path))
    except FileError as error:
        raise StoreError(str(error)) from None


class _Header(NamedTuple):
    """Fields of the header of a database: https://sqlite.org/fileformat2.html#the_database_header."""

    application: int
    version: int
    page_size: int


def _read_header(path: Path) -> _Header:
    """Read the header of a file, without locks, journal and log. Raises `sqlite3.Error`.

    SQLite reads it: a file that we opened and closed ourselves would end all locks of this process on it, also those
    of a store that is open (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
    SQLite defers the closing for as long as the process has a lock.
    """
    uri = f"{path.as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        # Without it, a file that is shorter than its header says is refused: the log may hold the other pages.
        connection.execute("PRAGMA writable_schema = ON")
        names = ("application_id", "user_version", "page_size")
        return _Header(*(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names))


def check_version(path: Path, version: object) -> None:
    """Raise `StoreError` if a schema version is unknown."""
    if version not in range(1, SCHEMA_VERSION + 1):
        raise StoreError(
            f"{shown(path)}: schema version {version} is not supported; this version of Zermelo reads versions 1 to "
            f"{SCHEMA_VERSION}"
        )


# ---- errors ----------------------------------------------------------------------------------------------


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into `StoreError` with one line for the user.

    Python decodes SQLite's message as UTF-8, and the message of a damaged schema quotes the file.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{shown(path)}: {_explanation(error)}") from None
    except UnicodeDecodeError:
        raise StoreError(f"{shown(path)}: {_EXPLANATIONS['SQLITE_CORRUPT']}") from None


def _explanation(error: sqlite3.Error) -> str:
    """Return what an error of SQLite means for the user."""
    name = _error_name(error)
    for prefix, text in _EXPLANATIONS.items():
        if name.startswith(prefix):
            return text
    return f"cannot be used as a store of games: {single_line(str(error))[:200]}"


def _error_name(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", "") or ""


_EXPLANATIONS = {
    "SQLITE_FULL": "the disk is full; all earlier games are safe: free some space, then resume",
    "SQLITE_IOERR": "the disk failed or is full; all earlier games are safe: check the disk, then resume",
    "SQLITE_NOTADB": "not a store of games",
    "SQLITE_CORRUPT": "damaged: parts of the file are missing or overwritten",
    "SQLITE_INTERRUPT": "damaged: a query of it does not end",
    "SQLITE_TOOBIG": "damaged: a row is too long",
    "SQLITE_READONLY": "the file is read-only",
    "SQLITE_CANTOPEN": "cannot be opened; check the permissions of the file and its directory",
    **dict.fromkeys(_LOCKED, "locked by another program"),
    "SQLITE_PERM": "permission denied",
}
