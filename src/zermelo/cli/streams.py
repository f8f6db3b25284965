"""Standard streams that are closed or cannot be written to (`zermelo games >&-`), and sizes that no terminal has."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any


def open_closed_streams() -> None:
    """Open the null device in place of standard streams that were closed when the program started.

    Otherwise the next file to be opened would take the stream's number, and what is printed would go into that file.
    Reading standard input then finds nothing; writing to standard output fails, as on a full disk. Messages to standard
    error that cannot be written are dropped: there is nobody to tell.
    """
    # In the order of their numbers: the system gives a file the lowest free one.
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_RDWR)):
        if not _is_open(number):
            os.open(os.devnull, mode)
            os.set_inheritable(number, True)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  open until the end
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None or sys.stderr is sys.__stderr__:
        encoding = "utf-8" if sys.stderr is None else sys.stderr.encoding
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(_Messages(2, "w", closefd=False)), encoding, "backslashreplace", line_buffering=True
        )


def drop_invalid_sizes() -> None:
    """Remove COLUMNS and LINES from the environment unless they are numbers of at most five digits.

    The library rich does not check them: `int` refuses 5,000 digits, and `²`, which `str.isdigit` accepts.
    """
    for name in ("COLUMNS", "LINES"):
        if not re.fullmatch(r"[0-9]{1,5}", os.environ.get(name, "0")):
            del os.environ[name]


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


class _Messages(io.FileIO):
    """A file that drops what it cannot write."""

    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError:
            return len(content)
