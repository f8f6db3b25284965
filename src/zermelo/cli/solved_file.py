"""Files of solved positions, so that an interrupted `zermelo solve` continues: JSON Lines.

    {"solve": 1, "game": "othello", "each": false, ...}
    {"of": "--XXXXX... X", "result": {"position": ..., "value": 18, ...}}

A line is added after each position. A last line without its end, which a kill may leave, is removed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from zermelo._util.user_files import open_file, shown_path
from zermelo.errors import FileError, FormatError

VERSION = 1
#: Longer files are refused: a result has a few hundred bytes.
MAX_BYTES = 200_000_000
_KEYS = ("position", "nodes", "seconds")


class SolvedFile:
    """A file of results, read on opening and then extended. Use it as a context manager.

    Raises
    ------
    FormatError
        If the file is not a file of results, or one with other options.
    FileError
        If the file cannot be read or written.
    """

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        self._path = path
        self._results: dict[str, dict[str, Any]] = {}
        header = {"solve": VERSION, **options}
        end = self._read(header) if os.path.exists(path) else 0
        try:
            self._file = open(path, "ab")  # noqa: SIM115
            self._file.truncate(end)
        except OSError as error:
            raise FileError(f"{shown_path(path)}: {error.strerror or error}") from None
        if not end:
            self._write(header)

    def get(self, text: str) -> dict[str, Any] | None:
        """Return the result of a position, or None."""
        return self._results.get(text)

    def add(self, text: str, result: dict[str, Any]) -> None:
        """Append the result of a position."""
        self._write({"of": text, "result": result})

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _write(self, data: dict[str, Any]) -> None:
        try:
            self._file.write(json.dumps(data, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise FileError(f"{shown_path(self._path)}: {error.strerror or error}") from None

    def _read(self, header: dict[str, Any]) -> int:
        """Read the file and return the length of its complete lines."""
        end = 0
        with open_file(self._path, max_bytes=MAX_BYTES) as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    data = json.loads(line)
                    is_valid = (
                        data["solve"] == VERSION
                        if number == 1
                        else all(data["result"][key] is not None for key in _KEYS)
                    )
                    if not is_valid:
                        raise ValueError
                    if number > 1:
                        self._results[data["of"]] = data["result"]
                except (ValueError, KeyError, TypeError, RecursionError):
                    reason = f"{shown_path(self._path)}:{number}: not a line of results; expected a file of --resume"
                    raise FormatError(reason) from None
                if number == 1 and data != header:
                    raise FormatError(
                        f"{shown_path(self._path)}: results of another game or other options; use the same "
                        "options or another file"
                    )
                end += len(line)
        return end
