"""What was costly to make, on disk: a game is compiled once for a machine, and a second process starts from the cache.

One file an entry, and no index to damage. Machine code's name is the fingerprint of everything the code depends on, so
it is never looked up under an old name. A table that a game works out (backgammon's bear-off) has a fixed name, which
ends with the number of its version:

    <folder>/<function>-<letters>.bin     magic, length, digest, payload (Numba's pickled compile result)
    <folder>/<table>-<version>.bin        the same, the payload plain bytes
    <folder>/<name>.lock                  held by the one process that makes it

The payload is read only if length and digest are right; anything else counts as absent, is deleted and
made again. Pickle runs code: the folder is private to the user (mode 0700) and nothing else writes there.
A file is written beside its place, flushed to disk and renamed, so no reader ever sees half of one.
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
PATIENCE = 120.0


def folder() -> Path:
    """Where machine code is kept: `$ZERMELO_CACHE_DIR`, or the user's cache folder of the system."""
    chosen = os.environ.get("ZERMELO_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("zermelo"))


def _usable_folder() -> Path | None:
    """The folder, made if it is absent; None where it cannot be made or another user could write in it."""
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
            for path in place.glob("*.bin"):  # whoever could write here may have: nothing of it is trusted
                with suppress(OSError):
                    path.unlink()
    return place if os.access(place, os.W_OK) else None


def read(name: str) -> Any:
    """What is kept under a name, pickled; None if there is nothing or it is damaged (then it is deleted)."""
    payload = read_bytes(name)
    if payload is None:
        return None
    with suppress(Exception):  # sound bytes of another version's classes
        return pickle.loads(payload)
    delete(name)
    return None


def read_bytes(name: str) -> bytes | None:
    """The bytes kept under a name; None if there are none or they are damaged (then they are deleted)."""
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
    """Forget what is kept under a name."""
    with suppress(OSError):
        (folder() / f"{name}.bin").unlink()


def _digest(name: str, payload: bytes) -> bytes:
    """Of the name too: a file that was renamed is as wrong as one that was damaged."""
    return hashlib.blake2b(name.encode() + payload, digest_size=32).digest()


def write(name: str, content: bytes) -> None:
    """Keep content under a name. Without a usable folder or disk nothing happens: it is only a cache."""
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
    """Held while one process compiles what the others wait for. Without a usable folder nobody waits.

    A process that dies lets go of it. One that hangs is waited for `PATIENCE` seconds and then left alone: that two
    compile the same thing costs only time.
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
    """What is kept: names and sizes in bytes, sorted by name."""
    place = folder()
    if not place.is_dir():
        return []
    return sorted((path.stem, path.stat().st_size) for path in place.glob("*.bin"))


def clear() -> int:
    """Delete everything kept. Returns how many entries there were."""
    place = folder()
    count = len(entries())
    for pattern in ("*.bin", "*.lock", ".*.tmp"):
        for path in place.glob(pattern) if place.is_dir() else ():
            with suppress(OSError):
                path.unlink()
    return count


def announce(text: str) -> None:
    """Tell the user that something takes a while; replaced by the command line with a line of its own."""
    listener(text)


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


listener: Callable[[str], None] = _print
