"""SQLite store of finished games: one file per match or tournament.

with Store.create("games.db", plan.as_dict()) as store:
    store.add(record)                       True: the game is on the disk
with Store.open("games.db") as store:       also while a tournament runs
    standings(names, store.results())

Guarantees, and how they are kept:
games are saved whole or not at all   one transaction per game; the game number is the primary key
kill -9 at any moment                 write-ahead log: a commit is one append; the next open recovers it
power loss                            `synchronous=FULL`: the log is on the disk before `add` returns
one writer                            a system lock on STORE.lock, which ends with the process
readers at any time                   readers and the writer do not block each other (WAL)
one file to copy                      closing merges the log into the file and removes it
damage is detected                    a digest per game, and a check of the whole file before it is opened for writing

While a tournament runs (or after it was killed, until the file is opened again), recent games are in STORE-wal and
missing from a copy of the file alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from zermelo._util.text import quoted
from zermelo.arena.game_record import GameJob, GameRecord, GameResult, MoveReport
from zermelo.arena.plans.entrants import external_parts
from zermelo.arena.run_directories import register_run, was_started_here
from zermelo.errors import StoreError

#: SQLite application id of stores: "Zrml", as `file` and SQLite's tools show it.
APPLICATION_ID = 0x5A726D6C
#: Version of the schema. Version 1 is read, and migrated when it is opened for writing.
SCHEMA_VERSION = 2
#: Rows fetched at once when all games are read; no lock is held between blocks.
BLOCK = 500
#: Page cache in KiB. Games are read and written in order, so few pages are used twice.
CACHE_KIB = 256
#: Seconds to wait for a lock held by another program (a backup, a shell).
BUSY_TIMEOUT = 10.0
_MAX_INT = (1 << 63) - 1
_EXISTS = "file exists: {}; choose another name, or continue it with `zermelo resume`"

# `job`, `moves` and `reports` hold the whole game; most other columns exist for queries in SQL.
_TABLES = f"""
PRAGMA page_size = 4096;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
BEGIN;
CREATE TABLE store (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE games (
    number          INTEGER PRIMARY KEY,
    max_player      TEXT NOT NULL,
    min_player      TEXT NOT NULL,
    points          REAL NOT NULL,
    termination     TEXT NOT NULL,
    detail          TEXT NOT NULL,
    forfeited_by    INTEGER,
    utility         INTEGER,
    plies           INTEGER NOT NULL,
    max_nodes       INTEGER NOT NULL,
    min_nodes       INTEGER NOT NULL,
    max_seconds     REAL NOT NULL,
    min_seconds     REAL NOT NULL,
    max_moves       INTEGER NOT NULL,
    min_moves       INTEGER NOT NULL,
    round           INTEGER NOT NULL,
    game_pair       INTEGER NOT NULL,
    opening         TEXT NOT NULL,
    moves_hash      TEXT NOT NULL,
    max_version     TEXT NOT NULL,
    min_version     TEXT NOT NULL,
    referee_version TEXT NOT NULL,
    started_at      REAL NOT NULL,
    seconds         REAL NOT NULL,
    job             TEXT NOT NULL,
    moves           TEXT NOT NULL,
    reports         TEXT NOT NULL,
    digest          TEXT NOT NULL,
    game            TEXT AS (json_extract(job, '$.game')) VIRTUAL,
    seed            INTEGER AS (json_extract(job, '$.seed')) VIRTUAL,
    max_clock       TEXT AS (json_extract(job, '$.controls[0]')) VIRTUAL,
    min_clock       TEXT AS (json_extract(job, '$.controls[1]')) VIRTUAL
);
CREATE TABLE failures (number INTEGER PRIMARY KEY, error TEXT NOT NULL, at REAL NOT NULL);
"""
_RESULT_COLUMNS = (
    "number, max_player, min_player, points, termination, detail, forfeited_by, utility, plies, max_nodes, min_nodes, "
    "max_seconds, min_seconds, max_moves, min_moves, round, game_pair, opening, moves_hash"
)
_RECORD_COLUMNS = (
    f"{_RESULT_COLUMNS}, max_version, min_version, referee_version, started_at, seconds, job, moves, reports"
)
_COLUMN_COUNT = _RECORD_COLUMNS.count(",") + 1
# Columns of schema version 1 that were renamed. Their contents, and so the digests, are the same.
_OLD_COLUMNS = {
    "termination": "ending",
    "forfeited_by": "at_fault",
    "game_pair": "pairing",
    "moves_hash": "line",
    "referee_version": "referee",
    "started_at": "began",
    "reports": "said",
}


class Store:
    """The games of one match or tournament and its plan. Use `Store.create` or `Store.open`; a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: FileLock | None) -> None:
        self.path = path
        self._connection = connection
        #: Held while the store is open for writing.
        self._lock = lock
        self._closed = False

    # ---- opening and closing -----------------------------------------------------------------------------

    @classmethod
    def create(cls, path: str | os.PathLike[str], plan: dict[str, Any]) -> Store:
        """Create a store and open it for writing.

        Parameters
        ----------
        path : path
            A file that does not exist.
        plan : dict
            The plan as JSON data; see `Plan.as_dict`.

        Raises
        ------
        StoreError
            The file exists or cannot be created.
        """
        path = _resolve(path)
        if path.is_dir():
            raise StoreError(f"is a directory, not a file: {_short(path)}")
        if path.exists():
            raise StoreError(_EXISTS.format(_short(path)))
        # Created under a temporary name: a file under the final name is always a complete store.
        temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.tmp")
        try:
            # Readable by its user only: the seed in the plan determines the dice of games to come.
            with suppress(OSError):  # SQLite reports the error when it opens the file
                os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with _sqlite_errors(path), closing(_connect(temporary, "rwc")) as connection:
                connection.executescript(_TABLES)
                from zermelo import __version__

                about = {"plan": json.dumps(plan), "version": __version__, "created": _now()}
                about["id"] = secrets.token_hex(16)
                connection.executemany("INSERT INTO store VALUES (?, ?)", about.items())
                connection.execute("COMMIT")
            _rename(temporary, path)
        finally:
            with suppress(OSError):
                temporary.unlink()
        store = cls.open(path, write=True)
        if external_parts(plan):
            register_run(store._run_id())
        return store

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, write: bool = False) -> Store:
        """Open an existing store.

        Parameters
        ----------
        path : path
            The file of the store.
        write : bool
            Open for writing: one process at a time, and a store of an older version is migrated. Any number of
            processes may read, also while a tournament runs.

        Raises
        ------
        StoreError
            The file does not exist, is not a store (it is then left unchanged), has an unknown schema version, is
            damaged, cannot be read or written, or another process writes to it.
        """
        path = _resolve(path)
        _check_file(path)
        lock = _acquire_lock(path) if write else None
        connection = None
        try:
            with _sqlite_errors(path):
                connection = _open_for_writing(path) if write else _open_for_reading(path)
            return cls(path, connection, lock)
        except BaseException:
            if connection is not None:
                connection.close()
            if lock is not None:
                _release_lock(lock)
            raise

    def close(self) -> None:
        """Close the store. May be called twice."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._lock is not None:
                # If a reader or a full disk prevents the merge, the games stay in the log and are as safe there.
                with suppress(sqlite3.Error):
                    self._connection.execute("DELETE FROM store WHERE name = 'run'")
                with suppress(sqlite3.Error):
                    self._connection.execute("PRAGMA busy_timeout = 100")
                    self._connection.execute("PRAGMA journal_mode = DELETE")
        finally:
            self._connection.close()
            if self._lock is not None:
                _release_lock(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- writing -----------------------------------------------------------------------------------------

    def add(self, record: GameRecord) -> bool:
        """Save a game.

        Returns
        -------
        bool
            True: the game is on the disk. False: a game of this number is already in the store and stays.

        Raises
        ------
        StoreError
            The game cannot be written; all earlier games are safe.
        """
        row = _row(record)
        marks = ", ".join("?" * (_COLUMN_COUNT + 1))
        with self._transaction():
            added = self._connection.execute(
                f"INSERT OR IGNORE INTO games ({_RECORD_COLUMNS}, digest) VALUES ({marks})", row
            )
            self._connection.execute("DELETE FROM failures WHERE number = ?", row[:1])
        return added.rowcount == 1

    def add_failure(self, number: int, error: str) -> None:
        """Save the error of a game that could not be played."""
        row = (number, _encodable(error), time.time())
        with self._transaction():
            self._connection.execute("INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", row)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if self._lock is None:
            raise StoreError(f"{_short(self.path)}: opened for reading only")
        with _sqlite_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:  # including Ctrl-C
                if self._connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")
                raise

    # ---- reading -----------------------------------------------------------------------------------------

    @property
    def plan(self) -> dict[str, Any]:
        """The plan as JSON data, as it was given to `create`; see `Plan.from_dict`."""
        with _sqlite_errors(self.path):
            row = self._connection.execute("SELECT value FROM store WHERE name = 'plan'").fetchone()
        try:
            plan = json.loads(row[0])
        except (TypeError, ValueError, RecursionError):
            plan = None
        if not isinstance(plan, dict):
            raise StoreError(f"{_short(self.path)}: damaged: the plan cannot be read")
        return plan

    @property
    def was_started_here(self) -> bool:
        """Whether this user created the store on this machine and its plan is unchanged; see `resume_checks`."""
        return was_started_here(self._run_id())

    def _run_id(self) -> str:
        """Return a digest of the random id and the plan, unknown to anyone without the store."""
        with _sqlite_errors(self.path):
            rows = self._connection.execute("SELECT name, value FROM store WHERE name IN ('id', 'plan')").fetchall()
        return hashlib.sha256(json.dumps(sorted(rows)).encode()).hexdigest()

    @cached_property
    def _is_version_1(self) -> bool:
        with _sqlite_errors(self.path):
            return bool(self._connection.execute("PRAGMA user_version").fetchone()[0] == 1)

    def _sql(self, sql: str) -> str:
        """Translate column names if the store has schema version 1."""
        return re.sub(r"\w+", lambda word: _OLD_COLUMNS.get(word[0], word[0]), sql) if self._is_version_1 else sql

    def versions(self) -> dict[str, set[str]]:
        """Return the programs and versions that played, by player name."""
        sql = "SELECT max_player, max_version FROM games UNION SELECT min_player, min_version FROM games"
        found: dict[str, set[str]] = {}
        with _sqlite_errors(self.path):
            for name, version in self._connection.execute(sql).fetchall():
                found.setdefault(name, set()).add(version)
        return found

    def __len__(self) -> int:
        with _sqlite_errors(self.path):
            count: int = self._connection.execute("SELECT count(*) FROM games").fetchone()[0]
        return count

    def results(self) -> Iterator[GameResult]:
        """Yield the results of all games, by number."""
        for row in self._rows(_RESULT_COLUMNS):
            yield _result(row)

    def result(self, number: int) -> GameResult:
        """Return the result of one game. Raises `StoreError` if the store has no game of this number."""
        sql = self._sql(f"SELECT {_RESULT_COLUMNS} FROM games WHERE number = ?")
        with _sqlite_errors(self.path):
            row = self._connection.execute(sql, [number]).fetchone()
        if row is None:
            raise StoreError(f"{_short(self.path)}: no game {number}; {self._number_range()}")
        return _result(row)

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of all games, in ascending order."""
        for row in self._rows("number"):
            yield row[0]

    def games(
        self,
        *,
        player: str = "",
        termination: str = "",
        on_error: Callable[[StoreError], None] | None = None,
    ) -> Iterator[GameRecord]:
        """Yield games by number.

        Parameters
        ----------
        player : str
            Only games of this player (the name in the table); empty: all players.
        termination : str
            Only games with this termination; empty: all.
        on_error : callable, optional
            Called with the error of each damaged game, which is then skipped; without it the error is raised.

        Raises
        ------
        StoreError
            A game is damaged.
        """
        where, values = "", []
        if player:
            where += " AND ? IN (max_player, min_player)"
            values.append(player)
        if termination:
            where += " AND termination = ?"
            values.append(termination)
        for row in self._rows(f"{_RECORD_COLUMNS}, digest", where, values):
            try:
                yield self._record(row)
            except StoreError as error:
                if on_error is None:
                    raise
                on_error(error)

    def game(self, number: int) -> GameRecord:
        """Return one game. Raises `StoreError` if the store has no game of this number or it is damaged."""
        for row in self._rows(f"{_RECORD_COLUMNS}, digest", " AND number = ?", [number]):
            return self._record(row)
        raise StoreError(f"{_short(self.path)}: no game {number}; {self._number_range()}")

    def failures(self) -> dict[int, str]:
        """Return the errors of the games that could not be played, by number."""
        with _sqlite_errors(self.path):
            return dict(self._connection.execute("SELECT number, error FROM failures ORDER BY number").fetchall())

    def _rows(self, columns: str, where: str = "", values: list[Any] | None = None) -> Iterator[tuple[Any, ...]]:
        """Yield rows in blocks, so that no lock is held and no log grows while the caller processes them."""
        last = -_MAX_INT - 1
        sql = self._sql(f"SELECT {columns} FROM games WHERE number > ?{where} ORDER BY number LIMIT {BLOCK}")
        while True:
            with _sqlite_errors(self.path):
                rows = self._connection.execute(sql, [last, *(values or [])]).fetchall()
            yield from rows
            if len(rows) < BLOCK:
                return
            last = rows[-1][0]

    def _record(self, row: tuple[Any, ...]) -> GameRecord:
        *values, digest = row
        try:
            if digest != _digest(values):
                raise ValueError("its digest does not match")
            record = _decode(values)
            if record.job.game != self._game:  # only the plan's game is trusted to be loaded
                raise ValueError("it is of another game than the plan")
            return record
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StoreError(f"{_short(self.path)}: game {row[0]} is damaged: {error}") from None

    @cached_property
    def _game(self) -> str | None:
        return self.plan.get("game")

    def _number_range(self) -> str:
        with _sqlite_errors(self.path):
            low, high = self._connection.execute("SELECT min(number), max(number) FROM games").fetchone()
        return "the store is empty" if low is None else f"its games are numbered {low} to {high}"


# ---- rows ------------------------------------------------------------------------------------------------


def _row(record: GameRecord) -> list[Any]:
    """Return a row of the table with its digest, in the types that SQLite returns: the digest depends on them."""
    job, result = record.job, record.result
    row = [
        job.number,
        *map(_encodable, job.names),
        float(record.points),
        _encodable(record.termination),
        _encodable(record.detail),
        record.forfeited_by,
        record.utility,
        result.plies,
        *(min(nodes, _MAX_INT) for nodes in result.nodes),
        *map(float, result.seconds),
        *result.move_counts,
        job.round,
        job.game_pair,
        _encodable(result.opening),
        result.moves_hash,
        *map(_encodable, record.versions),
        _encodable(record.referee_version),
        float(record.started_at),
        float(record.seconds),
        job.to_json(),
        json.dumps(record.moves, separators=(",", ":")),
        json.dumps(record.reports, separators=(",", ":")),
    ]
    return [*row, _digest(row)]


def _result(row: tuple[Any, ...] | list[Any]) -> GameResult:
    number, high, low, points, termination, detail, forfeited_by, utility, plies, *rest = row
    *pairs, round_, game_pair, opening, moves_hash = rest
    return GameResult(
        number=number,
        names=(high, low),
        points=points,
        termination=termination,
        detail=detail,
        forfeited_by=forfeited_by,
        utility=utility,
        plies=plies,
        nodes=(pairs[0], pairs[1]),
        seconds=(pairs[2], pairs[3]),
        move_counts=(pairs[4], pairs[5]),
        round=round_,
        game_pair=game_pair,
        opening=opening,
        moves_hash=moves_hash,
    )


def _decode(row: list[Any]) -> GameRecord:
    *_, high, low, referee_version, started_at, seconds, job, moves, reports = row
    return GameRecord(
        job=GameJob.from_dict(json.loads(job)),
        moves=tuple(json.loads(moves)),
        points=row[3],
        utility=row[7],
        termination=row[4],
        detail=row[5],
        forfeited_by=row[6],
        reports=tuple(MoveReport(*each) for each in json.loads(reports)),
        versions=(high, low),
        referee_version=referee_version,
        started_at=started_at,
        seconds=seconds,
    )


def _digest(row: list[Any]) -> str:
    return hashlib.sha256(json.dumps(row).encode()).hexdigest()[:16]


def _encodable(text: str) -> str:
    """Return a text that SQLite accepts: the output of a program need not be valid Unicode."""
    return text.encode("utf-8", "backslashreplace").decode()


# ---- files -----------------------------------------------------------------------------------------------


def _resolve(path: str | os.PathLike[str]) -> Path:
    """Follow links, so that the lock is the same under every name of the store."""
    if not str(path) or "\0" in str(path):
        raise StoreError(f"not a file name: {quoted(str(path))}")
    resolved = Path(os.path.realpath(path))
    if not resolved.parent.is_dir():
        raise StoreError(f"{path}: no such directory: {resolved.parent}")
    return resolved


def _short(path: Path) -> str:
    """Return a path relative to the working directory if it is below it."""
    with suppress(OSError, ValueError):
        return str(path.relative_to(Path.cwd()))
    return str(path)


def _check_file(path: Path) -> None:
    """Raise `StoreError` unless the file is a store of a known schema version; writes nothing."""
    if not path.exists():
        raise StoreError(f"file not found: {_short(path)}")
    if path.is_dir():
        raise StoreError(f"is a directory, not a store: {_short(path)}")
    if not path.is_file():
        raise StoreError(f"not a regular file: {_short(path)}")
    # The log may hold pages that the file lacks, if a kill or a full disk interrupted the merge.
    has_log = Path(f"{path}-wal").exists()
    with _sqlite_errors(path), closing(_connect(path, "ro", immutable=not has_log)) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        page = connection.execute("PRAGMA page_size").fetchone()[0]
    if application != APPLICATION_ID:
        what = "an empty file" if not path.stat().st_size else "a database of another program"
        raise StoreError(f"{_short(path)}: not a store of games: {what}")
    if version not in (1, SCHEMA_VERSION):
        raise StoreError(
            f"{_short(path)}: schema version {version} is not supported; this version of Zermelo reads versions 1 to "
            f"{SCHEMA_VERSION}"
        )
    if path.stat().st_size % page and not has_log:  # SQLite would read the incomplete page as a whole one
        raise StoreError(f"{_short(path)}: damaged: the file is truncated")


def _connect(path: Path, mode: str, *, immutable: bool = False) -> sqlite3.Connection:
    """Connect to a file; `immutable`: without lock and log, for a file that cannot change or whose changes do not
    matter.
    """
    uri = f"{path.as_uri()}?mode={mode}{'&immutable=1' * immutable}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_TIMEOUT)
    try:
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


def _open_for_reading(path: Path) -> sqlite3.Connection:
    """Connect read-write if possible, so that SQLite recovers the log of a killed process; then query only."""
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM store").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        may_not = error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))
        if not may_not or Path(f"{path}-wal").exists():
            raise
        # A read-only directory: nobody can create a log there, so the file does not change.
        connection = _connect(path, "ro", immutable=True)
        try:
            connection.execute("SELECT count(*) FROM store").fetchone()
        except BaseException:
            connection.close()
            raise
    except BaseException:
        connection.close()
        raise
    return connection


def _open_for_writing(path: Path) -> sqlite3.Connection:
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise StoreError(f"{_short(path)}: damaged, not opened for writing: {' '.join(problem.split())}")
        if connection.execute("PRAGMA user_version").fetchone()[0] == 1:
            _migrate_from_version_1(connection)
        run = {"process": os.getpid(), "host": socket.gethostname(), "since": _now()}
        connection.execute("INSERT OR REPLACE INTO store VALUES ('run', ?)", [json.dumps(run)])
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate_from_version_1(connection: sqlite3.Connection) -> None:
    """Rename the columns in one transaction. Rows, digests and the plan stay byte for byte as they are."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for new, old in _OLD_COLUMNS.items():
            connection.execute(f"ALTER TABLE games RENAME COLUMN {old} TO {new}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _rename(temporary: Path, path: Path) -> None:
    """Give a file its final name unless that exists, and flush the directory."""
    try:
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if path.exists():
                raise FileExistsError from None
            os.rename(temporary, path)
        with suppress(OSError):  # some systems cannot open a directory
            directory = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)
    except FileExistsError:
        raise StoreError(_EXISTS.format(_short(path))) from None
    except OSError as error:
        raise StoreError(f"{_short(path)}: {error.strerror or error}") from None


def _acquire_lock(path: Path) -> FileLock:
    lock = FileLock(f"{path}.lock", thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise StoreError(f"{_short(path)}: in use by {_lock_holder(path)}; only one process can write") from None
    except OSError as error:
        raise StoreError(f"{_short(path)}: cannot be written: {error.strerror or error}") from None
    return lock


def current_writer(path: str | os.PathLike[str]) -> str | None:
    """Return the process that writes to a store, such as "process 17 on HOST (since ...)"; None if there is none."""
    resolved = _resolve(path)
    lock = Path(f"{resolved}.lock")
    if not lock.exists():
        return None
    try:
        held = _acquire_lock(resolved)
    except StoreError:
        return _lock_holder(resolved)
    _release_lock(held)  # left behind by a killed process
    return None


def _release_lock(lock: FileLock) -> None:
    """Remove the lock file while it is held: a process waiting for the removed file notices and opens a new one."""
    with suppress(OSError):
        os.unlink(lock.lock_file)
    lock.release()


def _lock_holder(path: Path) -> str:
    try:
        with closing(_open_for_reading(path)) as connection:
            run = json.loads(connection.execute("SELECT value FROM store WHERE name = 'run'").fetchone()[0])
        return f"process {run['process']} on {run['host']} (since {run['since']})"
    except (sqlite3.Error, TypeError, ValueError, KeyError):  # it is just starting or ending
        return "another process"


@contextmanager
def _sqlite_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into `StoreError` with one line for the user."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{_short(path)}: {_explain(error)}") from None


def _explain(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    for prefix, explanation in _EXPLANATIONS.items():
        if name.startswith(prefix):
            return explanation
    return f"{error}"


_EXPLANATIONS = {
    "SQLITE_FULL": "the disk is full; all earlier games are safe: free some space, then resume",
    "SQLITE_IOERR": "the disk failed or is full; all earlier games are safe: check the disk, then resume",
    "SQLITE_NOTADB": "not a store of games",
    "SQLITE_CORRUPT": "damaged: parts of the file are missing or overwritten",
    "SQLITE_READONLY": "the file is read-only",
    "SQLITE_CANTOPEN": "cannot be opened; check the permissions of the file and its directory",
    "SQLITE_BUSY": "locked by another program",
    "SQLITE_LOCKED": "locked by another program",
    "SQLITE_PERM": "permission denied",
}


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()) + " UTC"
