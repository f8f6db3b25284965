"""Files of solved positions, so that an interrupted `zermelo solve` continues: JSON Lines.

    {"solve": 1, "game": "othello", "each": false, ...}
    {"of": "--XXXXX... X", "result": {"position": ..., "value": 18, ...}}

A line is added after each position. A last line without its end, which a kill may leave, is removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zermelo._util.resume_files import ResumeFile
from zermelo._util.user_files import shown_path
from zermelo.errors import FormatError

VERSION = 1
_KEYS = ("position", "nodes", "seconds")


class SolvedFile(ResumeFile):
    """A file of results, read on opening and then extended. Use it as a context manager.

    Raises
    ------
    FormatError
        If the file is not a file of results, or one with other options.
    FileError
        If the file cannot be read or written.
    """

    def __init__(self, path: str, options: Mapping[str, Any]) -> None:
        self._results: dict[str, dict[str, Any]] = {}
        super().__init__(path, {"solve": VERSION, **options}, "results")

    def get(self, text: str) -> dict[str, Any] | None:
        """Return the result of a position, or None."""
        return self._results.get(text)

    def add(self, text: str, result: dict[str, Any]) -> None:
        """Append the result of a position."""
        self._append({"of": text, "result": result})

    def _check_header(self, data: Any, header: Mapping[str, Any]) -> None:
        if not isinstance(data, dict) or data.get("solve") != VERSION:
            raise ValueError
        if data != header:
            raise FormatError(
                f"{shown_path(self._path)}: results of another game or other options; use the same options or another "
                "file"
            )

    def _keep(self, data: Any, number: int) -> None:
        if any(data["result"][key] is None for key in _KEYS):
            raise ValueError
        self._results[data["of"]] = data["result"]
