"""Append-only files of lines, from which an interrupted run continues.

    HEADER      what the lines depend on: a run continues only from its own header
    LINE        one for each result, added when it is known
    LI          the last line without its end, which a kill may leave: removed on opening

A file of somebody else, named by mistake, is never changed: neither one with another first line nor one that has no
complete line at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import IO, Any, NoReturn, Self

from zermelo._util.user_files import open_file, shown_path
from zermelo.errors import FileError, FormatError

#: Longer files are refused: a result has some hundred bytes, and a review of a thousand games some ten megabytes.
MAX_BYTES = 200_000_000
# Bytes of a first line at most, so that a large file without line ends is not read whole.
_LONGEST_HEADER = 1 << 20


def complete_lines(file: IO[bytes], header: bytes) -> Iterator[bytes]:
    """Yield the complete lines of a file that is to be continued, the first one too, whatever it is.

    Parameters
    ----------
    file : binary file
        The file, at its start.
    header : bytes
        The first line that the run would write.

    Raises
    ------
    FormatError
        If the file has a single line without its end that is not the beginning of `header`: another file. The message
        has no path.
    """
    first = file.readline(max(_LONGEST_HEADER, len(header)))
    if not first.endswith(b"\n"):
        if not header.startswith(first):
            raise FormatError("not a file of an interrupted run")
        return
    yield first
    for line in file:
        if line.endswith(b"\n"):
            yield line


class ResumeFile:
    """A file of JSON Lines, read on opening and then extended. Use it as a context manager.

    Parameters
    ----------
    path : path
        The file; made if it does not exist.
    header : mapping
        The first line.
    content : str
        How messages name what the lines are of: "results", "a review".

    Raises
    ------
    FormatError
        If the file is not one of these, or has another header, or a line of it is damaged.
    FileError
        If the file cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str], header: Mapping[str, Any], content: str) -> None:
        self._path, self._content = path, content
        end = self._read(header) if os.path.exists(path) else 0
        try:
            self._file = open(path, "ab")  # noqa: SIM115  closed by __exit__
            self._file.truncate(end)
        except OSError as error:
            raise FileError(f"{shown_path(path)}: {error.strerror or error}") from None
        if not end:
            self._append(header)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # a line that could not be written has been reported; closing writes it once more
            self._file.close()

    def _check_header(self, data: Any, header: Mapping[str, Any]) -> None:
        """Raise `FormatError` if the first line is one of other options, `ValueError` if it is none at all."""
        raise NotImplementedError

    def _keep(self, data: Any, number: int) -> None:
        """Keep the data of a line; raise `ValueError` if they are damaged."""
        raise NotImplementedError

    def _append(self, data: Mapping[str, Any]) -> None:
        """Append a line."""
        try:
            self._file.write(_encoded(data))
            self._file.flush()
        except OSError as error:
            raise FileError(f"{shown_path(self._path)}: {error.strerror or error}") from None

    def _refuse(self, number: int) -> NoReturn:
        """Raise the `FormatError` of a line that is not valid."""
        where = f"{shown_path(self._path)}:{number}"
        if number == 1:
            raise FormatError(f"{where}: not a line of {self._content}; expected a file of --resume")
        raise FormatError(f"{where}: damaged line of {self._content}; delete the line, or use another file")

    def _read(self, header: Mapping[str, Any]) -> int:
        """Read the file and return the length of its complete lines."""
        end = number = 0
        with open_file(self._path, max_bytes=MAX_BYTES) as file:
            lines = complete_lines(file, _encoded(header))
            while True:
                try:
                    line = next(lines, None)
                except FormatError:
                    self._refuse(1)
                if line is None:
                    return end
                number += 1
                try:
                    data = json.loads(line, parse_constant=_refuse_constant)
                    if number == 1:
                        self._check_header(data, header)
                    else:
                        self._keep(data, number)
                except FormatError:
                    raise
                except (ValueError, KeyError, TypeError, RecursionError):
                    self._refuse(number)
                end += len(line)


def _encoded(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")
