"""The only module that writes to standard output and standard error.

Text for people may contain names of any origin. `print_line`, `print_block` and the guarded streams make its control
characters visible, so that a file name or an engine's answer cannot move the cursor, retitle the window or hide a line.
Styled text is written by `zermelo.cli.screen`, which escapes the text before it adds the style.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TextIO, cast

from zermelo._util.text import LONGEST_MESSAGE, single_line, visible

# Characters of one line of results at most: more than the longest list of moves or line of play.
LONGEST_RESULT = 20_000


def print_line(text: str = "", *, error: bool = False, end: str = "\n") -> None:
    """Print one line of bounded length; newlines in the text become visible."""
    line = single_line(text, LONGEST_MESSAGE if error else LONGEST_RESULT)
    print(line, end=end, file=sys.stderr if error else sys.stdout, flush=error or not end)


def print_block(text: str, *, error: bool = False) -> None:
    """Print text of several lines, such as a board."""
    print(visible(text), file=sys.stderr if error else sys.stdout, flush=error)


def print_json(data: Any, *, flush: bool = False) -> None:
    """Print data as one line of JSON in ASCII, which has escapes for control characters."""
    print(json.dumps(data), flush=flush)


def write_data(content: str | bytes) -> None:
    """Write the content of a file to standard output; text in UTF-8, whatever the terminal's encoding is."""
    with data_stream() as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace") + b"\n")


@contextmanager
def data_stream() -> Iterator[BinaryIO]:
    """Return standard output as a binary stream for the content of a file.

    The bytes are written unchanged, but a terminal gets visible control characters.
    """
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is not None and not sys.stdout.isatty():
        sys.stdout.flush()
        yield buffer
        return
    content = io.BytesIO()  # a terminal, or a stream that takes only text
    yield content
    print(visible(content.getvalue().decode("utf-8", "replace")), end="", flush=True)


class GuardedStream:
    """A text stream in whose output control characters are visible, whatever is written to it."""

    def __init__(self, unguarded: TextIO) -> None:
        self.unguarded = unguarded

    def write(self, text: str) -> int:
        """Write text with visible control characters."""
        self.unguarded.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard standard output and standard error, also against text that other libraries write."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(guarded, before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def guarded(stream: TextIO) -> TextIO:
    """Return a stream in whose output control characters are visible; None, a closed stream, stays None."""
    if stream is None or isinstance(stream, GuardedStream):  # None: the stream is closed
        return stream
    return cast(TextIO, GuardedStream(stream))


def unguarded(stream: TextIO) -> TextIO:
    """Return the stream behind the guard, for a writer that escapes text itself (`zermelo.cli.screen`)."""
    while True:
        inner = getattr(stream, "unguarded", None) or getattr(stream, "rich_proxied_file", None)
        if inner is None:
            return stream
        stream = inner
