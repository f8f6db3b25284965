"""Reading text files line by line, with bounded lines, in UTF-8 or Latin-1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from zermelo.errors import FormatError

#: Longer lines are refused, in bytes. Lines of annotated games have a few thousand.
MAX_LINE = 200_000
_CHUNK = 1 << 16
# Characters that a text file cannot contain: NUL, and lone surrogates.
_INVALID = re.compile("[\0\ud800-\udfff]")


class TextLine(NamedTuple):
    """A line of a file."""

    #: From 1.
    number: int
    text: str
    #: Why the line could not be read; empty if it could.
    error: str = ""


def read_lines(file: BinaryIO) -> Iterator[TextLine]:
    """Yield the lines of a file, decoded as UTF-8, or as Latin-1 where a line is not valid UTF-8.

    A line that is too long or contains NUL is yielded without text and with `error` set. A file in UTF-16 or UTF-32
    yields one such line.
    """
    number = 0
    while data := file.readline(MAX_LINE + 1):
        number += 1
        if number == 1:
            if data.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
                yield TextLine(1, "", "the file is UTF-16 or UTF-32; expected UTF-8 or Latin-1")
                return
            data = data.removeprefix(b"\xef\xbb\xbf")
        if data == b"\n":
            yield TextLine(number, "")
            continue
        if len(data) > MAX_LINE and not data.endswith(b"\n"):
            while data and not data.endswith(b"\n"):
                data = file.readline(_CHUNK)
            yield TextLine(number, "", f"the line has more than {MAX_LINE:,} bytes")
            continue
        if b"\0" in data:
            yield TextLine(number, "", "the line contains a NUL byte; expected text in UTF-8 or Latin-1")
            continue
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        yield TextLine(number, text.rstrip("\r\n\x1a"))


def check_characters(text: str) -> None:
    """Raise `FormatError` for a text with NUL or lone surrogates."""
    invalid = _INVALID.search(text)
    if invalid:
        raise FormatError(f"invalid character {invalid[0]!r}")


def checked(text: str) -> str:
    """Return the text if `read_lines` can read it back unchanged. Raises `FormatError` otherwise."""
    check_characters(text)
    for line in text.split("\n"):
        if len(line) > MAX_LINE // 4 and len(line.encode()) > MAX_LINE:
            raise FormatError(f"a line has more than {MAX_LINE:,} bytes; expected shorter annotations")
        if line.endswith(("\r", "\x1a")):
            raise FormatError(f"a line ends with {line[-1]!r}, which would be read as part of the line end")
    return text
