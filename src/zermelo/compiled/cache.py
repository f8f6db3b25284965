"""On-disk cache of machine code and computed tables, so that a game is compiled once on a machine.

One file for each entry, without an index. The name of machine code contains the fingerprint of everything that it
depends on, so it is never looked up under an old name. A table that a game computes (backgammon's bear-off table)
has a fixed name that ends with its version:

    <folder>/<game>-<function>-<fingerprint>.bin    magic, length, digest, payload (Numba's compile result, pickled)
    <folder>/<table>-<version>.bin                  the same, the payload plain bytes
    <folder>/<name>.lock                            held by the process that makes the entry

The payload is read only if length and digest match; otherwise the entry is deleted and made again. Reading a pickle can
run code, so the folder is private to the user (mode 0700), and only regular files that belong to the user are read. A
file is written under a temporary name, flushed to disk and renamed, so that readers never see a partial file. What a
killed process left is removed when another process first uses the folder. The folder may be one that the user chose:
other files in it are left alone.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import re
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import platformdirs
from filelock import FileLock

from zermelo._util import temporary
from zermelo._util.terminal import print_line
from zermelo._util.user_folders import user_folder
from zermelo.errors import FileError

MAGIC = b"ZERMELO1"
_HEADER = struct.Struct("<8sQ32s")
# The name of machine code, also of a damaged file.
_CODE = re.compile(r".+-[0-9a-f]{16}\.bin", re.DOTALL)
# Seconds to wait for another process that compiles the same code.
PATIENCE = 120.0
_OF_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def folder() -> Path:
    """The cache folder: `$ZERMELO_CACHE_DIR`, or the user's cache folder of the system.

    Raises
    ------
    FileError
        There is neither; entries are then not stored.
    """
    return user_folder("ZERMELO_CACHE_DIR", lambda: platformdirs.user_cache_dir("zermelo"))


def why_unused() -> str:
    """Why nothing is stored in the folder, in words; empty if it is used, or made when an entry is stored."""
    try:
        place = folder()
        status = place.stat()
    except FileNotFoundError:
        return ""
    except (FileError, OSError) as error:
        return getattr(error, "strerror", None) or str(error)
    if not hasattr(os, "getuid"):
        return ""
    if status.st_uid != os.getuid():
        return "it belongs to another user"
    if status.st_mode & _OF_OTHERS and not all(map(_is_own, _plain_files(place))):
        return "other users can write to it, and it holds other files; set ZERMELO_CACHE_DIR to a folder of its own"
    return ""


def _usable_folder() -> Path | None:
    """The folder, made if it is missing, and private; None if it is not used.

    From a folder that cannot be written to (a read-only disk), entries are read.
    """
    try:
        place = folder()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if why_unused() or not _keep_private(place):
            return None
    except (FileError, OSError):
        return None
    temporary.sweep_once(place)
    return place


def _keep_private(place: Path) -> bool:
    """Whether only this user can write to a folder, after an attempt to make it so."""
    if not hasattr(os, "getuid") or not place.stat().st_mode & _OF_OTHERS:
        return True
    with suppress(OSError):
        place.chmod(0o700)
    if place.stat().st_mode & _OF_OTHERS:
        return False
    for path in filter(_is_entry, _plain_files(place)):  # another user may have written these: do not trust them
        with suppress(OSError):
            path.unlink()
    return True


def _plain_files(place: Path) -> list[Path]:
    """All in a folder but its folders (endgame tables have one)."""
    with suppress(OSError), os.scandir(place) as listed:
        return [Path(entry.path) for entry in listed if not entry.is_dir(follow_symlinks=False)]
    return []


def _is_entry(path: Path) -> bool:
    """Whether a file is an entry, by its name or by its first bytes."""
    if path.suffix != ".bin" or _CODE.fullmatch(path.name):
        return path.suffix == ".bin"
    return (_read_own(path, len(MAGIC)) or b"") == MAGIC


def _is_own(path: Path) -> bool:
    """Whether a file is the cache's."""
    return _is_entry(path) or _is_lock(path) or temporary.is_temporary(path)


def _is_lock(path: Path) -> bool:
    """Whether a file is the lock of an entry: locks are empty, `poetry.lock` is not."""
    with suppress(OSError):
        return path.suffix == ".lock" and path.lstat().st_size == 0
    return False


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
    content = _read_own(place / f"{name}.bin")
    if content is None:
        return None
    if len(content) >= _HEADER.size:
        magic, length, digest = _HEADER.unpack_from(content)
        payload = content[_HEADER.size :]
        if magic == MAGIC and length == len(payload) and digest == _digest(name, payload):
            return payload
    delete(name)
    return None


def _read_own(path: Path, size: int = -1) -> bytes | None:
    """Read a regular file of this user, without following a link or waiting for a pipe; empty if it is another file.

    None if there is no file or it cannot be read. With `size`, only the first bytes are read.
    """
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        return b"" if error.errno in (errno.ELOOP, errno.ENXIO) else None  # a link, a socket
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            return b""
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(size)
    except OSError:
        return None
    finally:
        os.close(descriptor)


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
    unfinished = None
    try:
        descriptor, unfinished = temporary.create_file(place, name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(header + content)
            file.flush()
            os.fsync(descriptor)
            temporary.publish(file, unfinished, place / f"{name}.bin")
    except OSError:
        if unfinished is not None:
            with suppress(OSError):
                os.unlink(unfinished)


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
    found = []
    for path in filter(_is_entry, _listed()):
        with suppress(OSError):
            found.append((path.stem, path.lstat().st_size))
    return sorted(found)


def leftovers() -> list[int]:
    """List the sizes of temporary files, in bytes: files that are being written, or were when a process was killed."""
    return [path.lstat().st_size for path in filter(temporary.is_temporary, _listed())]


def clear() -> int:
    """Delete all entries, their locks and temporary files, as the system permits. Returns the number of entries."""
    count = 0
    for path in filter(_is_own, _listed()):
        is_entry = _is_entry(path)
        with suppress(OSError):
            path.unlink()
            count += is_entry
    return count


def _listed() -> list[Path]:
    """All files in the cache folder, also those of other programs; empty if there is no folder."""
    with suppress(FileError):
        return _plain_files(folder())
    return []


def announce(text: str) -> None:
    """Report that something takes a while, through `listener`."""
    listener(text)


def _print(text: str) -> None:
    print_line(text, error=True)


#: Receives announcements; prints them to stderr by default. The command line replaces it by its progress line.
listener: Callable[[str], None] = _print
