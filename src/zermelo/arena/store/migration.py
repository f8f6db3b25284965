"""Stores of schema versions 1 and 2: their games with the digests of the current version.

Games keep their texts byte for byte, and the plan and the id are copied, so that a run is still known to have been
started here. Each game is checked against its old digest first; a damaged store is not migrated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from zermelo.arena.store import rows
from zermelo.arena.store.database import Database, shown
from zermelo.arena.store.schema import (
    COLUMNS,
    CONTENT_COLUMNS,
    RESULT_COLUMNS,
    SCHEMA_VERSION,
    create_tables,
    version_1,
)
from zermelo.errors import StoreError

_NAMES = ("store", "games", "failures")


def migrate_in_place(database: Database, version: int) -> None:
    """Migrate a store that is open for writing, in one transaction."""
    with database.transaction("BEGIN IMMEDIATE"):
        for name in _NAMES:
            database.connection.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
        copy(database, database, version, "old_")
        for name in _NAMES:
            database.connection.execute(f"DROP TABLE old_{name}")
        database.connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def copy(source: Database, target: Database, version: int, prefix: str = "") -> None:
    """Copy all rows of an old store into new tables.

    Parameters
    ----------
    source, target : Database
        The old store, and a database without tables of the current version.
    version : int
        Schema version of the source.
    prefix : str
        Prefix of the names of the old tables.
    """
    connection = target.connection
    create_tables(connection)
    games, failures = rows.TableDigest(), rows.TableDigest()
    marks = ", ".join("?" * len(COLUMNS))
    for row in _games(source, version, prefix):
        games.add(row[len(RESULT_COLUMNS) + 1])
        connection.execute(f"INSERT INTO games ({', '.join(COLUMNS)}) VALUES ({marks})", row)
    for number, error, at in source.rows(f"SELECT number, error, at FROM {prefix}failures ORDER BY number"):
        row = [number, error.decode("utf-8", "replace") if isinstance(error, bytes) else str(error), at]
        failures.add(rows.digest(row))
        connection.execute("INSERT INTO failures VALUES (?, ?, ?, ?)", [*row, rows.digest(row)])
    properties = {
        name.decode("utf-8", "replace"): value.decode("utf-8", "replace")
        for name, value in source.rows(f"SELECT name, value FROM {prefix}store")
        if isinstance(name, bytes) and isinstance(value, bytes)
    }
    for name, value in (properties | {"games": str(games), "failures": str(failures)}).items():
        connection.execute("INSERT INTO store VALUES (?, ?, ?)", [name, value, rows.digest([name, value])])


def _games(source: Database, version: int, prefix: str) -> Iterator[list[Any]]:
    results = RESULT_COLUMNS[: RESULT_COLUMNS.index("game")]  # the others were generated from the job
    sql = f"SELECT {', '.join((*results, *CONTENT_COLUMNS))}, digest FROM {prefix}games ORDER BY number"
    last = -1
    with source.query(version_1(sql) if version == 1 else sql) as cursor:
        for row in cursor:
            try:
                values = [value.decode() if isinstance(value, bytes) else value for value in row]
                *values, old_digest = values
                if old_digest != _old_digest(values):
                    raise ValueError("its digest does not match")
                if not isinstance(values[0], int) or values[0] <= last:
                    raise ValueError("its number is out of order")
                job = json.loads(values[len(results)])
                columns = rows.job_columns(job["game"], job["seed"], job["controls"])
                migrated = rows.with_digests([*values[: len(results)], *columns], values[len(results) :])
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                raise StoreError(f"{shown(source.path)}: {rows.named(row[0])} is damaged: {error}") from None
            last = values[0]
            yield migrated


def _old_digest(values: list[Any]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]
