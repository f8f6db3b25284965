"""The games that were played, kept: a file of SQLite, that outlives whatever happens to the run that writes it.

with Store.create("games.db", plan.as_dict()) as store:
    store.keep(played)                      True: it is on the disk now
with Store.open("games.db") as store:       while a run goes on, too
    standings(names, store.results())

What is promised, and by what:
a game whole or not     one transaction a game; its number is the primary key, so it is counted once
kill -9 at any moment   a write-ahead log: a commit is one append to it, and the next who opens the file takes it up
power loss              `synchronous=FULL`: the log is on the disk before `keep` returns
one run at a time       a lock of the system on STORE.lock, which goes with the process however that ends
readers any time        they never wait for the writer nor it for them, which a rollback journal would have them do
one file to copy        at its end a run folds the log into the file, and leaves nothing beside it
damage is told          a digest with every game, a check of the whole file before anything is added to it

Pages that a log holds are missing from a copy of the file alone: while a run goes on (or after it was killed, until the
file is opened again) STORE-wal belongs to it.
"""

from __future__ import annotations

import hashlib
import json
import os
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
from zermelo.arena import run_directories as places
from zermelo.arena.game_record import GameJob, GameRecord, GameResult, MoveReport
from zermelo.arena.resume_checks import outside_parts
from zermelo.errors import StoreError

#: Says that a file of SQLite is a store of ours: "Zrml", as `file` and SQLite's own tools show it.
APPLICATION = 0x5A726D6C
#: Counts up with every change of the tables.
VERSION = 1
#: Whoever reads holds no more games in memory than these, and no lock between them.
BLOCK = 500
#: KiB of the file that are held in memory: games are written and read one after another, and few pages twice.
CACHE = 256
#: Seconds for which a moment's lock of another (a backup, a shell) is waited for.
PATIENCE = 10.0
_LARGEST = (1 << 63) - 1
_THERE = "{}: there already; give the store another name, or resume the run that it is of"

# What is in `job`, `moves` and `said` is all there is to a game; most other columns are there to be asked for in SQL.
_TABLES = f"""
PRAGMA page_size = 4096;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
BEGIN;
CREATE TABLE store (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE games (
    number      INTEGER PRIMARY KEY,
    max_player  TEXT NOT NULL,
    min_player  TEXT NOT NULL,
    points      REAL NOT NULL,
    ending      TEXT NOT NULL,
    detail      TEXT NOT NULL,
    forfeited_by    INTEGER,
    utility     INTEGER,
    plies       INTEGER NOT NULL,
    max_nodes   INTEGER NOT NULL,
    min_nodes   INTEGER NOT NULL,
    max_seconds REAL NOT NULL,
    min_seconds REAL NOT NULL,
    max_moves   INTEGER NOT NULL,
    min_moves   INTEGER NOT NULL,
    round       INTEGER NOT NULL,
    pairing     INTEGER NOT NULL,
    opening     TEXT NOT NULL,
    line        TEXT NOT NULL,
    max_version TEXT NOT NULL,
    min_version TEXT NOT NULL,
    referee     TEXT NOT NULL,
    began       REAL NOT NULL,
    seconds     REAL NOT NULL,
    job         TEXT NOT NULL,
    moves       TEXT NOT NULL,
    said        TEXT NOT NULL,
    digest      TEXT NOT NULL,
    game        TEXT AS (json_extract(job, '$.game')) VIRTUAL,
    seed        INTEGER AS (json_extract(job, '$.seed')) VIRTUAL,
    max_clock   TEXT AS (json_extract(job, '$.controls[0]')) VIRTUAL,
    min_clock   TEXT AS (json_extract(job, '$.controls[1]')) VIRTUAL
);
CREATE TABLE failures (number INTEGER PRIMARY KEY, error TEXT NOT NULL, at REAL NOT NULL);
"""
_RESULT = (
    "number, max_player, min_player, points, ending, detail, forfeited_by, utility, plies, max_nodes, min_nodes, "
    "max_seconds, min_seconds, max_moves, min_moves, round, pairing, opening, line"
)
_GAME = f"{_RESULT}, max_version, min_version, referee, began, seconds, job, moves, said"
_KEPT = _GAME.count(",") + 1


class Store:
    """The games of one match or tournament, and the plan that they belong to. Made by `create` and `open`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: FileLock | None) -> None:
        self.path = path
        self._connection = connection
        #: Held by whoever writes.
        self._lock = lock
        self._closed = False

    # ---- opening and closing -----------------------------------------------------------------------------

    @classmethod
    def create(cls, path: str | Path, plan: dict[str, Any]) -> Store:
        """A new store, open for writing. Raises `StoreError` where there is a file of that name, whatever it is."""
        path = _goal(path)
        if path.is_dir():
            raise StoreError(f"{_name(path)}: a folder; the name of a file is needed")
        if path.exists():
            raise StoreError(_THERE.format(_name(path)))
        # Whole or not at all: a file that is found under its name is a store.
        made = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.tmp")
        try:
            # For its user alone: whoever reads the plan's seed knows the dice of the games to come.
            with suppress(OSError):  # told by SQLite, which opens it
                os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with _told(path), closing(_connect(made, "rwc")) as connection:
                connection.executescript(_TABLES)
                from zermelo import __version__

                about = {"plan": json.dumps(plan), "version": __version__, "created": _now()}
                about["id"] = secrets.token_hex(16)
                connection.executemany("INSERT INTO store VALUES (?, ?)", about.items())
                connection.execute("COMMIT")
            _give_name(made, path)
        finally:
            with suppress(OSError):
                made.unlink()
        store = cls.open(path, write=True)
        if outside_parts(plan):
            places.remember(store._run())
        return store

    @classmethod
    def open(cls, path: str | Path, *, write: bool = False) -> Store:
        """A store that there is: for reading, as many as like to and while a run goes on; for writing, one at a time.

        Raises `StoreError` for what is no store, is one of another version, is damaged, cannot be read or written, and
        where another run writes to it. A file that is no store is left as it is.
        """
        path = _goal(path)
        _check_kind(path)
        lock = _locked(path) if write else None
        connection = None
        try:
            with _told(path):
                connection = _for_writing(path) if write else _for_reading(path)
            return cls(path, connection, lock)
        except BaseException:
            if connection is not None:
                connection.close()
            if lock is not None:
                _unlock(lock)
            raise

    def close(self) -> None:
        """No more of it. May be called twice."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._lock is not None:
                # Where a reader or a full disk is in the way, the games stay in the log, and are as safe there.
                with suppress(sqlite3.Error):
                    self._connection.execute("DELETE FROM store WHERE name = 'run'")
                with suppress(sqlite3.Error):
                    self._connection.execute("PRAGMA busy_timeout = 100")
                    self._connection.execute("PRAGMA journal_mode = DELETE")
        finally:
            self._connection.close()
            if self._lock is not None:
                _unlock(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- writing -----------------------------------------------------------------------------------------

    def keep(self, played: GameRecord) -> bool:
        """Keep a game. True: it is on the disk; False: a game of that number was there before, and stays.

        Raises `StoreError` where it cannot be written; the games before are safe.
        """
        row = _row(played)
        marks = ", ".join("?" * (_KEPT + 1))
        with self._writing():
            kept = self._connection.execute(f"INSERT OR IGNORE INTO games ({_GAME}, digest) VALUES ({marks})", row)
            self._connection.execute("DELETE FROM failures WHERE number = ?", row[:1])
        return kept.rowcount == 1

    def fail(self, number: int, error: str) -> None:
        """Keep that a game could not be played, and why: no worker brought it to its end."""
        row = (number, _clean(error), time.time())
        with self._writing():
            self._connection.execute("INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", row)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, whole or not at all."""
        if self._lock is None:
            raise StoreError(f"{_name(self.path)}: it was opened for reading")
        with _told(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:  # Ctrl-C, too
                if self._connection.in_transaction:
                    with suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")
                raise

    # ---- reading -----------------------------------------------------------------------------------------

    @property
    def plan(self) -> dict[str, Any]:
        """What was to be played, as `create` was given it."""
        with _told(self.path):
            row = self._connection.execute("SELECT value FROM store WHERE name = 'plan'").fetchone()
        try:
            plan = json.loads(row[0])
        except (TypeError, ValueError, RecursionError):
            plan = None
        if not isinstance(plan, dict):
            raise StoreError(f"{_name(self.path)}: damaged: its plan cannot be read")
        return plan

    @property
    def is_ours(self) -> bool:
        """Whether it was begun by this user here, and its plan is still that one: see `resuming`."""
        return places.was_begun_here(self._run())

    def _run(self) -> str:
        """A digest that nobody else knows, unless whoever has the store sends it."""
        with _told(self.path):
            rows = self._connection.execute("SELECT name, value FROM store WHERE name IN ('id', 'plan')").fetchall()
        return hashlib.sha256(json.dumps(sorted(rows)).encode()).hexdigest()

    def versions(self) -> dict[str, set[str]]:
        """Of each player, by its name: the programs and versions that played its games."""
        sql = "SELECT max_player, max_version FROM games UNION SELECT min_player, min_version FROM games"
        found: dict[str, set[str]] = {}
        with _told(self.path):
            for name, version in self._connection.execute(sql).fetchall():
                found.setdefault(name, set()).add(version)
        return found

    def __len__(self) -> int:
        with _told(self.path):
            count: int = self._connection.execute("SELECT count(*) FROM games").fetchone()[0]
        return count

    def results(self) -> Iterator[GameResult]:
        """Of every game what tables need of it, in the order of numbers."""
        for row in self._rows(_RESULT):
            yield _result(row)

    def result(self, number: int) -> GameResult:
        """Of one game what tables need of it. Raises `StoreError` where there is none of that number."""
        with _told(self.path):
            row = self._connection.execute(f"SELECT {_RESULT} FROM games WHERE number = ?", [number]).fetchone()
        if row is None:
            raise StoreError(f"{_name(self.path)}: there is no game {number}; {self._numbers()}")
        return _result(row)

    def numbers(self) -> Iterator[int]:
        """The numbers of all games, from the smallest."""
        for row in self._rows("number"):
            yield row[0]

    def games(
        self, *, player: str = "", termination: str = "", lost: Callable[[StoreError], None] | None = None
    ) -> Iterator[GameRecord]:
        """Every game, in the order of numbers: all, or those of a player (its name in the table), or of an ending.

        Raises `StoreError` for one that is damaged; where `lost` is given it is told of it instead.
        """
        where, values = "", []
        if player:
            where += " AND ? IN (max_player, min_player)"
            values.append(player)
        if termination:
            where += " AND ending = ?"
            values.append(termination)
        for row in self._rows(f"{_GAME}, digest", where, values):
            try:
                yield self._played(row)
            except StoreError as error:
                if lost is None:
                    raise
                lost(error)

    def game(self, number: int) -> GameRecord:
        """One game. Raises `StoreError` where there is none of that number, or it is damaged."""
        for row in self._rows(f"{_GAME}, digest", " AND number = ?", [number]):
            return self._played(row)
        raise StoreError(f"{_name(self.path)}: there is no game {number}; {self._numbers()}")

    def failures(self) -> dict[int, str]:
        """The games that could not be played, by number, each with its error."""
        with _told(self.path):
            return dict(self._connection.execute("SELECT number, error FROM failures ORDER BY number").fetchall())

    def _rows(self, columns: str, where: str = "", values: list[Any] | None = None) -> Iterator[tuple[Any, ...]]:
        """Rows of games block by block: no lock is held and no log grows while whoever asked is busy with them."""
        last = -_LARGEST - 1
        sql = f"SELECT {columns} FROM games WHERE number > ?{where} ORDER BY number LIMIT {BLOCK}"
        while True:
            with _told(self.path):
                rows = self._connection.execute(sql, [last, *(values or [])]).fetchall()
            yield from rows
            if len(rows) < BLOCK:
                return
            last = rows[-1][0]

    def _played(self, row: tuple[Any, ...]) -> GameRecord:
        """A game of its row."""
        *kept, digest = row
        try:
            if digest != _digest(kept):
                raise ValueError("it is not what was kept")
            played = _game(kept)
            if played.job.game != self._plays:  # what is executed is agreed on by the plan
                raise ValueError("it is of another game than the plan")
            return played
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StoreError(f"{_name(self.path)}: game {row[0]} is damaged: {error}") from None

    @cached_property
    def _plays(self) -> str | None:
        """The game of the plan."""
        return self.plan.get("game")

    def _numbers(self) -> str:
        with _told(self.path):
            low, high = self._connection.execute("SELECT min(number), max(number) FROM games").fetchone()
        return "it is empty" if low is None else f"the numbers go from {low} to {high}"


# ---- rows ------------------------------------------------------------------------------------------------


def _row(played: GameRecord) -> list[Any]:
    """A game as the table has it, the digest last, of the very types that SQLite gives back: the digest is of them."""
    job, result = played.job, played.result
    row = [
        job.number,
        *map(_clean, job.names),
        float(played.points),
        _clean(played.termination),
        _clean(played.detail),
        played.forfeited_by,
        played.utility,
        result.plies,
        *(min(nodes, _LARGEST) for nodes in result.nodes),
        *map(float, result.seconds),
        *result.move_counts,
        job.round,
        job.game_pair,
        _clean(result.opening),
        result.moves_hash,
        *map(_clean, played.versions),
        _clean(played.referee_version),
        float(played.started_at),
        float(played.seconds),
        job.to_json(),
        json.dumps(played.moves, separators=(",", ":")),
        json.dumps(played.reports, separators=(",", ":")),
    ]
    return [*row, _digest(row)]


def _result(row: tuple[Any, ...] | list[Any]) -> GameResult:
    number, high, low, points, ending, detail, forfeited_by, utility, plies, *rest = row
    *pairs, round_, game_pair, opening, line = rest
    return GameResult(
        number=number,
        names=(high, low),
        points=points,
        termination=ending,
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
        moves_hash=line,
    )


def _game(row: list[Any]) -> GameRecord:
    *_, high, low, referee, began, seconds, job, moves, said = row
    return GameRecord(
        job=GameJob.from_dict(json.loads(job)),
        moves=tuple(json.loads(moves)),
        points=row[3],
        utility=row[7],
        termination=row[4],
        detail=row[5],
        forfeited_by=row[6],
        reports=tuple(MoveReport(*each) for each in json.loads(said)),
        versions=(high, low),
        referee_version=referee,
        started_at=began,
        seconds=seconds,
    )


def _digest(row: list[Any]) -> str:
    return hashlib.sha256(json.dumps(row).encode()).hexdigest()[:16]


def _clean(text: str) -> str:
    """A text that SQLite can hold: what a program wrote need not be Unicode."""
    return text.encode("utf-8", "backslashreplace").decode()


# ---- files -----------------------------------------------------------------------------------------------


def _goal(path: str | Path) -> Path:
    """Where a store is or will be; links are followed, so that its lock is the same by whatever name."""
    if not str(path) or "\0" in str(path):
        raise StoreError(f"{quoted(str(path))}: no name of a file")
    goal = Path(os.path.realpath(path))
    if not goal.parent.is_dir():
        raise StoreError(f"{path}: there is no folder {goal.parent}")
    return goal


def _name(path: Path) -> str:
    """A path as short as it can be said."""
    with suppress(OSError, ValueError):  # it is not below the working folder, or that is gone
        return str(path.relative_to(Path.cwd()))
    return str(path)


def _check_kind(path: Path) -> None:
    """Raises `StoreError` unless it is a store of this version, and touches nothing to find that out."""
    if not path.exists():
        raise StoreError(f"{_name(path)}: there is no such file")
    if path.is_dir():
        raise StoreError(f"{_name(path)}: a folder; the name of a store is needed")
    if not path.is_file():
        raise StoreError(f"{_name(path)}: no file; the name of a store is needed")
    # A log may hold what the file lacks: where a full disk, or a kill, ended the folding in of the one into the other.
    has_log = Path(f"{path}-wal").exists()
    with _told(path), closing(_connect(path, "ro", immutable=not has_log)) as connection:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        page = connection.execute("PRAGMA page_size").fetchone()[0]
    if application != APPLICATION:
        what = "an empty file" if not path.stat().st_size else "a database of another program"
        raise StoreError(f"{_name(path)}: {what}, no store of games")
    if version != VERSION:
        raise StoreError(
            f"{_name(path)}: written by another version of Zermelo: a store of version {version}, and this Zermelo "
            f"reads {VERSION}"
        )
    if path.stat().st_size % page and not has_log:  # SQLite would take it for a whole page
        raise StoreError(f"{_name(path)}: damaged: its end is missing")


def _connect(path: Path, mode: str, *, immutable: bool = False) -> sqlite3.Connection:
    """`immutable`: no lock, no log, nothing written; for what cannot be changing or does not matter if it does."""
    uri = f"{path.as_uri()}?mode={mode}{'&immutable=1' * immutable}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=PATIENCE)
    try:
        connection.execute(f"PRAGMA cache_size = -{CACHE}")
    except BaseException:
        connection.close()
        raise
    return connection


def _for_reading(path: Path) -> sqlite3.Connection:
    """Opened as if to write where that can be, so that whatever a killed run left is taken up; then nothing is."""
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM store").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        may_not = error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))
        if not may_not or Path(f"{path}-wal").exists():
            raise
        # A folder where nothing can be written, a log included: what lies there does not change.
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


def _for_writing(path: Path) -> sqlite3.Connection:
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise StoreError(f"{_name(path)}: damaged: {' '.join(problem.split())}; nothing is added to it")
        run = {"process": os.getpid(), "host": socket.gethostname(), "since": _now()}
        connection.execute("INSERT OR REPLACE INTO store VALUES ('run', ?)", [json.dumps(run)])
    except BaseException:
        connection.close()
        raise
    return connection


def _give_name(made: Path, path: Path) -> None:
    """A file made under another name gets its own, unless there is one of that name by now."""
    try:
        try:
            os.link(made, path)
        except FileExistsError:
            raise
        except OSError:  # a file system that knows no links
            if path.exists():
                raise FileExistsError from None
            os.rename(made, path)
        with suppress(OSError):  # a folder cannot be opened everywhere
            folder = os.open(path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except FileExistsError:
        raise StoreError(_THERE.format(_name(path))) from None
    except OSError as error:
        raise StoreError(f"{_name(path)}: {error.strerror or error}") from None


def _locked(path: Path) -> FileLock:
    """The lock of whoever writes."""
    lock = FileLock(f"{path}.lock", thread_local=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise StoreError(f"{_name(path)}: {_holder(path)} writes to it; a store takes one run at a time") from None
    except OSError as error:
        raise StoreError(f"{_name(path)}: cannot be written to: {error.strerror or error}") from None
    return lock


def writer_of(path: str | Path) -> str | None:
    """The run that writes to a store now, as far as it tells: "process 17 on HOST, ..."; None where nobody does."""
    goal = _goal(path)
    lock = Path(f"{goal}.lock")
    if not lock.exists():
        return None
    try:
        held = _locked(goal)
    except StoreError:
        return _holder(goal).rstrip(",")
    _unlock(held)  # a killed run left it
    return None


def _unlock(lock: FileLock) -> None:
    """The file goes first, while it is held: who waits on the one that is gone finds out, and asks for the new one."""
    with suppress(OSError):
        os.unlink(lock.lock_file)
    lock.release()


def _holder(path: Path) -> str:
    """The run that writes to a store, as far as it tells."""
    try:
        with closing(_for_reading(path)) as connection:
            run = json.loads(connection.execute("SELECT value FROM store WHERE name = 'run'").fetchone()[0])
        return f"process {run['process']} on {run['host']}, there since {run['since']},"
    except (sqlite3.Error, TypeError, ValueError, KeyError):  # it has just come, or is just going
        return "another process"


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What SQLite says, in a line for whoever named the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{_name(path)}: {_meaning(error)}") from None


def _meaning(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    for begin, meaning in _MEANINGS.items():
        if name.startswith(begin):
            return meaning
    return f"{error}"


_MEANINGS = {
    "SQLITE_FULL": "the disk is full; the games before are safe: make room, then resume",
    "SQLITE_IOERR": "the disk does not take or give what it should, or is full; the games before are safe: see to it, "
    "then resume",
    "SQLITE_NOTADB": "no store of games",
    "SQLITE_CORRUPT": "damaged: parts of the file are missing or are not what was written",
    "SQLITE_READONLY": "it may only be read",
    "SQLITE_CANTOPEN": "it cannot be opened; is there the right to, and to write into its folder?",
    "SQLITE_BUSY": "another program keeps it locked",
    "SQLITE_LOCKED": "another program keeps it locked",
    "SQLITE_PERM": "there is no right to read it",
}


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime()) + " UTC"
