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
damage is detected                    a digest per row and one per table, checked on each reading
a store from elsewhere is only data   exact schema, checked types and ranges, bounded statements; the plan is read once

While a tournament runs (or after it was killed, until the file is opened again), recent games are in STORE-wal and
missing from a copy of the file alone.
"""

from __future__ import annotations

from zermelo.arena.store.schema import APPLICATION_ID, SCHEMA_VERSION
from zermelo.arena.store.store import Store, current_writer

__all__ = ["APPLICATION_ID", "SCHEMA_VERSION", "Store", "current_writer"]
