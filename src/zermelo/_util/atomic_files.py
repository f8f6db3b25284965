"""Files written whole or not at all."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from zermelo.errors import FileError


def write(path: str | Path, content: str | bytes) -> None:
    """Write a file, in place of one that may be there; whoever reads it meanwhile finds the old one or the new one.

    Raises `FileError` where it cannot be written: no such folder, no right, no room.
    """
    with writing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to be written piece by piece, as `write` does it: nothing is there before all is, or if an error comes.

    Raises `FileError` for what goes wrong with this file; other errors of whoever writes stay what they are.
    """
    path = Path(path)
    with _told(path):
        if path.is_dir():
            raise FileError(f"{path}: a folder; a name of a file is needed")
        if not path.parent.is_dir():
            raise FileError(f"{path}: there is no folder {path.parent}")
        if path.exists() and not path.is_file():  # a pipe or a device: no file may take its place
            handle, goal, temporary = os.open(path, os.O_WRONLY), path, ""
        else:
            goal = Path(os.path.realpath(path))  # a link stays, what it leads to is written
            handle, temporary = tempfile.mkstemp(prefix=f".{goal.name[:40]}.", suffix=".tmp", dir=goal.parent)
    file = io.BufferedWriter(_File(handle, path))
    try:
        yield file
        with _told(path):
            file.flush()
            if temporary:
                os.fsync(handle)  # or a crash could leave the name with nothing behind it
            file.close()
            if temporary:
                os.chmod(temporary, goal.stat().st_mode & 0o777 if goal.exists() else 0o666 & ~_mask())
                os.replace(temporary, goal)
    except BaseException:
        with suppress(OSError):  # what could not be written before cannot be now
            file.close()
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise


class _File(io.FileIO):
    """A file that tells of its own what cannot be written; the errors of other files are told apart so."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, content: Any) -> int:
        with _told(self._path):
            return super().write(content)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Errors of the system told with the name of the file."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _mask() -> int:
    """Which rights new files are not given here."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
