"""The store: saved games are read back after any failure; other files are unchanged."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from keptgames import made_up, plan_of

from zermelo import arena
from zermelo.arena.game_record import GameRecord, MoveReport
from zermelo.arena.plans.plan import Plan
from zermelo.arena.replay import check
from zermelo.arena.store import APPLICATION_ID, SCHEMA_VERSION, Store, current_writer, database, rows, schema
from zermelo.arena.store import store as module
from zermelo.errors import StoreError
from zermelo.registry import load
from zermelo.sandbox.failure import Reason

PLAN = plan_of(seed=1 << 61, title="é")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with Store.create(path, PLAN) as opened:
        yield opened


def integrity(path: Path) -> str:
    connection = sqlite3.connect(path)
    output: str = connection.execute("PRAGMA integrity_check").fetchone()[0]
    connection.close()
    return output


@pytest.mark.skipif(os.name != "posix", reason="rights as POSIX has them")
def test_a_store_is_readable_only_by_its_user(store: Store, path: Path) -> None:
    store.add(made_up(0))
    for name in (path, Path(f"{path}-wal")):
        assert name.stat().st_mode & 0o077 == 0


# ---- saving and reading ----------------------------------------------------------------------------------


def test_games_are_read_back_unchanged(store: Store, path: Path) -> None:
    games = [made_up(number) for number in (3, 0, 7)]
    assert [store.add(game) for game in games] == [True] * 3
    store.close()
    with Store.open(path) as again:
        assert again.plan == PLAN
        assert list(again.games()) == [games[1], games[0], games[2]]
        assert list(again.results()) == [games[1].result, games[0].result, games[2].result]
        assert again.game(7) == games[2]
        assert len(again) == 3


@pytest.mark.parametrize(
    "changed",
    [
        {"reports": (), "moves": ()},
        {"termination": str(Reason.CRASH), "detail": "segmentation fault\nat 0x0", "forfeited_by": 1, "utility": None},
        {"detail": "\0 a NUL, a half \udcff of a pair"},
        {"points": 1, "started_at": 0, "seconds": 3},
        {"reports": (MoveReport(0, 0.1, 1 << 70, 3, -(1 << 80)),), "moves": (5,)},
        {"versions": ("", "\ud800")},
    ],
)
def test_unusual_games_are_read_back(store: Store, changed: dict[str, object]) -> None:
    game = made_up(1, **changed)
    assert store.add(game)
    again = store.game(1)
    for name in ("moves", "points", "termination", "forfeited_by", "reports", "seconds", "job"):
        assert getattr(again, name) == getattr(game, name)
    for saved, was in ((again.detail, game.detail), (again.versions[1], game.versions[1])):
        assert saved == was.encode("utf-8", "backslashreplace").decode()


def test_a_game_number_is_saved_once(store: Store) -> None:
    assert store.add(made_up(5))
    assert not store.add(replace(made_up(5), points=0.25, detail="another"))
    assert list(store.games()) == [made_up(5)]


def test_failures_are_saved(store: Store) -> None:
    store.add_failure(4, "the worker died 3 times\nof this")
    store.add_failure(2, "no such player")
    store.add_failure(2, "no such player, again")
    assert store.failures() == {2: "no such player, again", 4: "the worker died 3 times\nof this"}
    store.add(made_up(2))
    assert list(store.failures()) == [4]


def test_games_are_selected_by_player_and_termination(store: Store) -> None:
    for number in range(6):
        names = (f"a{number % 2}", f"b{number % 3}")
        game = made_up(number, termination="resigned" if number == 4 else "rules")
        store.add(replace(game, job=replace(game.job, names=names)))
    assert [game.job.number for game in store.games(player="a1")] == [1, 3, 5]
    assert [game.job.number for game in store.games(player="b0")] == [0, 3]
    assert [game.job.number for game in store.games(termination="resigned")] == [4]
    assert not list(store.games(player="a1", termination="resigned"))


def test_columns_for_sql(store: Store, path: Path) -> None:
    game = made_up(9)
    store.add(game)
    store.close()
    connection = sqlite3.connect(path)
    columns = "game, seed, max_clock, min_clock, max_nodes, min_moves, json_array_length(moves)"
    row = connection.execute(f"SELECT {columns} FROM games").fetchone()
    connection.close()
    assert row == ("othello", game.job.seed, "seconds=0.1", "", game.result.nodes[0], game.result.move_counts[1], 60)


def test_more_games_than_a_block(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 40)
    for number in range(40 + 3):
        store.add(made_up(2 * number, reports=(), moves=()))
    assert [result.number for result in store.results()] == list(range(0, 2 * 40 + 6, 2))
    # Games saved while a reader iterates do not disturb it.
    seen = []
    for game in store.games():
        seen.append(game.job.number)
        if len(seen) == 40 // 2:
            store.add(made_up(2 * 40 + 1, reports=(), moves=()))
    assert len(seen) == 40 + 4


def test_memory_does_not_grow(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading many games takes the memory of one block."""
    monkeypatch.setattr(module, "BLOCK", 50)

    def most(games: int) -> int:
        for number in range(len(store), games):
            store.add(made_up(number))
        tracemalloc.start()
        assert sum(1 for _ in store.results()) == games
        assert sum(1 for _ in store.games()) == games
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    store.add(made_up(0))
    few = most(200)
    assert most(800) < 1.5 * few  # the times of the garbage collector vary; all games would take four times as much


# ---- readers and writers ------------------------------------------------------------------------------------------


def test_readers_while_a_run_goes_on(store: Store, path: Path) -> None:
    store.add(made_up(0))
    with Store.open(path) as reader:
        assert len(reader) == 1
        reading = reader.games()
        next(reading)
        store.add(made_up(1))
        assert len(reader) == 2
        with Store.open(path) as another:
            assert len(another) == 2
        store.add(made_up(2))
        store.close()  # with somebody still reading
        assert [result.number for result in reader.results()] == [0, 1, 2]
    with Store.open(path) as reader:
        assert len(reader) == 3


def test_a_reader_cannot_write(store: Store, path: Path) -> None:
    store.close()
    with Store.open(path) as reader:
        with pytest.raises(StoreError, match="opened for reading"):
            reader.add(made_up(0))
        with pytest.raises(StoreError, match="opened for reading"):
            reader.add_failure(0, "x")


def test_only_one_writer(store: Store, path: Path, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(path)
    for name in (path, tmp_path / "link.db"):
        with pytest.raises(
            StoreError, match=rf"in use by process {os.getpid()} on .* \(since .*\); only one process can write"
        ):
            Store.open(name, write=True)
    store.add(made_up(0))
    store.close()
    with Store.open(path, write=True) as again:
        assert again.add(made_up(1))
    assert os.listdir(tmp_path) == ["games.db", "link.db"] or os.listdir(tmp_path) == ["link.db", "games.db"]


def test_closing_leaves_one_file(store: Store, path: Path) -> None:
    store.add(made_up(0))
    assert {each.name for each in path.parent.iterdir()} == {
        "games.db",
        "games.db-wal",
        "games.db-shm",
        "games.db.lock",
    }
    store.close()
    store.close()
    assert [each.name for each in path.parent.iterdir()] == ["games.db"]
    with Store.open(path) as reader:
        assert len(reader) == 1
    assert [each.name for each in path.parent.iterdir()] == ["games.db"]


def test_a_read_only_directory(store: Store, path: Path) -> None:
    """A read-only file or directory, opened by an unprivileged process."""
    store.add(made_up(0))
    store.close()
    for each in path.parents:  # the folders of a test are its user's own
        if each.owner() != path.owner() or "pytest" not in str(each):
            break
        each.chmod(0o755)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    script = """if 1:
        import os, sys, sqlite3
        from zermelo.arena.store import Store
        from zermelo.errors import StoreError
        import filelock, json
        plan = json.loads(sys.argv[2])
        if os.getuid() == 0:
            os.setuid(65534)
        with Store.open(sys.argv[1]) as store:
            print(len(store), len(list(store.games())))
        for attempt in (lambda: Store.open(sys.argv[1], write=True), lambda: Store.create(sys.argv[1] + "x", plan)):
            try:
                attempt()
            except StoreError as error:
                print(error)
    """
    try:
        done = subprocess.run(
            [sys.executable, "-c", script, str(path), json.dumps(PLAN)], capture_output=True, text=True, timeout=60
        )
    finally:
        path.parent.chmod(0o755)
        path.chmod(0o644)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "1 1"
    assert len(lines) == 3
    assert "cannot be written" in lines[1]
    assert lines[2] == f"{path}x: cannot be created: Permission denied"
    assert [each.name for each in path.parent.iterdir()] == ["games.db"]


# ---- files that are not stores --------------------------------------------------------------------------------


def _other_version(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(
        f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION + 6}; CREATE TABLE a(b);"
    )
    connection.close()


def _other_program(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA journal_mode=WAL; CREATE TABLE games(a); INSERT INTO games VALUES (1);")
    connection.close()


def _game_file(path: Path) -> None:
    path.write_text('[Event "x"]\n\n1. e4 *\n' * 100)


NO_STORES: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, "file not found"),
    "folder": (lambda path: path.mkdir(), "is a directory"),
    "empty": (lambda path: path.touch(), "not a store of games: an empty file"),
    "text": (_game_file, "not a store of games"),
    "short": (lambda path: path.write_bytes(b"SQLite format 3\0"), "not a store of games"),
    "pipe": (lambda path: os.mkfifo(path), "not a regular file"),
    "version": (
        _other_version,
        f"schema version {SCHEMA_VERSION + 6} is not supported; this version of Zermelo reads versions 1 to",
    ),
    "program": (_other_program, "a database of another program"),
}


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("what", NO_STORES)
def test_a_file_that_is_not_a_store_is_unchanged(path: Path, what: str, write: bool) -> None:
    make, output = NO_STORES[what]
    make(path)
    before = path.read_bytes() if path.is_file() else None
    names = os.listdir(path.parent)
    with pytest.raises(StoreError) as error:
        Store.open(path, write=write)
    assert output in str(error.value)
    assert str(path) in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert os.listdir(path.parent) == names
    assert before is None or path.read_bytes() == before


def test_invalid_file_names(tmp_path: Path) -> None:
    for name in ("", "a\0b", str(tmp_path / "nowhere" / "games.db")):
        for attempt in (Store.open, lambda name: Store.create(name, PLAN)):
            with pytest.raises(StoreError) as error:
                attempt(name)
            assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["a?b#c.db", "100%20.db", "é ♘.db", "x" * 200, "-wal", "a'b.db"])
def test_unusual_file_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.create(name, PLAN) as store:
        store.add(made_up(0))
        assert os.path.exists(name)
        with pytest.raises(StoreError) as error:
            Store.open(name, write=True)
        assert str(error.value).startswith(f"{name}: in use by process ")
    with Store.open(name) as store:
        assert len(store) == 1
    assert os.listdir() == [name]


def test_existing_files_are_not_overwritten(path: Path) -> None:
    path.write_text("as it was")
    with pytest.raises(StoreError, match=r"file exists: .*; choose another name, or continue"):
        Store.create(path, PLAN)
    assert path.read_text() == "as it was"
    with pytest.raises(StoreError, match="is a directory"):
        Store.create(path.parent, PLAN)
    assert os.listdir(path.parent) == ["games.db"]


def test_a_store_is_created_completely_or_not_at_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(schema.TABLES, SCHEMA_VERSION, (schema.TABLES[2][1], *schema.TABLES[SCHEMA_VERSION]))
    with pytest.raises(StoreError):
        Store.create(path, PLAN)
    assert not os.listdir(path.parent)


@pytest.mark.parametrize("write", [False, True])
def test_a_truncated_file(store: Store, path: Path, write: bool) -> None:
    for number in range(50):
        store.add(made_up(number))
    store.close()
    whole = path.read_bytes()
    for size in sorted({1, 99, 4096, 8192, len(whole) // 3, len(whole) // 2, len(whole) - 4096, len(whole) - 1}):
        path.write_bytes(whole[:size])
        error = None
        try:
            with Store.open(path, write=write) as opened:
                list(opened.games())
        except StoreError as wrong:
            error = str(wrong)
        assert error, size
        assert len(error.splitlines()) == 1
        assert path.stat().st_size == size
    assert {each.name for each in path.parent.iterdir()} <= {"games.db"}


def test_flipped_bytes_are_found_or_harmless(store: Store, path: Path) -> None:
    """A store with a changed byte gives the saved games or an error, never other games."""
    games = {number: made_up(number, moves=tuple(range(number % 60))) for number in range(12)}
    for game in games.values():
        store.add(game)
    store.close()
    whole = path.read_bytes()
    random = Random(4)
    output = 0
    for _ in range(150):
        at = random.randrange(len(whole))
        changed = bytearray(whole)
        changed[at] ^= 1 << random.randrange(8)
        path.write_bytes(bytes(changed))
        lost: list[StoreError] = []
        try:
            with Store.open(path) as opened:
                for game in opened.games(on_error=lost.append):
                    assert game == games[game.job.number], f"byte {at}"
        except StoreError as error:
            lost.append(error)
        output += bool(lost)
        assert all(len(str(error).splitlines()) == 1 for error in lost)
    assert output > 50


def test_a_damaged_game_is_reported_and_the_others_read(store: Store, path: Path) -> None:
    for number in range(3):
        store.add(made_up(number))
    store.close()
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE games SET points = 0.25 WHERE number = 1")
    connection.close()
    with Store.open(path) as opened:
        with pytest.raises(StoreError, match="game 1 is damaged: its digest does not match"):
            list(opened.games())
        with pytest.raises(StoreError, match="game 1 is damaged"):
            opened.game(1)
        lost: list[StoreError] = []
        assert [game.job.number for game in opened.games(on_error=lost.append)] == [0, 2]
        assert len(lost) == 1
        with pytest.raises(StoreError, match="no game 9; its games are numbered 0 to 2"):
            opened.game(9)


@pytest.mark.parametrize("job", ["[]", "{}", '{"number": 1}', "[" * 900 + "]" * 900, "null", '{"a": 1}'])
def test_forged_games_are_damaged(store: Store, path: Path, job: str) -> None:
    """Right digest, wrong content: a one-line error."""
    store.add(made_up(1))
    store.close()
    connection = sqlite3.connect(path)
    values = rows.encode(made_up(1))
    results, content = values[: len(schema.RESULT_COLUMNS)], [job, *values[-2:]]
    forged = rows.with_digests(results, content)
    table = rows.TableDigest()
    table.add(forged[len(results) + 1])
    with connection:
        connection.execute("DELETE FROM games")
        connection.execute(f"INSERT INTO games VALUES ({', '.join('?' * len(forged))})", forged)
        property_row = ["games", str(table), rows.digest(["games", str(table)])]
        connection.execute("INSERT OR REPLACE INTO store VALUES (?, ?, ?)", property_row)
    connection.close()
    with Store.open(path) as opened, pytest.raises(StoreError, match="game 1 is damaged") as error:
        opened.game(1)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("plan", ["", "[1]", "{", "[" * 9000, '{"game": 3}'])
def test_a_damaged_plan(store: Store, path: Path, plan: str) -> None:
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE store SET value = ?, digest = ? WHERE name = 'plan'", [plan, "no"])
        with pytest.raises(StoreError, match="damaged: the plan cannot be read"):
            Store.open(path)
        connection.execute("UPDATE store SET digest = ? WHERE name = 'plan'", [rows.digest(["plan", plan])])
    with pytest.raises(StoreError, match=r"damaged: (the plan cannot be read|not a tournament plan)") as error:
        assert Store.open(path).checked_plan
    assert len(str(error.value).splitlines()) == 1


# ---- failures of the disk ------------------------------------------------------------------------------------------


def test_a_full_disk(store: Store, path: Path) -> None:
    """A page limit in SQLite gives the same error as a full disk."""
    store._database.connection.execute("PRAGMA max_page_count = 40")
    saved, output = 0, ""
    while not output:
        try:
            store.add(made_up(saved))
            saved += 1
        except StoreError as error:
            output = str(error)
    assert output == f"{path}: the disk is full; all earlier games are safe: free some space, then resume"
    assert saved > 5
    with pytest.raises(StoreError, match="the disk is full"):
        store.add(made_up(saved))
    assert list(store.games()) == [made_up(number) for number in range(saved)]
    store.close()
    assert integrity(path) == "ok"
    with Store.open(path, write=True) as again:
        assert len(again) == saved
        assert again.add(made_up(saved))


def test_ctrl_c_while_saving(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(list[Any]):
        def __getitem__(self, index: Any) -> Any:
            raise KeyboardInterrupt

    encode = rows.encode
    monkeypatch.setattr(rows, "encode", lambda played: Interrupted(encode(played)))
    with pytest.raises(KeyboardInterrupt):
        store.add(made_up(0))
    monkeypatch.undo()
    assert len(store) == 0
    assert store.add(made_up(0))


def test_a_store_locked_by_another_program(store: Store, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "REPORT_AFTER", 0.2)
    waits: list[str] = []
    store.on_wait = waits.append
    store._database.patience = 0.5
    store._database.connection.execute("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another program"):
        store.add(made_up(0))
    assert waits == [f"{path}: locked by another program; waiting for it"]
    store._database.patience = 60

    def end_the_wait(text: str) -> None:
        waits.append(text)
        other.execute("ROLLBACK")

    store.on_wait = end_the_wait
    assert store.add(made_up(0))
    assert len(waits) == 2
    other.close()


OTHER = """if 1:
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
    try:
        connection.execute(sys.argv[2]).fetchall()
    except sqlite3.OperationalError as error:
        print(error)
"""


def elsewhere(path: Path, sql: str) -> str:
    """Run a statement in another process; returns its error."""
    words = [sys.executable, "-c", OTHER, str(path), sql]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def test_opening_a_store_again_keeps_the_locks_of_this_process(path: Path, store: Store) -> None:
    """Another program must not remove the log, which has games that the file lacks."""
    store.add(made_up(0))
    assert elsewhere(path, "PRAGMA journal_mode = DELETE") == "database is locked"
    Store.open(path).close()
    with pytest.raises(StoreError, match="in use by"):
        Store.open(path, write=True)
    with pytest.raises(StoreError, match="file exists"):
        Store.create(path, PLAN)
    assert elsewhere(path, "PRAGMA journal_mode = DELETE") == "database is locked"
    store.close()
    with Store.open(path) as reader, reader._database.transaction():
        assert len(reader) == 1
        Store.open(path).close()
        assert elsewhere(path, "BEGIN EXCLUSIVE") == "database is locked"


HOLDER = """if 1:
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    print("locked", flush=True)
    sys.stdin.readline()
    connection.execute("COMMIT")
"""


@contextmanager
def locked(path: Path) -> Iterator[Callable[[], None]]:
    """Lock a store in another process; yields a function that ends the lock."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"

        def release() -> None:
            holder.communicate("\n")

        try:
            yield release
        finally:
            if holder.poll() is None:
                release()


@pytest.mark.parametrize("write", [False, True])
def test_opening_waits_for_a_lock(write: bool, path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add(made_up(0))
    store.close()
    monkeypatch.setattr(database, "REPORT_AFTER", 0.2)
    waits: list[str] = []
    with locked(path) as release:

        def end_the_lock(text: str) -> None:
            waits.append(text)
            release()

        with Store.open(path, write=write, on_wait=end_the_lock) as opened:
            assert len(list(opened.results())) == 1
    assert waits == [f"{path}: locked by another program; waiting for it"]


@pytest.mark.parametrize("write", [False, True])
def test_opening_gives_up_when_its_patience_ends(
    write: bool, path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    monkeypatch.setattr(database, "BUSY_TIMEOUT", 0.3)
    with locked(path), pytest.raises(StoreError, match="locked by another program"):
        Store.open(path, write=write)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_ends_the_wait_of_an_opening(
    write: bool, path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.close()
    monkeypatch.setattr(database, "REPORT_AFTER", 0.1)
    with locked(path):
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            Store.open(path, write=write, on_wait=lambda _: os.kill(os.getpid(), signal.SIGINT))
        assert time.monotonic() - began < 5
    Store.open(path, write=write).close()


def test_ctrl_c_ends_a_wait_for_a_lock(store: Store, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.2, store.interrupt.set)
        timer.start()
        with pytest.raises(KeyboardInterrupt):  # and not after an hour, as `StoreError`
            store.add(made_up(0))
        timer.join()
        other.execute("ROLLBACK")
    assert store.add(made_up(0))  # without a lock nothing is interrupted


def test_a_damaged_store_is_not_locked(store: Store, path: Path) -> None:
    """A statement that an error left unfinished would keep its lock until the error is forgotten."""
    store.add(made_up(0))
    store.add(made_up(1))
    store.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("UPDATE games SET number = -1 WHERE number = 0")
    with Store.open(path) as damaged, pytest.raises(StoreError, match="missing or were changed") as kept:
        damaged.numbers()
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:
        other.execute("DELETE FROM games")
    assert kept.value.__traceback__ is not None


def test_an_error_that_quotes_the_file(store: Store, path: Path) -> None:
    """SQLite's message quotes the schema, which need not be UTF-8."""
    store.close()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE games", b"CREATE TABL\xac games"))
    with pytest.raises(StoreError, match="damaged"):
        Store.open(path)


# ---- kill -9 --------------------------------------------------------------------------------------------------

CHILD = """if 1:
    import os, sys, random
    from pathlib import Path
    from keptgames import made_up, plan_of
    from zermelo.arena.store import Store
    path, chance = Path(sys.argv[1]), random.Random(int(sys.argv[2]))
    number = int(sys.argv[3])
    while True:
        store = Store.open(path, write=True) if path.exists() else Store.create(path, plan_of())
        store._database.connection.execute("PRAGMA wal_autocheckpoint = %d" % chance.choice((1, 10, 1000)))
        for _ in range(chance.choice((1, 10, 300))):
            assert store.add(made_up(number)), number
            os.write(1, b"%d\\n" % number)
            number += 1
        store.close()
"""


def kill(path: Path, times: int, seed: int) -> None:
    """Kill processes that write a store one after another, and check it after each."""
    random = Random(seed)
    output: set[int] = set()
    first = 0
    paths = os.pathsep.join([str(Path(__file__).parents[1] / "support"), os.environ.get("PYTHONPATH", "")])
    for run in range(times):
        command = [sys.executable, "-c", CHILD, str(path), str(seed + run), str(first)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": paths}) as child:
            assert child.stdout is not None
            if random.random() < 0.8:
                output.add(int(child.stdout.readline()))
                with pytest.raises(subprocess.TimeoutExpired):
                    child.wait(random.random() ** 2 / 2)
            else:  # somewhere in its beginning
                with pytest.raises(subprocess.TimeoutExpired):
                    child.wait(random.random() / 4)
            child.send_signal(signal.SIGKILL)
            output |= {int(line) for line in child.stdout.read().split(b"\n")[:-1]}
        if not path.exists():
            assert not output
            continue
        with Store.open(path, write=bool(run % 2)) as store:
            saved = [result.number for result in store.results()]
            assert output <= set(saved)
            # One game may be on the disk without having been reported.
            assert saved == list(range(len(saved)))
            assert len(saved) <= len(output) + run + 1
            for number in (*saved[-3:], *random.sample(saved, min(5, len(saved)))):
                assert store.game(number) == made_up(number)
            assert store._database.connection.execute("PRAGMA integrity_check").fetchone()[0] == b"ok"
            output = set(saved)
            first = len(saved)
    assert len(output) > times
    with Store.open(path, write=True):
        pass
    assert {each.name for each in path.parent.iterdir() if not each.name.endswith(".tmp")} == {path.name}


def test_kill_9_loses_no_game(path: Path) -> None:
    kill(path, 10, seed=1)


@pytest.mark.nightly
def test_many_kills_lose_no_game(path: Path) -> None:
    kill(path, 100, seed=100)


@pytest.mark.parametrize("write", [False, True])
def test_a_log_that_was_being_merged(store: Store, path: Path, tmp_path: Path, write: bool) -> None:
    """A full disk or a kill may leave a half-merged file: the log has all pages."""
    store._database.connection.execute("PRAGMA wal_autocheckpoint = 0")
    first = path.stat().st_size // 4096
    for number in range(20):
        store.add(made_up(number))
    log = Path(f"{path}-wal").read_bytes()
    store._database.connection.execute("PRAGMA wal_checkpoint(FULL)")
    folded = path.read_bytes()
    assert len(folded) > 20 * 4096
    left = tmp_path / "left.db"
    for pages in (first, first + 1, first + 9, len(folded) // 4096):
        left.write_bytes(folded[: 4096 * pages])
        Path(f"{left}-wal").write_bytes(log)
        with Store.open(left, write=write) as opened:
            assert list(opened.games()) == [made_up(number) for number in range(20)]
        assert integrity(left) == "ok"


def test_the_lock_ends_with_the_process(path: Path) -> None:
    script = """if 1:
        import json, sys, time
        from zermelo.arena.store import Store
        store = Store.create(sys.argv[1], json.loads(sys.argv[2]))
        print("there", flush=True)
        time.sleep(600)
    """
    with subprocess.Popen([sys.executable, "-c", script, str(path), json.dumps(PLAN)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        try:
            with pytest.raises(StoreError, match=f"process {child.pid} on"):
                Store.open(path, write=True)
        finally:
            child.kill()
            child.wait()
    with Store.open(path, write=True) as again:
        assert json.loads(again._property("run"))["process"] == os.getpid()


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("content", "not empty, so not the lock of a store"),
        ("link", "a link to another file"),
        ("hard link", "several"),
    ],
)
def test_a_lock_file_of_another_program_is_left_alone(
    store: Store, path: Path, tmp_path: Path, what: str, message: str
) -> None:
    store.close()
    lock, other = Path(f"{path}.lock"), tmp_path / "other"
    other_text = "" if what == "hard link" else "[[package]]"
    other.write_text(other_text)
    if what == "link":
        lock.symlink_to(other)
    elif what == "hard link":
        os.link(other, lock)
    else:
        other.rename(lock)
    assert current_writer(path) is None
    refused = rf"games\.db\.lock: .*{message}.*; rename the store"
    with pytest.raises(StoreError, match=refused):
        Store.open(path, write=True)
    path.unlink()
    with pytest.raises(StoreError, match=refused):
        Store.create(path, PLAN)
    assert not path.exists()
    assert lock.read_text() == other_text
    assert lock.is_symlink() == (what == "link")


@pytest.mark.skipif(os.name != "posix", reason="needs links, and to remove a file in use")
def test_only_the_own_lock_file_is_removed(store: Store, path: Path) -> None:
    lock = Path(f"{path}.lock")
    lock.unlink()
    lock.write_text("[[package]]")
    store.close()
    assert lock.read_text() == "[[package]]"


# ---- older schema versions -------------------------------------------------------------------------------------


DATA = Path(__file__).parent / "data"


@pytest.fixture
def old_store(tmp_path: Path) -> Path:
    """A store of schema version 1: an interrupted round robin of 12 games, with 5 games and one failure."""
    path = tmp_path / "version-1.zermelo"
    path.write_bytes((DATA / "version-1.zermelo").read_bytes())
    return path


def test_a_store_of_version_1_is_read_unchanged(old_store: Path) -> None:
    before = old_store.read_bytes()
    with Store.open(old_store) as store:
        assert Plan.from_dict(store.plan).max_plies == 8
        assert [entrant.player for entrant in Plan.from_dict(store.plan).entrants] == [
            "random", "lines:2", "alphabeta:lines:1"
        ]  # fmt: skip
        games = list(store.games())
        assert [game.result for game in games] == list(store.results())
        assert [game.termination for game in games] == ["rules", "too many moves", "rules", "rules", "rules"]
        assert [game.job.game_pair for game in games] == [0, 0, 1, 1, 2]
        assert [len(game.reports) for game in games] == [len(game.moves) for game in games]
        assert [game.job.number for game in store.games(termination="too many moves")] == [1]
        assert games[0].started_at > 0
        assert games[0].referee_version == "0.1.0"
        assert store.failures() == {11: "3 workers ended"}
        lines = (DATA / "version-1.jsonl").read_text().splitlines()
        assert [GameRecord.from_json(line) for line in lines] == games[:2]
        for game in games:
            check(game, load(game.job.game))
    assert old_store.read_bytes() == before


def test_a_store_of_version_1_is_migrated_and_resumed(old_store: Path, tmp_path: Path) -> None:
    with Store.open(old_store) as store:
        plan, games = Plan.from_dict(store.plan), list(store.games())
    table = arena.resume(old_store)
    with Store.open(old_store) as store:
        assert list(store.games())[:5] == games
        assert len(store) == 12
        assert store.failures() == {}
        assert store._database.connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert store._database.connection.execute("SELECT DISTINCT termination FROM games ORDER BY 1").fetchall()
    fresh = arena.play(plan, store=tmp_path / "fresh.zermelo")
    for row, other in zip(table.rows, fresh.rows, strict=True):
        assert (row.name, row.score, row.elo, row.nodes) == (other.name, other.score, other.elo, other.nodes)


def test_a_store_of_version_2_is_read_and_migrated(tmp_path: Path) -> None:
    path = tmp_path / "version-2.zermelo"
    path.write_bytes((DATA / "version-2.zermelo").read_bytes())
    before = path.read_bytes()
    with Store.open(path) as store:
        games, failures, identity = list(store.games()), store.failures(), store._run_id
    assert len(games) == 5
    assert failures == {11: "3 workers ended"}
    assert path.read_bytes() == before
    with Store.open(path, write=True) as store:
        assert (list(store.games()), store.failures(), store._run_id) == (games, failures, identity)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
        assert schema.is_exact(connection, SCHEMA_VERSION)
    assert integrity(path) == "ok"
    path.write_bytes(before)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET points = 0.25 WHERE number = 3")
    for write in (False, True):
        with pytest.raises(StoreError, match="game 3 is damaged: its digest does not match"):
            Store.open(path, write=write)
