"""Temporary files and folders that a later start removes if their process was killed.

Each is locked by the process that made it. A killed process leaves its files behind, but not its locks:

    .results.csv.zermelo-6ab19f20-53c0e7a41d2b9f68.tmp    beside results.csv, while it is written
    zermelo-6ab19f20-0f4e2a9c77d1b386.tmp/                in the system's folder of temporary files; beside a new store
            ^ machine ^ random number

`sweep` removes what has such a name, belongs to the user, and is locked by nobody. A lock is not seen from another
machine (a shared folder), and some file systems have no locks. There, what has not changed for a week is removed.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
import weakref
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO

from zermelo.errors import FileError

if sys.platform != "win32":
    import fcntl

#: Seconds without a change after which something without a usable lock is abandoned. No tournament takes a week.
ABANDONED_AFTER = 7 * 24 * 3600.0

_MACHINE = f"{zlib.crc32(platform.node().encode('utf-8', 'replace')):08x}"
_NAME = re.compile(r"(?:\..*\.)?zermelo-(?P<machine>[0-9a-f]{8})-[0-9a-f]{16}\.tmp", re.DOTALL)
# Characters of the final name in a temporary one; a name has at most 255 bytes.
_LONGEST_NAME = 40
_swept: set[str] = set()


def create_file(directory: str | os.PathLike[str], name: str) -> tuple[int, str]:
    """Create a locked file, readable by its user only, that is to be renamed to `name`.

    Returns
    -------
    descriptor : int
        Open for reading and writing. Closing it releases the lock.
    path : str

    Raises
    ------
    OSError
        The file cannot be created.
    """
    sweep_once(directory)
    while True:
        path = os.path.join(directory, f".{name[:_LONGEST_NAME]}.{_unique_name()}")
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags, 0o600)
        if _is_locked_for_good(descriptor, path):
            return descriptor, path
        os.close(descriptor)


def publish(file: IO[bytes], path: str, target: str | os.PathLike[str]) -> None:
    """Rename a complete file to its final name and close it. It is locked until then, so that nobody sweeps it."""
    if sys.platform == "win32":  # where an open file cannot be renamed
        file.close()
    os.replace(path, target)
    file.close()


class Folder:
    """A locked folder, accessible to its user only, removed with its contents by `cleanup` or at the end of a block.

    Parameters
    ----------
    parent : path, optional
        Where it is created; by default the system's folder for temporary files.

    Raises
    ------
    FileError
        The folder cannot be created, or the system has no folder for temporary files. With `parent`, the message has
        the reason alone.
    """

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        try:
            place = tempfile.gettempdir() if parent is None else parent
            sweep_once(place)
            self.name, lock = _create_folder(place)
        except OSError as error:
            if parent is not None:
                raise FileError(error.strerror or str(error)) from None
            place = f"{error.filename}: " if error.filename else ""
            reason = f"cannot create a temporary folder: {place}{error.strerror or error}"
            raise FileError(f"{reason}; set TMPDIR to a folder that can be written to") from None
        self._finalizer = weakref.finalize(self, _remove_locked, self.name, lock)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Remove the folder, as far as possible. May be called twice."""
        self._finalizer()


def _remove_locked(path: str, lock: int | None) -> None:
    _remove(path)
    if lock is not None:
        os.close(lock)


def _create_folder(parent: str | os.PathLike[str]) -> tuple[str, int | None]:
    while True:
        path = os.path.join(parent, _unique_name())
        os.mkdir(path, 0o700)
        if sys.platform == "win32":
            return path, None
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        except FileNotFoundError:  # swept by another thread or process before it was locked
            continue
        if _is_locked_for_good(descriptor, path):
            return path, descriptor
        os.close(descriptor)


def sweep(directory: str | os.PathLike[str]) -> None:
    """Remove abandoned temporary files and folders from a directory. Errors are ignored; links are not followed."""
    for path, _ in leftovers(directory):
        descriptor = _open_own(path)
        if descriptor is None:
            continue
        try:
            # Removed while locked: a process that has only just made it waits for the lock, and then makes another.
            if _is_abandoned(descriptor, path):
                _remove(path)
        finally:
            os.close(descriptor)


def leftovers(directory: str | os.PathLike[str]) -> list[tuple[str, int]]:
    """List temporary files and folders in a directory, abandoned or in use: paths and sizes in bytes."""
    found = []
    with suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name):
                with suppress(OSError):
                    found.append((os.path.abspath(entry.path), entry.stat(follow_symlinks=False).st_size))
    return sorted(found)


def is_temporary(path: Path) -> bool:
    """Whether a path has the name of a temporary file or folder."""
    return _NAME.fullmatch(path.name) is not None


def sweep_once(directory: str | os.PathLike[str]) -> None:
    """Sweep a directory the first time that this process uses it."""
    place = os.path.abspath(directory)
    if place not in _swept:
        _swept.add(place)
        sweep(place)


def _unique_name() -> str:
    return f"zermelo-{_MACHINE}-{secrets.token_hex(8)}.tmp"


def _open_own(path: str) -> int | None:
    """Open a regular file or a directory of this user, without following a link or waiting for a pipe."""
    try:
        # A lock of NFS needs a descriptor that can write.
        access = os.O_RDONLY if stat.S_ISDIR(os.lstat(path).st_mode) else os.O_RDWR
        descriptor = os.open(path, access | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    status = os.fstat(descriptor)
    is_own = not hasattr(os, "getuid") or status.st_uid == os.getuid()
    if is_own and (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return descriptor
    os.close(descriptor)
    return None


def _is_abandoned(descriptor: int, path: str) -> bool:
    """Whether the process that made an open file or folder has ended. Takes its lock."""
    name = _NAME.fullmatch(os.path.basename(path))
    if sys.platform != "win32" and name is not None and name["machine"] == _MACHINE:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            pass
    return time.time() - os.fstat(descriptor).st_mtime > ABANDONED_AFTER


def _is_locked_for_good(descriptor: int, path: str) -> bool:
    """Lock a new file or folder; False if another process swept it before it was locked."""
    if sys.platform != "win32":
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
    return os.path.lexists(path)


def _remove(path: str) -> None:
    with suppress(OSError, RecursionError):  # deeply nested folders
        if Path(path).is_dir() and not Path(path).is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
