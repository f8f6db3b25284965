"""Files that users name or hand in: opened without blocking, checked to be regular, read up to a limit.

Everything that reads such a file uses this module. A FIFO, a socket, a device, a directory, a dangling link, a file
that is too large or not UTF-8 is a `FileError` with one line that says so; nothing waits for a writer.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from zermelo.errors import FileError

#: Characters of a line that a person types at most; of a longer line this is the first piece.
LONGEST_LINE = 100_000
#: Name of standard input on the command line.
STDIN = "-"

#: Bytes that are read at once: `read` allocates what it is asked for, however small the file is.
_PIECE = 1 << 16

#: `O_NONBLOCK`: opening a FIFO does not wait for a writer. `O_NOCTTY`: a terminal does not become the controlling one.
#: Flags that a system lacks are 0 there.
_FLAGS = os.O_RDONLY
for _flag in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"):
    _FLAGS |= getattr(os, _flag, 0)
_APPEND: int = _FLAGS | os.O_WRONLY | os.O_APPEND | os.O_CREAT
#: Opening a link fails.
_NO_LINKS: int = getattr(os, "O_NOFOLLOW", 0)
_LINK = "a link to another file; expected the file itself"

_SPECIAL: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def shown_path(path: str | os.PathLike[str]) -> str:
    r"""Return a path as text that can be printed and written; bytes that are not UTF-8 become escapes: `\xe9`."""
    try:
        return os.fspath(path).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # a lone surrogate that no file name has
        return os.fspath(path).encode("utf-8", "backslashreplace").decode()


def open_file(
    path: str | os.PathLike[str],
    *,
    label: str | None = None,
    max_bytes: int | None = None,
    buffering: int = -1,
    follow_links: bool = True,
) -> BinaryIO:
    """Open a regular file for reading.

    Parameters
    ----------
    path : path
        The file.
    label : str, optional
        How messages name the file, "" for not at all; by default its path.
    max_bytes : int, optional
        Maximum size in bytes. By default there is none: the caller reads a bounded part at a time.
    buffering : int
        As for `open`.
    follow_links : bool
        False for files that somebody handed in: a link would be read with the rights of the reader. A student could so
        hand in the solution, or the file of another student, which only the teacher can read. Links among the folders
        of the path are followed.

    Raises
    ------
    FileError
        The file does not exist, is not a regular file, cannot be read, is too large, or is a link that must not be
        followed.
    """
    label = shown_path(path) if label is None else label
    with _named_errors(path, label):
        # Opening a device can have effects, so look before; the file may be replaced in between, so look again.
        before = _status(path, max_bytes, follow_links)
        handle = os.open(path, _FLAGS if follow_links else _FLAGS | _NO_LINKS)
        try:
            status = os.fstat(handle)
            _check(status, max_bytes)
            # Windows has no flag that refuses links.
            if not follow_links and not os.path.samestat(before, status):
                raise FileError("was replaced while it was opened")
            return os.fdopen(handle, "rb", buffering)
        except BaseException:
            os.close(handle)
            raise


def open_to_append(path: str | os.PathLike[str], *, label: str | None = None) -> BinaryIO:
    """Open a regular file, which is made if it does not exist, or a character device, to append to, without a buffer.

    Raises
    ------
    FileError
        The file is something else, or cannot be written.
    """
    label = shown_path(path) if label is None else label
    with _named_errors(path, label):
        if os.path.exists(path):  # opening a FIFO would end the wait of its reader
            _check_writable(os.stat(path))
        handle = os.open(path, _APPEND, 0o666)
        try:
            _check_writable(os.fstat(handle))
            if hasattr(os, "O_NONBLOCK"):
                os.set_blocking(handle, True)  # a terminal that is slow must not lose lines
            return os.fdopen(handle, "ab", 0)
        except BaseException:
            os.close(handle)
            raise


def read_bytes(
    path: str | os.PathLike[str], max_bytes: int, *, label: str | None = None, follow_links: bool = True
) -> bytes:
    """Read a regular file of at most `max_bytes`. Parameters and errors are those of `open_file`."""
    label = shown_path(path) if label is None else label
    with (
        open_file(path, label=label, max_bytes=max_bytes, follow_links=follow_links) as file,
        _named_errors(path, label),
    ):
        return read_open_file(file, max_bytes)


def check_regular(
    path: str | os.PathLike[str], *, label: str | None = None, follow_links: bool = True
) -> os.stat_result:
    """Return the status of a regular file, which is not opened. Parameters and errors are those of `open_file`."""
    label = shown_path(path) if label is None else label
    with _named_errors(path, label):
        return _status(path, None, follow_links)


def read_text(path: str | os.PathLike[str], max_bytes: int, *, label: str | None = None) -> str:
    """Read a regular file of UTF-8 text, with or without a byte order mark. Raises `FileError`, as `open_file`."""
    label = shown_path(path) if label is None else label
    return decode_text(read_bytes(path, max_bytes, label=label), label)


def decode_text(content: bytes, label: str = "") -> str:
    """Decode UTF-8, with or without a byte order mark. Raises `FileError` with the line and byte of the first error."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = error.start + len(content) - len(error.object)  # `object` is without the byte order mark
        line = content.count(b"\n", 0, start) + 1
        raise FileError(_with_label(label, f"not UTF-8 text (line {line:,}, byte {start + 1:,})")) from None


def list_folder(
    folder: str | os.PathLike[str], *suffixes: str, hidden: bool = False, others: bool = False
) -> list[Path]:
    """Return everything in a folder with one of the extensions, by name; nothing is opened.

    Hidden names, which begin with a dot, are excluded, or with `hidden` the only ones. The case of the extension does
    not matter. With `others`, everything with another extension is returned instead.

    Raises
    ------
    FileError
        The folder does not exist or cannot be read.
    """
    with _named_errors(folder, shown_path(folder)):
        return sorted(
            path
            for path in Path(folder).iterdir()
            if (path.suffix.casefold() in suffixes) != others and path.name.startswith(".") == hidden
        )


# ---- standard input ---------------------------------------------------------------------------------------------


@contextmanager
def open_input(name: str) -> Iterator[BinaryIO]:
    """Open a file named on the command line, or standard input for `-`. Raises `FileError`."""
    if name == STDIN:
        yield _standard_input()
        return
    with open_file(name) as file:
        yield file


def read_input(max_bytes: int) -> str:
    """Read standard input as UTF-8 text of at most `max_bytes`. Raises `FileError`."""
    label = input_name(STDIN)
    with _named_errors(STDIN, label):
        content = read_open_file(_standard_input(), max_bytes)
    return decode_text(content, label)


def input_name(name: str) -> str:
    """How messages name an input: `standard input` for `-`."""
    return "standard input" if name == STDIN else shown_path(name)


def _standard_input() -> BinaryIO:
    if sys.stdin is None or sys.stdin.closed:
        raise FileError("standard input is closed")
    buffer = getattr(sys.stdin, "buffer", None)
    return io.BytesIO(sys.stdin.read().encode()) if buffer is None else buffer


# ---- checks -----------------------------------------------------------------------------------------------------


def _status(path: str | os.PathLike[str], max_bytes: int | None, follow_links: bool) -> os.stat_result:
    status = os.stat(path)
    _check(status, max_bytes)
    if not follow_links:
        own = os.lstat(path)
        if stat.S_ISLNK(own.st_mode):
            raise FileError(_LINK)
        _check(own, max_bytes)  # the file may have been replaced after the first look
        return own
    return status


def _check(status: os.stat_result, max_bytes: int | None) -> None:
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        raise FileError("is a directory, not a file")
    if not stat.S_ISREG(mode):
        kind = next((kind for is_kind, kind in _SPECIAL if is_kind(mode)), "a special file")
        raise FileError(f"not a regular file but {kind}")
    if max_bytes is not None and status.st_size > max_bytes:
        raise _too_large(max_bytes)


def _check_writable(status: os.stat_result) -> None:
    if not stat.S_ISCHR(status.st_mode):
        _check(status, None)


def read_open_file(file: BinaryIO, max_bytes: int) -> bytes:
    """Read the rest of an open file. Raises `FileError` if it has more than `max_bytes`."""
    pieces: list[bytes] = []
    left = max_bytes + 1
    while left > 0:
        piece = file.read(min(left, _PIECE))
        if piece is None:  # a file of the system that has nothing to read now
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        left -= len(piece)
    raise _too_large(max_bytes)


def _too_large(max_bytes: int) -> FileError:
    return FileError(f"file too large: expected at most {max_bytes:,} bytes")


@contextmanager
def _named_errors(path: str | os.PathLike[str], label: str) -> Iterator[None]:
    """Turn every error into a `FileError` that begins with the label."""
    try:
        yield
    except FileError as error:
        reason = str(error)
    except OSError as error:
        reason = error.strerror or str(error)
        if error.errno == errno.ELOOP and os.path.exists(path):  # from `_NO_LINKS`
            reason = _LINK
        if isinstance(error, FileNotFoundError) and os.path.islink(path):
            reason = "a link to a file that does not exist"
    except ValueError:  # a NUL or a lone surrogate
        reason = "not a valid file name"
    else:
        return
    raise FileError(_with_label(label, reason))


def _with_label(label: str, reason: str) -> str:
    return f"{label}: {reason}" if label else reason
