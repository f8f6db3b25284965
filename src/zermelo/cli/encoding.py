"""Boards hold signs that not every terminal's encoding has; what it lacks is written in plain letters instead."""

from __future__ import annotations

import codecs
import sys
from typing import Any

# Discs and chess figures as the games' texts write them; the lines of boards and tables; arrows and dots; windows and
# crossed arcs.
PLAIN = {
    "●": "X", "○": "O", "·": ".", "…": ".", "→": ">", "×": "x", "−": "-",
    "±": "+-", "½": ".5", "█": "#", "∞": "*", "≥": ">", "≤": "<", "α": "a", "β": "b", "╳": "x",
    "─": "-", "━": "-", "│": "|", "┃": "|",
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╶╴", "+"),
    **dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPkqrbnp", strict=True)),
}  # fmt: skip


def _plain(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(PLAIN.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


def make_printable(*streams: Any) -> None:
    """From now on, writing to these streams replaces what their encoding lacks, and never fails for it."""
    codecs.register_error("zermelo.plain", _plain)
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="zermelo.plain")


def print_as_file(text: str) -> None:
    """Print what programs read, JSON or the text of a file: in UTF-8 whatever the terminal's encoding, nothing lost."""
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:  # somebody's own stream
        print(text)
        return
    sys.stdout.flush()
    buffer.write(text.encode() + b"\n")
