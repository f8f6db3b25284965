"""Lines of a file of any size: one at a time, none of them endless, in the encodings that such files have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from zermelo.errors import FormatError

#: A longer line is refused; those of annotated games have some thousand.
LONGEST_LINE = 200_000
_PIECE = 1 << 16
# What no line of a file can hold: the NUL, and halves of pairs, which no encoding writes.
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class TextLine(NamedTuple):
    """A line of a file."""

    #: From 1.
    number: int
    text: str
    #: What is wrong with it so that it could not be read; empty for nothing.
    wrong: str = ""


def read_lines(file: BinaryIO) -> Iterator[TextLine]:
    """The lines of a file, in UTF-8; one that is no UTF-8 is taken for Latin-1, as in old files.

    A line that is too long or has a NUL in it comes without its text, and with what is wrong. Of a file in UTF-16 or
    UTF-32 nothing more is read.
    """
    number = 0
    while held := file.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1:
            if held.startswith((b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")):
                yield TextLine(1, "", "a text in UTF-16 or UTF-32; expected UTF-8 or Latin-1")
                return
            held = held.removeprefix(b"\xef\xbb\xbf")
        if held == b"\n":
            yield TextLine(number, "")
            continue
        if len(held) > LONGEST_LINE and not held.endswith(b"\n"):
            while held and not held.endswith(b"\n"):
                held = file.readline(_PIECE)
            yield TextLine(number, "", f"more than {LONGEST_LINE:,} bytes in one line")
            continue
        if b"\0" in held:
            yield TextLine(number, "", "a NUL byte in the line; expected a text in UTF-8 or Latin-1")
            continue
        try:
            text = held.decode()
        except UnicodeDecodeError:
            text = held.decode("latin-1")
        yield TextLine(number, text.rstrip("\r\n\x1a"))


def check_signs(text: str) -> None:
    """Raises `FormatError` for a text with something in it that no file holds."""
    wrong = _NO_TEXT.search(text)
    if wrong:
        raise FormatError(f"a sign that no text has, {wrong[0]!r}; expected none")


def checked(text: str) -> str:
    """A text that `read_lines` reads again, line by line. Raises `FormatError` for one that it would refuse."""
    check_signs(text)
    for line in text.split("\n"):
        if len(line) > LONGEST_LINE // 4 and len(line.encode()) > LONGEST_LINE:
            raise FormatError(f"more than {LONGEST_LINE:,} bytes in one line; expected less said of the game")
        if line.endswith(("\r", "\x1a")):
            raise FormatError(
                f"{line[-1]!r} at the end of a line; expected none, it is read as the end of a file's line"
            )
    return text
