"""Atomic file writes: a reader sees the old file or the complete new one, never a part."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from zermelo._util import temporary
from zermelo.errors import FileError


def write(path: str | Path, content: str | bytes) -> None:
    """Write or replace a file atomically. Text is written as UTF-8; bytes of file names that are not become escapes.

    Raises
    ------
    FileError
        If the file cannot be written: the directory does not exist, access is denied, the disk is full.
    """
    with writing(path) as file:
        file.write(content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content)


def check_path(path: str | Path) -> None:
    """Check that a file can be written, before long work whose result goes there.

    Raises
    ------
    FileError
        The path is a directory, or its directory is missing or not writable.
    """
    path = Path(path)
    if path.is_dir():
        raise FileError(f"{path} is a directory: expected a file name")
    folder = Path(os.path.realpath(path)).parent  # of the target of a link
    if not folder.is_dir():
        raise FileError(f"{path}: directory not found: {path.parent}")
    is_special = path.exists() and not path.is_file()  # a pipe or a device, which is not replaced
    if not is_special and not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"{path}: permission denied: {path.parent}")


@contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file that appears, or replaces the old one, when the block ends without an error.

    Errors of this file become `FileError`; other errors raised in the block are not changed.
    """
    path = Path(path)
    with _named_errors(path):
        check_path(path)
        if path.exists() and not path.is_file():  # a pipe or a device is written to, not replaced
            handle, target, unfinished = os.open(path, os.O_WRONLY), path, ""
        else:
            target = Path(os.path.realpath(path))  # the target of a link, which stays a link
            handle, unfinished = temporary.create_file(target.parent, target.name)
    file = io.BufferedWriter(_File(handle, path))
    try:
        yield file
        with _named_errors(path):
            file.flush()
            if unfinished:
                os.fsync(handle)  # otherwise a crash could leave an empty file of that name
                os.chmod(unfinished, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
                temporary.publish(file, unfinished, target)
            file.close()
    except BaseException:
        with suppress(OSError):  # flushing may fail again
            file.close()
        if unfinished and os.path.exists(unfinished):
            os.unlink(unfinished)
        raise


class _File(io.FileIO):
    """A file whose write errors are `FileError`, to tell them from errors of other files in the same block."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, content: Any) -> int:
        with _named_errors(self._path):
            return super().write(content)


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    """Turn an OSError into a `FileError` that names the file."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _umask() -> int:
    """The umask of the process, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
