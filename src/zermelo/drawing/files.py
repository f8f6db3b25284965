"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from zermelo.errors import TreeError


def write(path: str | Path, content: str | bytes) -> None:
    """Write a file, in place of one that may be there; whoever reads it meanwhile finds the old one or the new one.

    Raises `TreeError` where it cannot be written: no such folder, no right, no room.
    """
    with writing(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing(path: str | Path) -> Iterator[BinaryIO]:
    """A file to be written piece by piece, as `write` does it: nothing is there before all is, or if an error comes."""
    path = Path(path)
    try:
        if path.is_dir():
            raise TreeError(f"{path}: a folder; a name of a file is needed")
        if not path.parent.is_dir():
            raise TreeError(f"{path}: there is no folder {path.parent}")
        if path.exists() and not path.is_file():  # a pipe or a device: no file may take its place
            with path.open("wb") as file:
                yield file
        else:
            # A link stays, what it leads to is written.
            yield from _replacing(Path(os.path.realpath(path)))
    except OSError as error:
        raise TreeError(f"{path}: {error.strerror or error}") from None


def _replacing(path: Path) -> Iterator[BinaryIO]:
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=".tmp", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_mask())
        os.replace(temporary, path)
    except BaseException:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _mask() -> int:
    """Which rights new files are not given here."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
