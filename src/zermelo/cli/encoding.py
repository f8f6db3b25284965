"""ASCII replacements for board characters that the terminal's encoding lacks."""

from __future__ import annotations

import codecs
from typing import Any

# Discs and chess pieces, lines of boards and tables, arrows and dots, windows and crossed arcs.
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
    """Make writing to these streams replace characters that their encoding lacks, instead of failing."""
    codecs.register_error("zermelo.plain", _plain)
    for stream in streams:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="zermelo.plain")
