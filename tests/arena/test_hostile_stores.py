"""Stores from elsewhere, made to deceive: nothing is started, each command ends with one line or the right table.

Each store is given to every command that takes one. The stores written by hand are tried with each commit, the others,
with one impossible value each, in the long run: more than 300 in all. A command takes at most `SECONDS` and `BYTES`.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest
from keptgames import change_property, forge_game, plan_of, played_out
from web_client import web_client

from zermelo.arena.leagues import DEFAULT_OPENINGS, default_title, move_time
from zermelo.arena.plans.plan import Plan
from zermelo.arena.results import StoredResults
from zermelo.arena.store import Store
from zermelo.arena.store.schema import CONTENT_COLUMNS, RESULT_COLUMNS
from zermelo.arena.tables.league import find_agents, league_plan
from zermelo.cli import main
from zermelo.errors import StoreError
from zermelo.games.tictactoe import TicTacToe
from zermelo.solve.books.book import Book
from zermelo.solve.books.book_file import save_book

if TYPE_CHECKING:
    from zermelo.web.settings import Settings

HAS_WEB = all(map(find_spec, ("starlette", "uvicorn", "websockets", "msgspec", "httpx")))
Change = Callable[[Path], None]
# What a command may take for a hostile store: seconds of the processor, and memory in addition to that of the process.
SECONDS, BYTES = 1.0, 200 << 20
GAMES = 12


class Honest(NamedTuple):
    """Stores of games that nobody has changed, and the commands that take them."""

    #: A match between programs that leave the file `mark`.
    match: Path
    mark: Path
    #: A league that has been played.
    league: Path
    agents: Path
    #: A book of the game, of shallow searches.
    book: Path

    def commands(self, path: Path) -> dict[str, tuple[Path, list[str]]]:
        """Return the commands by name: the store that is copied to `path`, and the arguments."""
        league = ["league", str(self.agents), "--game", "tictactoe", "--games", str(GAMES), "--store", str(path)]
        extend = ["book", "tictactoe", "extend", str(self.book)]
        return {
            "standings": (self.match, ["standings", str(path)]),
            "resume": (self.match, ["resume", str(path), "--workers", "0", "--quiet"]),
            "games export": (self.match, ["games", "export", str(path), "--to", "csv"]),
            "league": (self.league, [*league, "--out", str(path.parent / "pages"), "--workers", "0", "--quiet"]),
            "book extend": (self.match, [*extend, "--from", str(path), "--deeper", "1", "--quiet"]),
            **({"serve": (self.match, ["serve", "--port", "0", "--store", str(path)])} if HAS_WEB else {}),
        }


def visit(settings: Settings, opened: socket.socket, started: Callable[[], None]) -> None:
    """Ask the server for all that it shows of its stores, in place of running it."""
    opened.close()
    with web_client(settings) as client:
        for name in settings.stores:
            table = client.get(f"/api/leagues/{name}")
            games = client.get(f"/api/leagues/{name}/games", params={"count": GAMES})
            numbers = [row["number"] for row in games.json().get("games", ())]
            answers = [client.get(f"/api/leagues/{name}/games/{number}") for number in (*numbers, 0)]
            assert {answer.status_code for answer in (table, games, *answers)} <= {200, 404, 422}
            assert "\x1b" not in table.text


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Honest]:
    """Make the stores."""
    with pytest.MonkeyPatch.context() as patch:
        if HAS_WEB:
            patch.setattr("zermelo.web.server.serve", visit)
        yield make_honest(tmp_path_factory)


def make_honest(tmp_path_factory: pytest.TempPathFactory) -> Honest:
    folder = tmp_path_factory.mktemp("honest")
    agents = folder / "agents"
    agents.mkdir()
    for name in ("ada", "ben"):
        (agents / f"{name}.py").write_text("def choose(state):\n    return next(state.moves())\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZERMELO_RUNS_DIR", str(folder / "elsewhere"))
        made = Honest(folder / "match.zermelo", folder / "was-run", folder / "league.zermelo", agents, folder / "book")
        make_match(made.match, made.mark)
        make_league(made.league, agents)
    save_book(made.book, Book(TicTacToe, TicTacToe.start(), 0, "depth=1"), "")
    # The first command of each kind imports and compiles what it needs, which is not the store's doing.
    path = folder / "first" / "games.zermelo"
    path.parent.mkdir()
    for source, words in made.commands(path).values():
        path.write_bytes(source.read_bytes())
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            main(words)
    return made


def make_league(path: Path, agents: Path) -> None:
    plan = league_plan(
        find_agents(agents, "tictactoe"),
        "tictactoe",
        default_title(agents, "tictactoe"),
        games=GAMES,
        openings=DEFAULT_OPENINGS,
        control=move_time(1.0),
    )
    with Store.create(path, plan.as_dict()) as store:
        for number in range(GAMES):
            record = played_out("tictactoe", number)
            job = replace(record.job, names=("ada", "ben"), players=tuple(each.player for each in plan.entrants))
            store.add(replace(record, job=job, versions=("", "")))


def make_match(path: Path, mark: Path) -> None:
    program = path.with_name("program.py")
    program.write_text(f"open({str(mark)!r}, 'w').close()")
    command = f"uci:{shlex.quote(sys.executable)} {shlex.quote(str(program))}"
    plan = plan_of("tictactoe", games=2)
    for entrant in plan["entrants"]:
        entrant["player"] = command
    with Store.create(path, plan) as store:
        for number in range(GAMES):
            store.add(played_out("tictactoe", number))
        store.add_failure(20, "no worker")


class Ended(NamedTuple):
    """What a command returned and printed, and what it took."""

    code: int
    out: str
    err: str
    seconds: float
    memory: int


def run(words: list[str], capsys: pytest.CaptureFixture[str]) -> Ended:
    capsys.readouterr()
    began, before = time.process_time(), peak_memory()
    code = main(words)
    return Ended(code, *capsys.readouterr(), time.process_time() - began, peak_memory() - before)


def peak_memory() -> int:
    """Return the most bytes that this process has used; 0 where the system does not say."""
    with suppress(ImportError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return used if sys.platform == "darwin" else used << 10
    return 0


def sql(text: str) -> Change:
    """Statements of somebody else's SQLite."""

    def change(path: Path) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.executescript(text)

    return change


def schema(text: str) -> Change:
    """A change of the schema's text."""
    return sql(f"PRAGMA writable_schema = ON; {text}; PRAGMA writable_schema = RESET;")


def game(**columns: object) -> Change:
    """A game with right digests and impossible values."""
    return lambda path: forge_game(path, 3, **columns)


def plan(**changes: object) -> Change:
    """A plan with its right digest."""
    return lambda path: change_property(path, "plan", lambda text: json.dumps(json.loads(text) | changes))


def view(name: str, columns: str) -> Change:
    return sql(f"ALTER TABLE {name} RENAME TO other; CREATE VIEW {name} AS SELECT {columns} FROM other;")


ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n)"
DAMAGE: dict[str, Change] = {
    "view store": view("store", "*"),
    "view games": view("games", "*"),
    "view failures": view("failures", "*"),
    "endless view": sql(f"DROP TABLE failures; CREATE VIEW failures AS {ENDLESS} SELECT i, i, i, i FROM n;"),
    "alternating view": view("store", "name, CASE abs(random()) % 2 WHEN 0 THEN value ELSE '{}' END AS value, digest"),
    "trigger": sql("CREATE TRIGGER t AFTER INSERT ON store BEGIN DELETE FROM games; END;"),
    "index": sql("CREATE INDEX i ON games (points);"),
    "index on an expression": sql("CREATE INDEX i ON games (json_extract(job, '$'));"),
    "another table": sql("CREATE TABLE t (a);"),
    "virtual table": sql("CREATE VIRTUAL TABLE t USING fts5 (a);"),
    "statistics": sql("ANALYZE;"),
    "another column": sql("ALTER TABLE games ADD COLUMN a;"),
    "generated column": sql("ALTER TABLE games ADD COLUMN a AS (json_extract(job, '$'));"),
    "no table": sql("DROP TABLE failures;"),
    "default": schema("UPDATE sqlite_master SET sql = replace(sql, 'detail ', 'detail DEFAULT 1 ')"),
    "check": schema("UPDATE sqlite_master SET sql = replace(sql, 'REAL NOT NULL', 'REAL NOT NULL CHECK (points)')"),
    "same root": schema("UPDATE sqlite_master SET rootpage = 2"),
    "root of the schema": schema("UPDATE sqlite_master SET rootpage = 1 WHERE name = 'games'"),
    "version 0": sql("PRAGMA user_version = 0;"),
    "version 1": sql("PRAGMA user_version = 1;"),
    "version 2": sql("PRAGMA user_version = 2;"),
    "version 4": sql("PRAGMA user_version = 4;"),
    "other program": sql("PRAGMA application_id = 1;"),
    "points by hand": sql("UPDATE games SET points = 0.5 WHERE number = 3;"),
    "deleted game": sql("DELETE FROM games WHERE number = 3;"),
    "copied game": sql("CREATE TEMP TABLE t AS SELECT * FROM games WHERE number = 3; UPDATE t SET number = 99; "
                       "INSERT INTO games SELECT * FROM t;"),
    "deleted failure": sql("DELETE FROM failures;"),
    "failure by hand": sql("UPDATE failures SET error = 'x';"),
    "failure of no number": sql("UPDATE failures SET number = 3000000000;"),
    "no properties": sql("DELETE FROM store;"),
    "no plan": sql("DELETE FROM store WHERE name = 'plan';"),
    "plan by hand": sql("UPDATE store SET value = replace(value, 'uci', 'gtp') WHERE name = 'plan';"),
    "plan as a blob": sql("UPDATE store SET value = CAST(value AS BLOB) || x'ff' WHERE name = 'plan';"),
    "plan as a number": sql("UPDATE store SET value = 3 WHERE name = 'plan';"),
    "large number": lambda path: (sql("UPDATE games SET number = 3000000000 WHERE number = 3;")(path), game()(path))[1],
    "negative number": lambda path: (sql("UPDATE games SET number = -3 WHERE number = 3;")(path), game()(path))[1],
    "points": game(points=0.3),
    "points as text": game(points="many"),
    "infinite points": game(points=float("inf")),
    "player as a blob": game(max_player=b"\xff\xfe"),
    "unknown player": game(max_player="nobody"),
    "control characters": game(termination="\x1b[2J" * 40),
    "forfeit": game(forfeited_by=7),
    "utility": game(utility="x"),
    "plies": game(plies=-1),
    "many plies": game(plies=10**12),
    "nodes": game(max_nodes=-5),
    "seconds": game(max_seconds=1e300),
    "round": game(round=1 << 62),
    "date": game(started_at=1e300),
    "detail as a blob": game(detail=b"\xff"),
    "number as text": game(plies="a"),
    "plan of lists": plan(entrants=[["a"], ["b"]]),
    "plan without players": plan(entrants=[]),
    "plan of two names": plan(entrants=[{"name": "a", "player": "random", "text": "uci:x"}, {"name": "b"}]),
    "plan of floats": plan(games=2.5),
    "plan of booleans": plan(max_plies=True),
    "plan of texts": plan(seed="1"),
    "plan of null": plan(control=None),
    "huge plan": plan(max_plies=10**30),
    "plan of another game": plan(game="\x1b]0;x\x07"),
    "plan of nested lists": lambda path: change_property(path, "plan", lambda _: "[" * 100_000),
    "digest of no number": lambda path: change_property(path, "games", lambda _: "many"),
    "many games": lambda path: change_property(path, "games", lambda text: f"9{text}"),
    "truncated": lambda path: (path.write_bytes(path.read_bytes()[:-4096]), None)[1],
    "half": lambda path: (path.write_bytes(path.read_bytes()[: path.stat().st_size // 8192 * 4096]), None)[1],
    "wrong magic": lambda path: (path.write_bytes(b"SQLite format 4\0" + path.read_bytes()[16:]), None)[1],
    "zeros": lambda path: (path.write_bytes(path.read_bytes()[:4096] + bytes(path.stat().st_size - 4096)), None)[1],
}  # fmt: skip


#: Values that are impossible in most columns and fields.
VALUES = {
    "bytes": b"\xff\xfe", "text": "\x1b[2J", "long text": "x" * 3_000, "negative": -1, "large": 1 << 62,
    "float": 1e300, "empty": "",
}  # fmt: skip
CONTENTS = {
    "null": "null", "number": "1", "text": '"a"', "list": "[[]]", "object": "{}", "brackets": "[" * 100_000,
    "digits": "9" * 5_000, "not a number": "[[0,NaN,0,0,null]]", "infinite": "[1e999]",
}  # fmt: skip
FIELDS = {
    "null": None, "negative": -1, "large": 10**30, "text": "\x1b[2J", "long text": "x" * 3_000, "list": [1],
    "object": {"a": [1]}, "true": True,
}  # fmt: skip


GENERATED: dict[str, Change] = {
    **{
        f"{column}: {name}": game(**{column: value})
        for column in RESULT_COLUMNS[1:]  # those of the number are written by hand: it is the key
        for name, value in VALUES.items()
    },
    **{f"{column}: {name}": game(**{column: value}) for column in CONTENT_COLUMNS for name, value in CONTENTS.items()},
    **{
        f"plan, {name}: {what}": plan(**{name: value})
        for name in Plan.__dataclass_fields__
        if name != "is_checked"
        for what, value in FIELDS.items()
    },
}


def refuse(change: Change, honest: Honest, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Ended]:
    """Give a hostile store to all commands, and check how they end."""
    path = folder / "games.zermelo"
    ended = {}
    for name, (source, words) in honest.commands(path).items():
        path.write_bytes(source.read_bytes())
        change(path)
        ended[name] = code, out, err, seconds, memory = run(words, capsys)
        assert code in (0, 2), err
        assert "internal error" not in err, err
        assert "\x1b" not in out + err
        assert not honest.mark.exists()
        assert seconds < SECONDS, name
        assert memory < BYTES, name
        lines = [line for line in err.splitlines() if not line.startswith("would run: ")]
        assert all(line.startswith("zermelo: ") for line in lines), lines
        if name != "games export":  # which names each damaged game
            assert len(lines) == (1 if code else 0), lines
    assert ended["resume"].code == 2
    return ended


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a user who has started no run."""
    monkeypatch.setenv("ZERMELO_RUNS_DIR", str(tmp_path / "mine"))
    return tmp_path


@pytest.mark.parametrize("what", DAMAGE)
def test_a_hostile_store_is_refused(
    what: str, honest: Honest, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        ended = refuse(DAMAGE[what], honest, folder, capsys)
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        pytest.skip(str(error))  # this SQLite lacks the feature
    if not what.startswith("large number"):
        assert ended["standings"].code == 2, ended["standings"]


def test_the_game_file_of_a_store_is_not_loaded(
    honest: Honest, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = folder / "evil.py"
    evil.write_text(f"open({str(honest.mark)!r}, 'w').close()\n")
    ended = refuse(plan(game=f"{evil}:Evil", openings="plies=2"), honest, folder, capsys)
    for name in ("resume", "book extend"):
        assert "--trust" in ended[name].err


# ---- journals and logs beside a store -------------------------------------------------------------------------

MAGIC = bytes.fromhex("d9d505f920a163d7")
PAGE = 4096


def journal(pages: int, old: bytes = b"", name: str = "") -> bytes:
    """A rollback journal of a database of `pages` pages, with old pages from the first on, and a super-journal."""
    words = [b"".join(each.to_bytes(4, "big") for each in (len(old) // PAGE, 0, pages, 512, PAGE))]
    for number in range(len(old) // PAGE):
        page = old[number * PAGE : (number + 1) * PAGE]
        checksum = sum(page[at] for at in range(PAGE - 200, 0, -200))
        words += [(number + 1).to_bytes(4, "big"), page, checksum.to_bytes(4, "big")]
    words[0] = (MAGIC + words[0]).ljust(512, b"\0")
    if name:
        text = os.fsencode(name)
        lock_page = (1 << 30) // PAGE + 1
        words += [lock_page.to_bytes(4, "big"), text, len(text).to_bytes(4, "big"), sum(text).to_bytes(4, "big"), MAGIC]
    return b"".join(words)


def pages_of(path: Path) -> int:
    return path.stat().st_size // PAGE if path.exists() else 4


#: Writes a file of somebody else beside a store, which SQLite would use. The victim is a file of the reader.
Plant = Callable[[Path, Path, Path], object]
PLANTS: dict[str, Plant] = {
    "FIFO": lambda path, beside, victim: os.mkfifo(beside),
    "link": lambda path, beside, victim: beside.symlink_to(victim),
    "dangling link": lambda path, beside, victim: beside.symlink_to(victim.with_name("new")),
    "hard link": lambda path, beside, victim: os.link(victim, beside),
    "folder": lambda path, beside, victim: beside.mkdir(),
}
COMPANIONS: dict[str, tuple[str, Plant]] = {
    "a journal that deletes a file": (
        "-journal",
        lambda path, beside, victim: beside.write_bytes(journal(pages_of(path), name=str(victim))),
    ),
    "a journal of 4 TB": ("-journal", lambda path, beside, victim: beside.write_bytes(journal(1 << 30))),
    **{
        f"{suffix}: {name}": (suffix, plant)
        for suffix in ("-journal", "-wal", "-shm")
        for name, plant in PLANTS.items()
    },
}


def plant(what: str, path: Path) -> tuple[Path, Path]:
    """Plant a file beside a store; returns it and the victim."""
    suffix, write = COMPANIONS[what]
    victim, beside = path.with_name("thesis.txt"), Path(f"{path}{suffix}")
    victim.write_text("years of work")
    write(path, beside, victim)
    return beside, victim


def check_refused(ended: Ended, beside: Path, victim: Path) -> None:
    assert ended.code == 2, ended
    (line,) = ended.err.splitlines()
    assert line.startswith("zermelo: "), line
    assert beside.name in line
    assert victim.read_text() == "years of work"
    assert not victim.with_name("new").exists()
    assert os.path.lexists(beside)


@pytest.mark.skipif(os.name != "posix", reason="needs FIFOs and links")
@pytest.mark.parametrize("what", COMPANIONS)
def test_a_file_beside_a_store_is_refused(
    what: str, honest: Honest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ZERMELO_RUNS_DIR", str(tmp_path / "mine"))
    for number, name in enumerate(honest.commands(tmp_path)):
        path = tmp_path / str(number) / "games.zermelo"
        path.parent.mkdir()
        source, words = honest.commands(path)[name]
        path.write_bytes(source.read_bytes())
        beside, victim = plant(what, path)
        check_refused(run(words, capsys), beside, victim)
        assert path.read_bytes() == source.read_bytes()
        assert {each.name for each in path.parent.iterdir()} == {path.name, beside.name, victim.name}


@pytest.mark.skipif(os.name != "posix", reason="needs FIFOs and links")
@pytest.mark.parametrize("what", COMPANIONS)
def test_a_file_beside_a_new_store_is_refused(
    what: str, honest: Honest, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, command in enumerate(("match", "tournament", "league")):
        path = folder / str(number) / "games.zermelo"
        path.parent.mkdir()
        beside, victim = plant(what, path)
        if command == "league":
            words = honest.commands(path)["league"][1]
        else:
            words = [command, "tictactoe", "random", "lines:1", "--games", "2", "--workers", "0", "--quiet"]
            words += ["--store", str(path)]
        check_refused(run(words, capsys), beside, victim)
        assert not path.exists()


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
def test_an_earlier_store_is_no_part_of_a_new_one(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / "games.zermelo"
    Path(f"{path}{suffix}").write_bytes(b"of a store that was deleted")
    with pytest.raises(StoreError, match=f"file exists: .*games.zermelo{suffix}; it would become a part of"):
        Store.create(path, plan_of("tictactoe"))
    assert not path.exists()


@pytest.mark.parametrize("write", [False, True])
def test_a_journal_is_rolled_back_before_the_check(write: bool, honest: Honest, tmp_path: Path) -> None:
    path = tmp_path / "games.zermelo"
    path.write_bytes(honest.match.read_bytes())
    DAMAGE["view games"](path)
    hostile = path.read_bytes()
    path.write_bytes(honest.match.read_bytes())
    Path(f"{path}-journal").write_bytes(journal(len(hostile) // PAGE, hostile))
    with pytest.raises(StoreError, match="its tables are not those of schema version"):
        Store.open(path, write=write)
    assert path.read_bytes() == hostile


@pytest.mark.parametrize("write", [False, True])
def test_a_log_is_read_before_the_check(write: bool, honest: Honest, tmp_path: Path) -> None:
    path, made = tmp_path / "games.zermelo", tmp_path / "made.zermelo"
    made.write_bytes(honest.match.read_bytes())
    with closing(sqlite3.connect(made, isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (a);")
        path.write_bytes(made.read_bytes())
        Path(f"{path}-wal").write_bytes(Path(f"{made}-wal").read_bytes())
    with pytest.raises(StoreError, match="its tables are not those of schema version"):
        Store.open(path, write=write)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.parametrize("write", [False, True])
def test_the_journal_of_a_killed_process_is_rolled_back(write: bool, honest: Honest, tmp_path: Path) -> None:
    path = tmp_path / "games.zermelo"
    path.write_bytes(honest.match.read_bytes())
    script = """if 1:
        import os, signal, sqlite3, sys
        connection = sqlite3.connect(sys.argv[1], isolation_level=None)
        connection.execute("PRAGMA cache_size = 1")  # pages reach the disk before the commit
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE games SET job = job || ?", [" " * 9000])
        os.kill(os.getpid(), signal.SIGKILL)
    """
    subprocess.run([sys.executable, "-c", script, str(path)], timeout=60, check=False)
    assert Path(f"{path}-journal").read_bytes().startswith(MAGIC)
    assert path.read_bytes() != honest.match.read_bytes()
    with Store.open(path, write=write) as store, Store.open(honest.match) as expected:
        assert list(store.games()) == list(expected.games())
    assert not Path(f"{path}-journal").exists()


@pytest.mark.long
def test_300_hostile_stores(
    honest: Honest, folder: Path, capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> None:
    assert len(GENERATED) + len(DAMAGE) >= 300
    ended: list[Ended] = []
    wrong = []
    for what, change in GENERATED.items():
        try:
            ended += refuse(change, honest, folder, capsys).values()
        except AssertionError as error:
            wrong.append(f"{what}: {error}")
    assert not wrong, "\n".join(wrong)
    record_property(
        "measured",
        f"{len(GENERATED)} generated stores, {len(ended):,} commands, none of which started a program: at most "
        f"{max(each.seconds for each in ended):.2f} s and {max(each.memory for each in ended) >> 20} MiB",
    )


def test_an_honest_store_is_read(honest: Honest, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "games.zermelo"
    codes = {}
    for name, (source, words) in honest.commands(path).items():
        path.write_bytes(source.read_bytes())
        codes[name] = run(words, capsys).code
    expected = {"standings": 0, "resume": 2, "games export": 0, "league": 0, "book extend": 0}
    assert codes == expected | ({"serve": 0} if HAS_WEB else {})
    assert not honest.mark.exists()


def test_a_large_number_takes_no_memory(tmp_path: Path) -> None:
    with Store.create(tmp_path / "games.zermelo", plan_of("tictactoe")) as store:
        results = StoredResults(store)
        results.add(3_000_000_000)
        assert 3_000_000_000 in results
        assert 2_999_999_999 not in results
        assert len(results._known) == 1


def flips(path: Path, times: int, seed: int) -> str:
    """Flip random bits, one at a time: the store is reported as damaged, or gives the same results and failures."""

    def content() -> object:
        with Store.open(path) as store:
            return store.plan, list(store.results()), store.failures(), list(store.games()), store.versions()

    whole, expected = path.read_bytes(), content()
    random, detected, silent = Random(seed), 0, []
    for _ in range(times):
        at, bit = random.randrange(len(whole)), random.randrange(8)
        changed = bytearray(whole)
        changed[at] ^= 1 << bit
        path.write_bytes(changed)
        try:
            found = content()
        except StoreError:
            detected += 1
        else:
            if found != expected:
                silent.append(f"byte {at}, bit {bit}")
    figures = f"{len(silent)} silent changes in {times:,} flipped bits, {detected:,} of which were detected"
    assert not silent, f"{figures}: {silent}"
    assert detected > times // 3, figures
    return figures


def small_copy(honest: Honest, tmp_path: Path) -> Path:
    path = tmp_path / "flipped.zermelo"
    path.write_bytes(honest.match.read_bytes())
    return path


def test_flipped_bits_are_detected_or_harmless(honest: Honest, tmp_path: Path) -> None:
    flips(small_copy(honest, tmp_path), 300, seed=1)


@pytest.mark.long
def test_3000_flipped_bits(honest: Honest, tmp_path: Path) -> None:
    flips(small_copy(honest, tmp_path), 3_000, seed=2)


@pytest.mark.nightly
def test_30000_flipped_bits(honest: Honest, tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    record_property("measured", flips(small_copy(honest, tmp_path), 30_000, seed=3))
