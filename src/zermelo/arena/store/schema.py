"""Schemas of stores, and the check that a file has exactly one of them.

A file from elsewhere can hold views, triggers or virtual tables under the names that we query. So every statement of
its schema must equal ours.
"""

from __future__ import annotations

import re
import sqlite3

#: SQLite application id of stores: "Zrml", as `file` and SQLite's tools show it.
APPLICATION_ID = 0x5A726D6C
#: Version of the schema. Older versions are read, and migrated when they are opened for writing.
SCHEMA_VERSION = 3

# The results of a game come first, so that a table is made without reading the long texts of a whole game.
RESULT_COLUMNS = (
    "number", "max_player", "min_player", "points", "termination", "detail", "forfeited_by", "utility", "plies",
    "max_nodes", "min_nodes", "max_seconds", "min_seconds", "max_moves", "min_moves", "round", "game_pair", "opening",
    "moves_hash", "max_version", "min_version", "referee_version", "started_at", "seconds", "game", "seed", "max_clock",
    "min_clock",
)  # fmt: skip
CONTENT_COLUMNS = ("job", "moves", "reports")
#: All columns that are written, in the order of the table.
COLUMNS = (*RESULT_COLUMNS, "content_digest", "digest", *CONTENT_COLUMNS)

_GAMES = """
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
{new_columns}    job             TEXT NOT NULL,
    moves           TEXT NOT NULL,
    reports         TEXT NOT NULL{old_columns}
)
"""
_NEW_COLUMNS = """    game            TEXT NOT NULL,
    seed            INTEGER NOT NULL,
    max_clock       TEXT NOT NULL,
    min_clock       TEXT NOT NULL,
    content_digest  TEXT NOT NULL,
    digest          TEXT NOT NULL,
"""
_OLD_COLUMNS = """,
    digest          TEXT NOT NULL,
    game            TEXT AS (json_extract(job, '$.game')) VIRTUAL,
    seed            INTEGER AS (json_extract(job, '$.seed')) VIRTUAL,
    max_clock       TEXT AS (json_extract(job, '$.controls[0]')) VIRTUAL,
    min_clock       TEXT AS (json_extract(job, '$.controls[1]')) VIRTUAL"""

#: The statements of each table, by schema version. A digest covers all other columns of its row.
TABLES = {
    2: (
        "CREATE TABLE store (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        _GAMES.format(new_columns="", old_columns=_OLD_COLUMNS).strip(),
        "CREATE TABLE failures (number INTEGER PRIMARY KEY, error TEXT NOT NULL, at REAL NOT NULL)",
    ),
    3: (
        "CREATE TABLE store (name TEXT PRIMARY KEY, value TEXT NOT NULL, digest TEXT NOT NULL) WITHOUT ROWID",
        _GAMES.format(new_columns=_NEW_COLUMNS, old_columns="").strip(),
        "CREATE TABLE failures (number INTEGER PRIMARY KEY, error TEXT NOT NULL, at REAL NOT NULL, "
        "digest TEXT NOT NULL)",
    ),
}
# Columns of schema version 1 that were renamed. Their contents, and so the digests, are the same.
_VERSION_1_COLUMNS = {
    "termination": "ending",
    "forfeited_by": "at_fault",
    "game_pair": "pairing",
    "moves_hash": "line",
    "referee_version": "referee",
    "started_at": "began",
    "reports": "said",
}


def version_1(sql: str) -> str:
    """Translate the column names of version 2 into those of version 1."""
    return re.sub(r"\w+", lambda word: _VERSION_1_COLUMNS.get(word[0], word[0]), sql)


TABLES[1] = (TABLES[2][0], version_1(TABLES[2][1]), TABLES[2][2])


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the tables of the current version, within a transaction of the caller."""
    for sql in TABLES[SCHEMA_VERSION]:
        connection.execute(sql)


def is_exact(connection: sqlite3.Connection, version: int) -> bool:
    """Return whether a database has the tables of a version and nothing else."""
    expected = sorted(map(_normalized, TABLES[version]))
    # `substr` and `LIMIT`: a hostile schema may be of any size.
    rows = connection.execute(
        "SELECT type, name, tbl_name, substr(sql, 1, 10000) FROM sqlite_master LIMIT ?", [len(expected) + 1]
    ).fetchall()
    found = [tuple(_text(value) for value in row) for row in rows]
    if any(row[:3] != ("table", row[1], row[1]) for row in found):
        return False
    return sorted(_normalized(row[3]) for row in found) == expected


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _normalized(sql: str) -> str:
    """Return SQL with single spaces: renamed columns left other spaces in stores migrated from version 1."""
    return " ".join(sql.split())
