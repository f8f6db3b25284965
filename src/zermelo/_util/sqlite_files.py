"""Files that SQLite uses beside a database, checked before it opens them: anybody may have made them. ::

    FILE-journal    rollback journal: old pages, which SQLite writes back when a transaction was interrupted
    FILE-wal        write-ahead log: new pages, which it reads and merges
    FILE-shm        index of that log, which it rebuilds if no other process uses the database

SQLite opens, changes and deletes these files before the first statement, also for readers. It waits for a FIFO, and
writes through a second name of a file. A rollback journal may also name a super-journal, at any path, which SQLite
deletes after the rollback. Only transactions over several databases have one.
"""

from __future__ import annotations

import os
from pathlib import Path

from zermelo._util.user_files import check_regular, open_file
from zermelo.errors import FileError

# https://sqlite.org/fileformat2.html#the_rollback_journal: magic, records, nonce, pages, sector size, page size.
# A journal that names a super-journal also ends with the magic.
_MAGIC = bytes.fromhex("d9d505f920a163d7")
_HEADER = 28


def companions(path: Path) -> dict[str, Path]:
    """Return the files that SQLite uses beside a database by their suffixes; they need not exist."""
    return {suffix: Path(f"{os.path.realpath(path)}{suffix}") for suffix in ("-journal", "-wal", "-shm")}


def check_companions(path: Path, label: str) -> None:
    """Check the files beside a database before SQLite opens it.

    A journal that a killed process left behind passes: the first statement writes its pages back. So what the database
    holds is known only after that statement.

    Parameters
    ----------
    path : Path
        The database.
    label : str
        How messages name it.

    Raises
    ------
    FileError
        A file is not a regular file, is a link, has several names, names a super-journal, or would enlarge the
        database by more than it holds.

    Notes
    -----
    SQLite opens the files by name after this check. Someone who can write to the folder can replace them before that.
    """
    for suffix, companion in companions(path).items():
        if not os.path.lexists(companion):
            continue
        try:
            if check_regular(companion, label="", follow_links=False).st_nlink > 1:
                raise FileError("a file with several names (hard links)")
            if suffix == "-journal":
                _check_journal(path, companion)
        except FileError as error:
            if os.path.lexists(companion):  # otherwise its process has just finished
                raise FileError(f"{label}{suffix}: {error}; move it away to open {label}") from None


def refuse_companions(path: Path, label: str) -> None:
    """Raise `FileError` if there are files that SQLite would use for a database that is to be created.

    A deleted database left them behind, or somebody planted them; SQLite would put their pages into the new one.
    """
    for suffix, companion in companions(path).items():
        if os.path.lexists(companion):
            raise FileError(
                f"file exists: {label}{suffix}; it would become a part of {label}: move it away, or choose another name"
            )


def _check_journal(path: Path, journal: Path) -> None:
    with open_file(journal, label="", follow_links=False, buffering=0) as file:
        header = file.read(_HEADER)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - len(_MAGIC)))
        end = file.read(len(_MAGIC))
    if size > len(_MAGIC) and end == _MAGIC:
        raise FileError("a journal that names another file to delete")
    if header.startswith(_MAGIC) and len(header) == _HEADER:
        pages, page = int.from_bytes(header[16:20], "big"), int.from_bytes(header[24:28], "big")
        # SQLite sets the database to this size, however large. The journal holds the pages that it lacks.
        held = path.stat().st_size if path.exists() else 0
        if pages * (page or 1 << 16) > held + size:
            raise FileError("a journal of a larger database")
