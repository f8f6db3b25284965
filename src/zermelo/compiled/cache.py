"""On-disk cache of machine code and computed tables, so that a game is compiled once on a machine.

One file for each entry, without an index. The name of machine code contains the fingerprint of everything that it
depends on, so it is never looked up under an old name. A table that a game computes (backgammon's bear-off database)
has a fixed name that ends with its version:

    <folder>/<game>-<function>-<fingerprint>.bin    magic, length, digest, payload (Numba's compile result, pickled)
    <folder>/<table>-<version>.bin                  the same, the payload plain bytes
    <folder>/<name>.lock                            held by the process that makes the entry

The payload is read only if length and digest match; otherwise the entry is deleted and made again. Reading a pickle can
run code, so the folder is private to the user (mode 0700). A file is written under a temporary name, flushed to disk
and renamed, so that readers never see a partial file.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import platformdirs
from filelock import FileLock

MAGIC = b"ZERMELO1"
_HEADER = struct.Struct("<8sQ32s")
# Seconds to wait for another process that compiles the same code.
PATIENCE = 120.0


def folder() -> Path:
    """The cache folder: `$ZERMELO_CACHE_DIR`, or the user's cache folder of the system."""
    chosen = os.environ.get("ZERMELO_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("zermelo"))


def _usable_folder() -> Path | None:
    """The folder, created if missing; None if it cannot be created or another user could write to it."""
    place = folder()
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = place.stat()
    except OSError:
        return None
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            return None
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            with suppress(OSError):
                place.chmod(0o700)
            if place.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                return None
            for path in place.glob("*.bin"):  # another user may have written these: do not trust them
                with suppress(OSError):
                    path.unlink()
    return place if os.access(place, os.W_OK) else None


def read(name: str) -> Any:
    """Unpickle an entry; None if there is none or it is damaged (then it is deleted)."""
    payload = read_bytes(name)
    if payload is None:
        return None
    with suppress(Exception):  # intact bytes that refer to another version's classes
        return pickle.loads(payload)
    delete(name)
    return None


def read_bytes(name: str) -> bytes | None:
    """Read the bytes of an entry; None if there is none or it is damaged (then it is deleted)."""
    place = _usable_folder()
    if place is None:
        return None
    path = place / f"{name}.bin"
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if len(content) >= _HEADER.size:
        magic, length, digest = _HEADER.unpack_from(content)
        payload = content[_HEADER.size :]
        if magic == MAGIC and length == len(payload) and digest == _digest(name, payload):
            return payload
    delete(name)
    return None


def delete(name: str) -> None:
    """Delete an entry."""
    with suppress(OSError):
        (folder() / f"{name}.bin").unlink()


def _digest(name: str, payload: bytes) -> bytes:
    """The digest covers the name too, so that a renamed file counts as damaged."""
    return hashlib.blake2b(name.encode() + payload, digest_size=32).digest()


def write(name: str, content: bytes) -> None:
    """Store an entry. Does nothing if the folder or the disk cannot be used."""
    place = _usable_folder()
    if place is None:
        return
    header = _HEADER.pack(MAGIC, len(content), _digest(name, content))
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".tmp", dir=place)
        with os.fdopen(handle, "wb") as file:
            file.write(header + content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place / f"{name}.bin")
    except OSError:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)


@contextmanager
def lock(name: str) -> Iterator[None]:
    """Lock an entry while one process makes it and others wait. Without a usable folder there is no lock.

    The lock of a process that dies is released. After `PATIENCE` seconds a waiting process goes on without the lock:
    making an entry twice costs only time.
    """
    place = _usable_folder()
    held = FileLock(place / f"{name}.lock", mode=0o600) if place else None
    try:
        with suppress(OSError, NotImplementedError):  # Timeout is an OSError; not every file system can lock
            if held:
                held.acquire(PATIENCE)
        yield
    finally:
        if held:
            held.release()


def entries() -> list[tuple[str, int]]:
    """List the entries: names and sizes in bytes, sorted by name."""
    place = folder()
    if not place.is_dir():
        return []
    return sorted((path.stem, path.stat().st_size) for path in place.glob("*.bin"))


def clear() -> int:
    """Delete all entries. Returns their number."""
    place = folder()
    count = len(entries())
    for pattern in ("*.bin", "*.lock", ".*.tmp"):
        for path in place.glob(pattern) if place.is_dir() else ():
            with suppress(OSError):
                path.unlink()
    return count


def announce(text: str) -> None:
    """Report that something takes a while, through `listener`."""
    listener(text)


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


#: Receives announcements; prints them to stderr by default. The command line replaces it by its progress line.
listener: Callable[[str], None] = _print
