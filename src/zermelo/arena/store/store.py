"""The store: opening and closing, writing and reading of games. See the package for its guarantees."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import socket
import sqlite3
import threading
import time
from array import array
from collections.abc import Callable, Container, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from operator import lt
from pathlib import Path
from typing import Any, Self

from zermelo._util import temporary
from zermelo._util.text import single_line
from zermelo.arena.game_record import GameRecord, GameResult
from zermelo.arena.plans.entrants import external_parts
from zermelo.arena.plans.plan import Plan
from zermelo.arena.run_directories import register_run, was_started_here
from zermelo.arena.store import migration, rows
from zermelo.arena.store.database import (
    EXISTS,
    PATIENCE,
    Database,
    OnWait,
    check_file,
    check_new,
    check_version,
    connect,
    connect_temporary,
    resolve,
    shown,
    sqlite_errors,
)
from zermelo.arena.store.rows import TableDigest
from zermelo.arena.store.schema import (
    APPLICATION_ID,
    COLUMNS,
    RESULT_COLUMNS,
    SCHEMA_VERSION,
    create_tables,
    is_exact,
)
from zermelo.arena.store.writer_lock import WriterLock, check_lock_file, lock_path
from zermelo.errors import FileError, StoreError, ZermeloError

#: Rows and bytes fetched at once when all games are read; no lock is held between blocks.
BLOCK, BLOCK_BYTES = 500, 4 << 20
#: Maximum length of a plan, in bytes: half a million openings.
MAX_PLAN = 32 << 20
_RESULT_ROW = ", ".join((*RESULT_COLUMNS, "content_digest", "digest"))
_WHOLE_ROW = ", ".join(COLUMNS)


class Store:
    """The games of one match or tournament and its plan. Use `Store.create` or `Store.open`; a context manager."""

    def __init__(self, path: Path, database: Database, lock: WriterLock | None) -> None:
        self.path = path
        self._database = database
        #: Held while the store is open for writing.
        self._lock = lock
        self._closed = False
        #: Digests of the tables while the store is open for writing: nobody else changes them.
        self._digests: dict[str, TableDigest] = {}
        #: Digest of the id and the plan, unknown to anyone without the store.
        self._run_id, self._plan = self._read_plan()

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
        LimitError
            The plan is invalid.
        """
        Plan.from_dict(plan)
        path = resolve(path)
        check_new(path)
        check_lock_file(path)
        # Created in a temporary folder: a file under the final name is always a complete store. The lock is on the
        # folder: on some systems SQLite would wait for one on the file.
        try:
            folder = temporary.Folder(path.parent)
        except FileError as error:
            raise StoreError(f"{shown(path)}: cannot be created: {error}") from None
        with folder as directory:
            unfinished = Path(directory, "games")
            # Readable by its user only: the seed in the plan determines the dice of games to come.
            with suppress(OSError):  # SQLite reports the error when it opens the file
                os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            _create(path, unfinished, plan)
            check_new(path)  # again: creating takes a while
            _rename(unfinished, path)
        store = cls.open(path, write=True)
        if external_parts(store.checked_plan):
            register_run(store._run_id)
        return store

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, write: bool = False, on_wait: OnWait | None = None) -> Store:
        """Open an existing store.

        Parameters
        ----------
        path : path
            The file of the store.
        write : bool
            Open for writing: one process at a time, and a store of an older version is migrated. Any number of
            processes may read, also while a tournament runs.
        on_wait : callable, optional
            Called with a line for the user when a lock of another program delays the store for 5 seconds.

        Raises
        ------
        StoreError
            The file does not exist, is not a store (it is then left unchanged), has an unknown schema version, is
            damaged, cannot be read or written, or another process writes to it.
        """
        path = resolve(path)
        check_file(path)
        if write:
            temporary.sweep_once(path.parent)
        lock = WriterLock(path, _lock_holder) if write else None
        database = None
        try:
            database = _open_for_writing(path, on_wait) if write else _open_for_reading(path, on_wait)
            return cls(path, database, lock)
        except BaseException:
            if database is not None:
                database.close()
            if lock is not None:
                lock.release()
            raise

    def close(self) -> None:
        """Close the store. May be called twice."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._lock is not None:
                # If a reader or a full disk prevents the merge, the games stay in the log and are as safe there.
                self._database.patience = 0
                with suppress(StoreError):
                    self._database.execute("DELETE FROM store WHERE name = 'run'")
                with suppress(StoreError):
                    self._database.execute("PRAGMA busy_timeout = 100")
                    self._database.execute("PRAGMA journal_mode = DELETE")
        finally:
            self._database.close()
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def on_wait(self) -> OnWait | None:
        """Called with a line for the user when a lock of another program delays the store."""
        return self._database.on_wait

    @on_wait.setter
    def on_wait(self, report: OnWait | None) -> None:
        self._database.on_wait = report

    @property
    def interrupt(self) -> threading.Event:
        """While it is set, a lock of another program raises `KeyboardInterrupt` instead of a wait."""
        return self._database.interrupt

    @interrupt.setter
    def interrupt(self, event: threading.Event) -> None:
        self._database.interrupt = event

    # ---- writing -----------------------------------------------------------------------------------------

    def add(self, record: GameRecord) -> bool:
        """Save a game. A lock held by another program delays this by up to an hour; see `on_wait`.

        Returns
        -------
        bool
            True: the game is on the disk. False: a game of this number is already in the store and stays.

        Raises
        ------
        StoreError
            The game cannot be written; all earlier games are safe.
        """
        row = rows.encode(record)
        marks = ", ".join("?" * len(COLUMNS))
        number, digest = row[0], row[len(RESULT_COLUMNS) + 1]
        with self._writing():
            connection = self._database.connection
            added = connection.execute(f"INSERT OR IGNORE INTO games ({_WHOLE_ROW}) VALUES ({marks})", row).rowcount
            if added:
                self._change("games", lambda table: table.add(digest))
            self._remove_failure(number)
        return added == 1

    def add_failure(self, number: int, error: str) -> None:
        """Save the error of a game that could not be played."""
        row = (number, rows.encodable(error), time.time())
        digest = rows.digest(row)
        with self._writing():
            self._remove_failure(number)
            self._database.connection.execute("INSERT INTO failures VALUES (?, ?, ?, ?)", (*row, digest))
            self._change("failures", lambda table: table.add(digest))

    def _remove_failure(self, number: int) -> None:
        if not self._written_digest("failures").count:
            return
        connection = self._database.connection
        found = connection.execute("SELECT digest FROM failures WHERE number = ?", [number]).fetchone()
        if found is not None:
            connection.execute("DELETE FROM failures WHERE number = ?", [number])
            self._change("failures", lambda table: table.remove(found[0]))

    def _change(self, name: str, change: Callable[[TableDigest], None]) -> None:
        """Change the digest of a table in the transaction that changes the table."""
        table = self._written_digest(name)
        change(table)
        _set_property(self._database.connection, name, str(table))

    def _written_digest(self, name: str) -> TableDigest:
        if name not in self._digests:
            self._digests[name] = self._table_digest(name)
        return self._digests[name]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if self._lock is None:
            raise StoreError(f"{shown(self.path)}: opened for reading only")
        try:
            with self._database.transaction("BEGIN IMMEDIATE"):
                yield
        except BaseException:
            self._digests.clear()  # those of a transaction that was rolled back
            raise

    # ---- reading -----------------------------------------------------------------------------------------

    @property
    def plan(self) -> dict[str, Any]:
        """The plan as JSON data, as it was given to `create`. It was read and checked when the store was opened."""
        return self._plan

    @cached_property
    def checked_plan(self) -> Plan:
        """The plan. It is the same object whenever it is asked for: what is checked is what is played."""
        try:
            return Plan.from_dict(self._plan)
        except ZermeloError as error:
            raise StoreError(f"{shown(self.path)}: damaged: {error}") from None

    @property
    def was_started_here(self) -> bool:
        """Whether this user created the store on this machine and its plan is unchanged; see `resume_checks`."""
        return was_started_here(self._run_id)

    def _read_plan(self) -> tuple[str, dict[str, Any]]:
        identity = [[name, self._property(name)] for name in ("id", "plan")]
        try:
            text = identity[1][1]
            plan = json.loads(text) if len(text) <= MAX_PLAN else None
        except (ValueError, RecursionError):
            plan = None
        if not isinstance(plan, dict):
            raise StoreError(f"{shown(self.path)}: damaged: the plan cannot be read")
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest(), plan

    def _property(self, name: str) -> str:
        return _property(self._database, name)

    def _table_digest(self, name: str) -> TableDigest:
        try:
            return TableDigest(self._property(name))
        except ValueError:
            raise StoreError(f"{shown(self.path)}: damaged: the digest of its {name} cannot be read") from None

    def versions(self) -> dict[str, set[str]]:
        """Return the programs and versions that played, by player name."""
        found: dict[str, set[str]] = {}
        for row, result in self._rows(_RESULT_ROW):
            for name, version in zip(result.names, rows.versions_of(row), strict=True):
                found.setdefault(name, set()).add(version)
        return found

    def __len__(self) -> int:
        return self._table_digest("games").count

    @property
    def run(self) -> str:
        """The process that writes, as JSON; "" without one. One that was killed is still named."""
        with suppress(StoreError):
            return self._property("run")
        return ""

    @property
    def has_writer(self) -> bool:
        """Whether a process seems to be writing; see `seems_to_run`.

        `current_writer` is exact, but takes the writer's lock for a moment, which may stop a run that is just starting.
        """
        return seems_to_run(self.run)

    def results(self) -> Iterator[GameResult]:
        """Yield the results of all games, by number. Raises `StoreError` if a game is damaged or missing."""
        for _, result in self._rows(_RESULT_ROW):
            yield result

    def new_results(self, known: Container[int]) -> Iterator[GameResult]:
        """Yield the results of the games whose numbers are not known, by number.

        For a store that grows: the known games are not read again. Unlike `results`, it does not check whether games
        are missing. Raises `StoreError` if a game is damaged.
        """
        for (number,) in self._database.rows("SELECT number FROM games ORDER BY number"):
            if number not in known:
                yield self.result(number)

    def result(self, number: int) -> GameResult:
        """Return the result of one game. Raises `StoreError` if there is no game of this number or it is damaged."""
        return self._decoded(self._one(_RESULT_ROW, number))

    def numbers(self) -> array[int]:
        """Return the numbers of all games, in ascending order. Raises `StoreError` if games are damaged or missing."""
        numbers, error = self._scan()
        if error is not None:
            raise error
        return numbers

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
            A game is damaged or missing.
        """
        for row, result in self._rows(_WHOLE_ROW, on_error):
            if (player and player not in result.names) or (termination and termination != result.termination):
                continue
            try:
                yield self._record(row)
            except StoreError as error:
                if on_error is None:
                    raise
                on_error(error)

    def game(self, number: int) -> GameRecord:
        """Return one game. Raises `StoreError` if the store has no game of this number or it is damaged."""
        row = self._one(_WHOLE_ROW, number)
        self._decoded(row)
        return self._record(row)

    def failures(self) -> dict[int, str]:
        """Return the errors of the games that could not be played, by number."""
        with self._database.transaction():
            expected = self._table_digest("failures")
            found = self._database.rows("SELECT number, error, at, digest FROM failures ORDER BY number")
        table, failures = TableDigest(), {}
        try:
            for number, error, at, digest in found:
                if digest != rows.digest((number, error, at)).encode() or not 0 <= number <= rows.MAX_NUMBER:
                    raise ValueError
                table.add(digest)
                failures[number] = error.decode()
            if str(table) != str(expected):
                raise ValueError
        except (ValueError, TypeError, AttributeError):
            raise StoreError(f"{shown(self.path)}: damaged: its list of games that could not be played") from None
        return failures

    def _one(self, columns: str, number: int) -> tuple[Any, ...]:
        row: tuple[Any, ...] | None = None
        if 0 <= number <= rows.MAX_NUMBER:  # SQLite has no greater integers
            row = self._database.one(f"SELECT {columns} FROM games WHERE number = ?", [number])
        if row is None:
            raise StoreError(f"{shown(self.path)}: no game {number}; {self._number_range()}")
        return row

    def _scan(self) -> tuple[array[int], StoreError | None]:
        """Return the numbers of all games, and an error if they are not those of the digest of the table."""
        numbers, table, last = array("q"), TableDigest(), -1
        message = f"{shown(self.path)}: damaged: games are missing or were changed"
        with self._database.transaction():
            expected = str(self._table_digest("games"))
            with self._database.query("SELECT number, digest FROM games ORDER BY number") as cursor:
                while block := cursor.fetchmany(BLOCK):
                    found, digests = zip(*block, strict=True)
                    with suppress(ValueError, TypeError):  # then the sum does not match
                        table.add(*digests)
                    # Also ends the scan of a damaged tree with a circle.
                    if not (last < found[0] and all(map(lt, found, found[1:])) and found[-1] <= rows.MAX_NUMBER):
                        raise StoreError(message)
                    numbers.extend(found)
                    last = found[-1]
        return numbers, None if str(table) == expected else StoreError(message)

    def _rows(
        self, columns: str, on_error: Callable[[StoreError], None] | None = None
    ) -> Iterator[tuple[tuple[Any, ...], GameResult]]:
        """Yield rows with their results, in blocks: no lock is held and no log grows while the caller processes them.

        All games that the store had at the beginning are found, or reported as damaged.
        """
        numbers, missing = self._scan()
        expected = iter(numbers)
        upcoming = next(expected, None)
        for row in self._blocks(columns):
            while upcoming is not None and upcoming < row[0]:
                self._report(self._damaged(upcoming, "it cannot be found"), on_error)
                missing, upcoming = None, next(expected, None)
            if row[0] == upcoming:
                upcoming = next(expected, None)
            try:
                result = self._decoded(row)
            except StoreError as error:
                self._report(error, on_error)
                missing = None  # the reason is known
                continue
            yield row, result
        while upcoming is not None:
            self._report(self._damaged(upcoming, "it cannot be found"), on_error)
            missing, upcoming = None, next(expected, None)
        if missing is not None:
            self._report(missing, on_error)

    @staticmethod
    def _report(error: StoreError, on_error: Callable[[StoreError], None] | None) -> None:
        if on_error is None:
            raise error
        on_error(error)

    def _blocks(self, columns: str) -> Iterator[tuple[Any, ...]]:
        last = -1
        sql = f"SELECT {columns} FROM games WHERE number > ? ORDER BY number LIMIT {BLOCK}"
        while True:
            block: list[tuple[Any, ...]] = []
            size = 0
            with self._database.query(sql, [last]) as cursor:
                for row in cursor:
                    block.append(row)
                    size += sum(len(value) for value in row[len(RESULT_COLUMNS) :] if isinstance(value, bytes))
                    if size > BLOCK_BYTES:
                        break
            for row in block:
                if row[0] <= last:
                    raise self._damaged(row[0], "its number is out of order")
                last = row[0]
                yield row
            if not block:
                return

    def _decoded(self, row: tuple[Any, ...]) -> GameResult:
        try:
            result = rows.decode_result(row)
        except (ValueError, TypeError) as error:
            raise self._damaged(row[0], error) from None
        if not self._names.issuperset(result.names):
            raise self._damaged(row[0], "a player is not in the plan")
        return result

    def _record(self, row: tuple[Any, ...]) -> GameRecord:
        try:
            return rows.decode(row, self.checked_plan.game)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise self._damaged(row[0], error) from None

    def _damaged(self, number: object, why: object) -> StoreError:
        return StoreError(f"{shown(self.path)}: {rows.named(number)} is damaged: {single_line(str(why))[:200]}")

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(entrant.name for entrant in self.checked_plan.entrants)

    def _number_range(self) -> str:
        numbers = self.numbers()
        return f"its games are numbered {numbers[0]} to {numbers[-1]}" if numbers else "the store is empty"


# ---- properties: the rows of the table `store` -----------------------------------------------------------


def _property(database: Database, name: str) -> str:
    row = database.one("SELECT value, digest FROM store WHERE name = ?", [name])
    try:
        value, digest = row
        if digest != rows.digest([name, value]).encode():
            raise ValueError
        text: str = value.decode()
    except (ValueError, TypeError, AttributeError):
        what = "plan" if name == "plan" else f"property {name!r}"
        raise StoreError(f"{shown(database.path)}: damaged: the {what} cannot be read") from None
    return text


def _set_property(connection: sqlite3.Connection, name: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO store VALUES (?, ?, ?)", [name, value, rows.digest([name, value])])


# ---- files -----------------------------------------------------------------------------------------------


def seems_to_run(run: str) -> bool:
    """Return whether the process of `Store.run` seems to run: it has not ended on this machine."""
    try:
        found = json.loads(run)
        process, host = int(found["process"]), found["host"]
    except (TypeError, ValueError, KeyError, OverflowError, RecursionError):
        return False
    if os.name != "posix" or host != socket.gethostname() or process <= 0:
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _create(path: Path, unfinished: Path, plan: dict[str, Any]) -> None:
    from zermelo import __version__

    with sqlite_errors(path), closing(connect(unfinished, "rwc", name=path)) as database:
        for pragma in ("page_size = 4096", f"application_id = {APPLICATION_ID}", f"user_version = {SCHEMA_VERSION}"):
            database.execute(f"PRAGMA {pragma}")
        with database.transaction():
            create_tables(database.connection)
            about = {"plan": json.dumps(plan), "version": __version__, "created": _now(), "id": secrets.token_hex(16)}
            for name, value in (about | {"games": str(TableDigest()), "failures": str(TableDigest())}).items():
                _set_property(database.connection, name, value)


def _open_for_reading(path: Path, on_wait: OnWait | None = None) -> Database:
    """Open for reading; a store of an older version is copied into a temporary database of the current one."""
    database = _connect_for_reading(path, on_wait)
    try:
        version = _check_schema(database)
        if version == SCHEMA_VERSION:
            return database
        target = connect_temporary(path)
        try:
            with target.transaction():
                migration.copy(database, target, version)
        except BaseException:
            target.close()
            raise
    except BaseException:
        database.close()
        raise
    database.close()
    return target


def _connect_for_reading(path: Path, on_wait: OnWait | None) -> Database:
    """Connect read-write if possible, so that SQLite recovers the log of a killed process; then query only."""
    with sqlite_errors(path):
        database = connect(path, "rw", on_wait=on_wait)
        try:
            database.patiently("PRAGMA query_only = ON")
            database.patiently("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            may_not = error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))
            if may_not and not Path(f"{path}-wal").exists():
                database.close()
                # A read-only directory: nobody can create a log there, so the file does not change.
                return connect(path, "ro", immutable=True)
            database.close()
            raise
        return database


def _open_for_writing(path: Path, on_wait: OnWait | None) -> Database:
    with sqlite_errors(path):
        database = connect(path, "rw", on_wait=on_wait)
    try:
        version = _check_schema(database)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        problem = database.one("PRAGMA quick_check(1)")[0]
        if problem != b"ok":
            text = single_line(problem.decode("utf-8", "replace"))[:200]
            raise StoreError(f"{shown(path)}: damaged, not opened for writing: {text}")
        if version != SCHEMA_VERSION:
            migration.migrate_in_place(database, version)
        run = {"process": os.getpid(), "host": socket.gethostname(), "since": _now()}
        with database.transaction("BEGIN IMMEDIATE"):
            _set_property(database.connection, "run", json.dumps(run))
    except BaseException:
        database.close()
        raise
    database.patience = PATIENCE
    return database


def _check_schema(database: Database) -> int:
    """Return the schema version. Raises `StoreError` if the schema is not exactly that of its version."""
    with database.transaction():
        version = database.one("PRAGMA user_version")[0]
        check_version(database.path, version)
        if not is_exact(database.connection, version):
            raise StoreError(
                f"{shown(database.path)}: not a store of games: its tables are not those of schema version {version}"
            )
    return int(version)


def _rename(unfinished: Path, path: Path) -> None:
    """Give a file its final name unless that exists, and flush the directory."""
    try:
        try:
            os.link(unfinished, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if path.exists():
                raise FileExistsError from None
            os.rename(unfinished, path)
        with suppress(OSError):  # some systems cannot open a directory
            directory = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(directory)
            finally:
                os.close(directory)
    except FileExistsError:
        raise StoreError(EXISTS.format(shown(path))) from None
    except OSError as error:
        raise StoreError(f"{shown(path)}: {error.strerror or error}") from None


def current_writer(path: str | os.PathLike[str]) -> str | None:
    """Return the process that writes to a store, such as "process 17 on HOST (since ...)"; None if there is none."""
    resolved = resolve(path)
    if not lock_path(resolved).exists():
        return None
    try:
        check_lock_file(resolved)
    except StoreError:  # of another program
        return None
    try:
        WriterLock(resolved).release()  # left behind by a killed process
    except StoreError:
        return _lock_holder(resolved)
    return None


def _lock_holder(path: Path) -> str:
    try:
        with closing(_open_for_reading(path)) as database:
            run = json.loads(_property(database, "run"))
        text = f"process {int(run['process'])} on {run['host']} (since {run['since']})"
        return single_line(text)[:200]
    except (StoreError, TypeError, ValueError, KeyError, RecursionError):  # it is just starting or ending
        return "another process"


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()) + " UTC"
